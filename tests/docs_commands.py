"""Runs the commands that a page of the documentation shows, and compares what they print.

usage: docs_commands.py --binary PATH/ziggurat PAGE.md

In ```console and ```sh blocks, a line that starts with "$ " is a command (a trailing backslash
continues it); the lines under it, to the next command, are what it should print: each must appear
in that order among the lines printed, and "..." stands for anything within a line. Blocks without
a "$ " are not run. All commands of a page run one after another in one temporary folder that holds
a copy of testdata/, with the program first on PATH; a command that fails ends the page.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(?:console|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SECONDS = 120


def steps(page_text):
    """(command, lines it should print) in the order of the page."""
    for block in BLOCK.findall(page_text):
        command, expected = None, []
        for line in re.sub(r"\\\n(?:> )?", "", block).splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, expected
                command, expected = line[2:], []
            elif command and line.strip():
                expected.append(line)
        if command:
            yield command, expected


def first_missing(expected, printed):
    """The first expected line that does not follow the earlier ones, or None."""
    remaining = iter(printed)
    for line in expected:
        pattern = re.compile(".*".join(re.escape(part) for part in line.strip().split("...")))
        if not any(pattern.fullmatch(candidate.strip()) for candidate in remaining):
            return line
    return None


def run(command, folder, environment):
    """(what was wrong or None, lines printed)."""
    try:
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=SECONDS,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} s", []
    if done.returncode:
        return f"exit code {done.returncode}", done.stdout.splitlines()
    return None, done.stdout.splitlines()


def check_page(page, binary):
    number_run = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "testdata", Path(folder) / "testdata")
        environment = dict(os.environ, PATH=f"{binary.resolve().parent}:{os.environ['PATH']}")
        for command, expected in steps(page.read_text()):
            fault, printed = run(command, folder, environment)
            missing = first_missing(expected, printed)
            if not fault and missing is not None:
                fault = f"did not print: {missing}"
            if fault:
                print(f"{page.name}: $ {command}\n{fault}", *printed, sep="\n")
                return 1
            number_run += 1
    print(f"{page.name}: {number_run} commands run")
    return 0 if number_run else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("page", type=Path)
    arguments = parser.parse_args()
    return check_page(arguments.page, arguments.binary)


if __name__ == "__main__":
    sys.exit(main())
