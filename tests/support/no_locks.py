#!/usr/bin/env python3
"""no_locks.py ERRNO COMMAND...: run a command as if on a file system without locks.

A seccomp filter lets every flock() and every lock request of fcntl() fail with ERRNO. It needs no
privileges and is inherited by all children. Exit status 125: filters are not available here.
"""

import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, FAIL_WITH = 0x7FFF0000, 0x00050000
OFFSET_NUMBER, OFFSET_ARCH, OFFSET_SECOND_ARG = 0, 4, 24

# audit architecture, numbers of flock and fcntl
SYSTEM_CALLS = {"x86_64": (0xC000003E, 73, 72), "aarch64": (0xC00000B7, 32, 25)}
LOCK_COMMANDS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW


class SockFprog(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def filter_program(error):
    arch, flock, fcntl = SYSTEM_CALLS[os.uname().machine]
    lock_tests = [
        (JUMP_IF_EQUAL, len(LOCK_COMMANDS) - i, 0, command)
        for i, command in enumerate(LOCK_COMMANDS)
    ]
    return [
        (LOAD, 0, 0, OFFSET_ARCH),
        (JUMP_IF_EQUAL, 1, 0, arch),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, OFFSET_NUMBER),
        (JUMP_IF_EQUAL, 0, 1, flock),
        (RETURN, 0, 0, FAIL_WITH | error),
        (JUMP_IF_EQUAL, 1, 0, fcntl),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, OFFSET_SECOND_ARG),
        *lock_tests,
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, FAIL_WITH | error),
    ]


def install(error):
    code = b"".join(struct.pack("=HBBI", *step) for step in filter_program(error))
    buffer = ctypes.create_string_buffer(code, len(code))
    program = SockFprog(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    return (
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
        and libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0
    )


if __name__ == "__main__":
    if not install(int(sys.argv[1])):
        sys.exit(125)
    os.execvp(sys.argv[2], sys.argv[2:])
