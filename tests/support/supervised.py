#!/usr/bin/env python3
"""supervised.py SOCKET CALL,CALL,... COMMAND...: a supervisor decides the command's system calls.

The descriptor to do so with is sent over SOCKET, the number of an inherited Unix socket. Exit
status 125: system call filters are not available here.
"""

import array
import os
import socket
import sys

import seccomp

if __name__ == "__main__":
    channel = socket.socket(fileno=int(sys.argv[1]))
    program = seccomp.supervised(sys.argv[2].split(","))
    command = sys.argv[3:]
    # From here on nothing may be called that the supervisor, who is not there yet, has to allow.
    listener = seccomp.install(program, seccomp.NEW_LISTENER)
    if listener < 0:
        os._exit(125)
    channel.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))])
    os.execvp(command[0], command)
