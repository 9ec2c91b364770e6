"""Checks a Galaxy tool as `planemo lint` does, or fills its command in, with Galaxy's own packages.

usage: galaxy_tool.py TOOL.xml               complaints, one a line; exit code 1 if there is any
       galaxy_tool.py TOOL.xml NAME=VALUE... the command; a name in a section has a dot:
                                             balancing.balance

Run by the Python that has galaxy-tool-util.
"""

import sys
from types import SimpleNamespace

from galaxy.tool_util.parser import get_tool_source

# Nothing has been published that could be cited.
SKIPPED = ["CitationsMissing", "CitationsNoText", "CitationsNoValid", "CitationsFound"]


def complaints(source):
    from galaxy.tool_util.lint import LintContext, LintLevel, lint_tool_source_with

    context = LintContext(LintLevel.WARN, skip_types=SKIPPED)
    lint_tool_source_with(context, source)
    return [f"{m.level}: {m.message}" for m in context.message_list if m.level in ("error", "warning")]


def filled_in(source, pairs):
    from Cheetah.Template import Template

    values = {}
    for pair in pairs:
        name, value = pair.split("=", 1)
        section, _, inner = name.rpartition(".")
        if section:
            setattr(values.setdefault(section, SimpleNamespace()), inner, value)
        else:
            values[name] = value
    return str(Template(source=source.parse_command(), searchList=[values]))


def main(path, *pairs):
    source = get_tool_source(path)
    if pairs:
        print(filled_in(source, pairs))
        return 0
    found = complaints(source)
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
