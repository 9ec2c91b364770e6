"""System call filters (seccomp): which calls of a process fail, or are put to a supervisor.

A filter needs no privileges, is inherited by all children, and holds for every call however it is
made. To be used by a process just before it runs another program.
"""

import ctypes
import os
import struct

PR_SET_NO_NEW_PRIVS = 38
SET_MODE_FILTER, NEW_LISTENER = 1, 8
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ASK_SUPERVISOR, FAIL_WITH = 0x7FFF0000, 0x7FC00000, 0x00050000
OFFSET_NUMBER, OFFSET_ARCH, OFFSET_SECOND_ARG = 0, 4, 24

# Names of the tables below, in the order of their columns.
_MACHINES = ("x86_64", "aarch64")
_AUDIT_ARCH = (0xC000003E, 0xC00000B7)
_SECCOMP = (317, 277)
_NUMBERS = {
    "close": (3, 57),
    "copy_file_range": (326, 285),
    "fallocate": (285, 47),
    "fcntl": (72, 25),
    "fdatasync": (75, 83),
    "flock": (73, 32),
    "fstat": (5, 80),
    "fsync": (74, 82),
    "ftruncate": (77, 46),
    "linkat": (265, 37),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "newfstatat": (262, 79),
    "openat": (257, 56),
    "pread64": (17, 67),
    "pwrite64": (18, 68),
    "read": (0, 63),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "rmdir": (84, None),
    "sendfile": (40, 71),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "write": (1, 64),
}


def _column():
    return _MACHINES.index(os.uname().machine)


def call_numbers(names):
    """{number: name} of those calls that this machine has."""
    column = _column()
    return {_NUMBERS[n][column]: n for n in names if _NUMBERS[n][column] is not None}


def _on_this_machine():
    """Steps that let calls of any other architecture pass."""
    return [(LOAD, 0, 0, OFFSET_ARCH), (JUMP_IF_EQUAL, 1, 0, _AUDIT_ARCH[_column()])]


def supervised(names):
    """A filter that puts these calls to a supervisor."""
    numbers = list(call_numbers(names))
    n = len(numbers)
    tests = [(JUMP_IF_EQUAL, n - i, 0, number) for i, number in enumerate(numbers)]
    return [
        *_on_this_machine(),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, OFFSET_NUMBER),
        *tests,
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, ASK_SUPERVISOR),
    ]


LOCK_COMMANDS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW


def locks_fail(error):
    """A filter that fails every flock() and every lock request of fcntl() with this errno."""
    (flock,), (fcntl,) = call_numbers(["flock"]), call_numbers(["fcntl"])
    lock_tests = [
        (JUMP_IF_EQUAL, len(LOCK_COMMANDS) - i, 0, command)
        for i, command in enumerate(LOCK_COMMANDS)
    ]
    return [
        *_on_this_machine(),
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


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def install(program, flags=0):
    """Put this process under the filter: 0, or the listener with NEW_LISTENER; -1 on failure."""
    code = b"".join(struct.pack("=HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    filters = _Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return -1
    return libc.syscall(_SECCOMP[_column()], SET_MODE_FILTER, flags, ctypes.byref(filters))
