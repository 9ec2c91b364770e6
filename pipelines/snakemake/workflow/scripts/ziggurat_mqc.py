#!/usr/bin/env python3
"""A sample's line in a MultiQC report: what its pyramid holds, and whether it could be balanced.

usage: ziggurat_mqc.py SAMPLE.mcool > SAMPLE_mqc.json

MultiQC finds such files by the end of their names and makes one table of them. Needs `ziggurat` on
the path, and nothing besides Python.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

HEADERS = {
    "contacts": {"title": "Contacts", "description": "Sum of all counts", "format": "{:,.0f}"},
    "pixels": {"title": "Pixels", "description": "Pixels of the finest level", "format": "{:,.0f}"},
    "finest": {"title": "Finest", "description": "Bin size of the finest level", "suffix": " bp",
               "format": "{:,.0f}"},
    "levels": {"title": "Levels", "description": "Bin sizes in the file", "format": "{:,.0f}"},
    "balanced": {"title": "Balanced", "description": "Levels whose weights converged",
                 "format": "{:,.0f}"},
    "left_out": {"title": "Left out", "description": "Bins of the finest level without a weight",
                 "suffix": " %", "min": 0, "max": 100, "format": "{:,.1f}"},
}


def ziggurat(*arguments):
    return subprocess.run(
        ["ziggurat", *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def has_converged(level):
    """Balanced chromosome by chromosome, a level has a list of truth values in place of one."""
    weight = re.search(r"^  weight:\n(?:    .*\n)+", ziggurat("attrs", level), re.MULTILINE)
    said = re.search(r"converged:((?: .*|\n +- .*)*)", weight[0]) if weight else None
    return bool(said) and "true" in said[1] and "false" not in said[1]


def left_out(level):
    """Percentage, or nothing for a level that was not balanced."""
    columns = ziggurat("dump", "--table", "bins", "--header", level).splitlines()
    names = columns[0].split("\t")
    if "weight" not in names:
        return None
    missing = sum(not row.split("\t")[names.index("weight")] for row in columns[1:])
    return 100 * missing / max(1, len(columns) - 1)


def row(pyramid):
    levels = ziggurat("ls", pyramid).split()
    finest = json.loads(ziggurat("info", levels[0]))
    values = {
        "contacts": finest["sum"],
        "pixels": finest["nnz"],
        "finest": finest["bin-size"],
        "levels": len(levels),
        "balanced": sum(map(has_converged, levels)),
        "left_out": left_out(levels[0]),
    }
    return {name: value for name, value in values.items() if value is not None}


def main(pyramid):
    content = {
        "id": "ziggurat",
        "section_name": "Contact maps",
        "description": "Pyramids made by ziggurat.",
        "plot_type": "table",
        "pconfig": {"id": "ziggurat_table", "title": "Contact maps"},
        "headers": HEADERS,
        "data": {Path(pyramid).stem: row(pyramid)},
    }
    print(json.dumps(content, indent=2))


if __name__ == "__main__":
    main(*sys.argv[1:])
