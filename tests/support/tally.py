"""How many disturbed runs each sweep judged, and how many of them were bad.

usage: tally.py REPORT.xml

The number of points of a sweep is not that of its tests: one test may visit hundreds. `judged` counts
them while they are judged, the report keeps the counts, and this program prints them by test.
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict

_PROPERTY = "judged"
_judged = 0


def judged():
    """Counts one disturbed run whose outcome is about to be judged."""
    global _judged  # noqa: PLW0603 (one process runs one test at a time)
    _judged += 1


def record(record_property):
    """A generator for a fixture: hands a test's count to the report when the test is over."""
    before = _judged
    yield
    if _judged > before:
        record_property(_PROPERTY, _judged - before)


def counts(report):
    """{test without its parameters: [judged, failed tests, seconds]}, in the report's order."""
    found = defaultdict(lambda: [0, 0, 0.0])
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name').partition('[')[0]}"
        row = found[name]
        for entry in case.iter("property"):
            if entry.get("name") == _PROPERTY:
                row[0] += int(entry.get("value"))
        row[1] += case.find("failure") is not None or case.find("error") is not None
        row[2] += float(case.get("time"))
    return found


def main(report):
    total = 0
    for name, (number, failed, seconds) in counts(report).items():
        if number:
            total += number
            print(f"{number:7d} judged, {failed} tests failed, {seconds:6.0f} s  {name}")
    print(f"{total:7d} judged in all")


if __name__ == "__main__":
    main(sys.argv[1])
