"""Runs command lines of cooler, one after another: each a line of JSON on standard input.

A line is [folder to run in, words after the program's name, file for standard input or null]. What is
printed is "done" or "failed"; what cooler says goes to standard error.
"""

import json
import os
import sys

from cooler.cli import cli


def run(folder, words, source):
    os.chdir(folder)
    if source:
        sys.stdin = open(source)
    cli.main(args=words, standalone_mode=False)


def main():
    answers, requests = sys.stdout, sys.stdin
    sys.stdout = sys.stderr
    for request in requests:
        try:
            run(*json.loads(request))
        except BaseException as fault:
            print(repr(fault), file=sys.stderr)
            print("failed", file=answers, flush=True)
        else:
            print("done", file=answers, flush=True)


if __name__ == "__main__":
    main()
