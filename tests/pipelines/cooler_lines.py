"""Runs command lines of cooler, one after another: each a line of JSON on standard input.

A line is [folder to run in, words after the program's name, file for standard input or null]. What is
printed is "done" or "failed"; what cooler says goes to standard error. Each line runs in a process of
its own, forked from this one, which has imported cooler and has no threads: a second pool of processes
in a process that had one before can wait for ever, for a lock that was held when it was forked.
"""

import json
import os
import sys
import traceback

from cooler.cli import cli


def run(folder, words, source):
    os.chdir(folder)
    os.dup2(os.open(source or os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdin = open(0)
    cli.main(args=words, standalone_mode=False)


def ends_well(request):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            run(*json.loads(request))
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def main():
    for request in sys.stdin:
        print("done" if ends_well(request) else "failed", flush=True)


if __name__ == "__main__":
    main()
