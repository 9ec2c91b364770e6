"""Checks Galaxy tools as `planemo lint` does, and fills their commands in, with Galaxy's own packages.

usage: galaxy_tool.py lint TOOL.xml...  {tool: [complaint, ...]} as JSON, in the last line
       galaxy_tool.py fill TOOL.xml NAME=VALUE...
                                        the command; a name in a section has a dot: balancing.balance

Run by the Python that has galaxy-tool-util, whose start takes seconds.
"""

import json
import sys
from types import SimpleNamespace

from galaxy.tool_util.parser import get_tool_source

# Nothing has been published that could be cited.
SKIPPED = ["CitationsMissing", "CitationsNoText", "CitationsNoValid", "CitationsFound"]


def complaints(path):
    from galaxy.tool_util.lint import LintContext, LintLevel, lint_tool_source_with

    context = LintContext(LintLevel.WARN, skip_types=SKIPPED)
    lint_tool_source_with(context, get_tool_source(path))
    return [f"{m.level}: {m.message}" for m in context.message_list if m.level in ("error", "warning")]


def filled_in(path, pairs):
    from Cheetah.Template import Template

    values = {}
    for pair in pairs:
        name, value = pair.split("=", 1)
        section, _, inner = name.rpartition(".")
        if section:
            setattr(values.setdefault(section, SimpleNamespace()), inner, value)
        else:
            values[name] = value
    return str(Template(source=get_tool_source(path).parse_command(), searchList=[values]))


def main(wanted, *arguments):
    if wanted == "lint":
        print(json.dumps({path: complaints(path) for path in arguments}))
    else:
        print(filled_in(arguments[0], arguments[1:]))


if __name__ == "__main__":
    main(*sys.argv[1:])
