"""Adds up test reports in JUnit's format and says which tests failed or were skipped.

usage: summary.py REPORT.xml...

The last line is "N passed, N failed", with ", N skipped" when there are any. Exits 1 when a test
failed, when no test passed, or when a report is missing or holds no test: a suite that could not
start is a failure.
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path


def outcome(case):
    """("passed" | "failed" | "skipped", reason) of one testcase element."""
    for tag, result in (("failure", "failed"), ("error", "failed"), ("skipped", "skipped")):
        found = case.find(tag)
        if found is not None:
            return result, (found.get("message") or "").splitlines()[:1]
    return "passed", []


def read_report(path):
    """[(outcome, name, reason)], one failure in place of a report that cannot be counted."""
    try:
        cases = list(ElementTree.parse(path).iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        return [("failed", path.name, [f"no report: {error}"])]
    if not cases:
        return [("failed", path.name, ["no test was run"])]
    results = []
    for case in cases:
        result, reason = outcome(case)
        name = "::".join(filter(None, [case.get("classname"), case.get("name")]))
        results.append((result, name, reason))
    return results


def main(paths):
    totals = Counter()
    for path in paths:
        results = read_report(path)
        counts = Counter(result for result, _, _ in results)
        totals += counts
        print(f"{path.stem}: " + ", ".join(f"{n} {result}" for result, n in sorted(counts.items())))
        for result, name, reason in results:
            if result != "passed":
                print(f"  {result.upper()} {name}", *reason, sep=": ")
    skipped = f", {totals['skipped']} skipped" if totals["skipped"] else ""
    print(f"{totals['passed']} passed, {totals['failed']} failed{skipped}")
    return 1 if totals["failed"] or not totals["passed"] else 0


if __name__ == "__main__":
    sys.exit(main([Path(argument) for argument in sys.argv[1:]]))
