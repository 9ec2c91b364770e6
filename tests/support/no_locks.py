#!/usr/bin/env python3
"""no_locks.py ERRNO COMMAND...: run a command as if on a file system without locks.

Every flock() and every lock request of fcntl() fails with ERRNO, in the command and its children.
Exit status 125: system call filters are not available here.
"""

import os
import sys

import seccomp

if __name__ == "__main__":
    if seccomp.install(seccomp.locks_fail(int(sys.argv[1]))) != 0:
        sys.exit(125)
    os.execvp(sys.argv[2], sys.argv[2:])
