#!/usr/bin/env python3
"""Write expected/ by running the reference tool over cases.tsv; its columns exit and groups too.

COOLER=/path/to/cooler python3 make_expected.py [CASE...]
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.dump import dump_file  # noqa: E402  (needs the path above)
from support.vectors import CASES, EXPECTED, read_cases  # noqa: E402


def make(tool, case):
    folder = EXPECTED / case.name
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory() as work:
        args, source, result = case.prepare(Path(work))
        ended = subprocess.run([*tool, *args], capture_output=True, text=True, cwd=work)
        groups = dump_file(result if result.exists() else source, case.input, folder)
    if "--stdout" in args:
        (folder / "stdout.txt").write_text(ended.stdout)
    return ended.returncode, groups


def main():
    tool = shlex.split(os.environ.get("COOLER", "cooler"))
    lines = ["case\tinput\texit\tgroups\targuments"]
    for case in read_cases():
        if len(sys.argv) == 1 or case.name in sys.argv[1:]:
            case.exit, case.groups = make(tool, case)
            print(case.name, case.exit, *case.groups, flush=True)
        lines.append(
            "\t".join(
                [case.name, case.input.stem, str(case.exit), ",".join(case.groups), case.arguments]
            )
        )
    CASES.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
