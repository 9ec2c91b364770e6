"""Running the program with a supervisor that sees, counts and decides its system calls.

Problem: a fault must fall on one chosen call of a run (the 17th write, the second rename), in
whichever process and thread it is made, and on files of the test only. Debuggers count calls by
thread; a file system of our own needs rights that a container lacks.

Method: the kernel puts the calls named in a filter (seccomp.py) to us before it carries them out,
one at a time, and the caller sleeps meanwhile. For each call about a file below the watched folder
a test's `decide` is asked. It may let the call go on (None), fail it, answer it without carrying it
out, carry out something else in its place, hold the caller, or kill the run. Reads and writes that are cut short or
altered are done here, on the caller's file and in the caller's memory.

Cost: about 0.1 ms a call. Needs Linux 5.9 or later and nothing else: no privileges, no mount.
"""

import contextlib
import fcntl
import os
import queue
import select
import signal
import socket
import struct
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support import program, seccomp

# What changes files, what looks at their content, what looks at them at all.
WRITES = (
    "pwrite64", "write", "ftruncate", "fallocate", "copy_file_range", "sendfile",
)  # fmt: skip
NAMES = (
    "mkdir", "mkdirat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "linkat",
)  # fmt: skip
SYNCS = ("fsync", "fdatasync")
READS = ("pread64", "read")
LOOKS = ("openat", "fstat", "newfstatat")
LOCKS = ("flock", "fcntl")

_SUPERVISED = Path(__file__).with_name("supervised.py")
_REQUEST = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=Qqii")
_RECEIVE = 3 << 30 | _REQUEST.size << 16 | ord("!") << 8 | 0
_SEND = 3 << 30 | _ANSWER.size << 16 | ord("!") << 8 | 1
_GO_ON = 1
_AT_CWD = 0xFFFFFF9C
_REMOVE_FOLDER = 0x200
_POLL_MS = 50


@dataclass
class Fail:
    """The call fails with this errno and is not carried out."""

    errno: int


@dataclass
class Answer:
    """The call returns this and is not carried out."""

    value: int


class Hold:
    """The caller sleeps until let_go(), after which nobody is held; others are answered meanwhile."""


class Kill:
    """The whole run is killed before the call is carried out."""


@dataclass
class Call:
    """One system call that waits for a decision; `fd`, `length`, `offset` where it has them."""

    name: str
    pid: int
    args: tuple
    path: str = ""
    new_path: str = ""  # of a rename or link

    @property
    def fd(self):
        return self.args[0]

    @property
    def length(self):
        return self.args[2]

    @property
    def offset(self):
        if self.name in ("pwrite64", "pread64"):
            return self.args[3]
        for line in Path(f"/proc/{self.pid}/fdinfo/{self.fd}").read_text().splitlines():
            if line.startswith("pos:"):
                return int(line.split()[1])
        return 0

    def open(self, flags):
        """The caller's file, opened anew by its descriptor: works for removed files as well."""
        return os.open(f"/proc/{self.pid}/fd/{self.fd}", flags)

    @contextlib.contextmanager
    def _memory(self, flags):
        fd = os.open(f"/proc/{self.pid}/mem", flags)
        try:
            yield fd
        finally:
            os.close(fd)

    def given(self):
        """The bytes that the caller wants written."""
        with self._memory(os.O_RDONLY) as memory:
            return os.pread(memory, self.length, self.args[1])

    def sent(self):
        """The bytes that a sendfile takes from its other file."""
        source = Call("read", self.pid, (self.args[1], 0, self.args[3]))
        return source.found()

    def write(self, data):
        """Carries out a write of these bytes instead."""
        fd = self.open(os.O_WRONLY)
        try:
            return os.pwrite(fd, data, self.offset)
        finally:
            os.close(fd)

    def found(self, length=None):
        """The bytes that the caller wants to read."""
        fd = self.open(os.O_RDONLY)
        try:
            return os.pread(fd, self.length if length is None else length, self.offset)
        finally:
            os.close(fd)

    def hand_over(self, data):
        """Gives the caller of a pread these bytes."""
        with self._memory(os.O_RDWR) as memory:
            os.pwrite(memory, data, self.args[1])
        return Answer(len(data))

    def text_at(self, address):
        with self._memory(os.O_RDONLY) as memory:
            return os.pread(memory, 4096, address).split(b"\0")[0].decode(errors="replace")


def _absolute(call, folder_fd, name):
    if name.startswith("/"):
        return name
    place = "cwd" if folder_fd & 0xFFFFFFFF == _AT_CWD else f"fd/{folder_fd}"
    folder = os.readlink(f"/proc/{call.pid}/{place}")
    return os.path.join(folder, name) if name else folder


# Where in the arguments the folders' descriptors and the paths stand.
_PATH_ARGUMENTS = {
    "mkdir": [(None, 0)], "rmdir": [(None, 0)], "unlink": [(None, 0)],
    "rename": [(None, 0), (None, 1)], "renameat": [(0, 1), (2, 3)], "renameat2": [(0, 1), (2, 3)],
    "linkat": [(0, 1), (2, 3)], "mkdirat": [(0, 1)], "unlinkat": [(0, 1)], "openat": [(0, 1)],
    "newfstatat": [(0, 1)],
}  # fmt: skip


def _resolve(call):
    places = _PATH_ARGUMENTS.get(call.name)
    if places is None:
        call.path = os.readlink(f"/proc/{call.pid}/fd/{call.fd}").removesuffix(" (deleted)")
        return
    paths = [
        _absolute(call, _AT_CWD if fd is None else call.args[fd], call.text_at(call.args[at]))
        for fd, at in places
    ]
    call.path, call.new_path = paths[0], paths[1] if len(paths) > 1 else ""
    plain = {"renameat": "rename", "renameat2": "rename", "mkdirat": "mkdir"}
    call.name = plain.get(call.name, call.name)
    if call.name == "unlinkat":
        call.name = "rmdir" if call.args[2] & _REMOVE_FOLDER else "unlink"


@dataclass
class Run:
    """A run that has ended: how, and the calls about files below the watched folder."""

    result: program.Result
    calls: list = field(default_factory=list)

    def count(self, *names):
        return sum(call.name in names for call in self.calls)


class Supervised:
    """A running command. `decide(call)` is asked on a thread of its own, one call at a time."""

    def __init__(self, *args, calls, folder, decide=lambda call: None, env=None, prefix=()):
        self._folder = str(folder)
        self._decide = decide
        self._error = None
        self._sleeping = queue.SimpleQueue()
        self._released = False
        self.calls = []
        ours, theirs = socket.socketpair()
        with ours, theirs:
            supervised = [sys.executable, "-S", "-E", str(_SUPERVISED), str(theirs.fileno())]
            prefix = [*supervised, ",".join(calls), *prefix]
            self.process = program.start(*args, env=env, prefix=prefix, pass_fds=[theirs.fileno()])
            theirs.close()
            self._numbers = seccomp.call_numbers(calls)
            self._listener = self._receive_listener(ours)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _receive_listener(self, channel):
        data, fds, _, _ = socket.recv_fds(channel, 1, 1)
        if not fds:
            self.process.wait()
            pytest.fail("system calls cannot be supervised here (needs Linux 5.9, seccomp)")
        return fds[0]

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def let_go(self):
        """Calls that were held go on. Those of callers that died meanwhile are forgotten."""
        self._released = True
        with contextlib.suppress(queue.Empty):
            while True:
                self._answer(self._sleeping.get_nowait(), 0, 0, _GO_ON)

    def finish(self, timeout_s=None):
        result = program.finish(self.process, timeout_s)
        # Readers may outlive the command for a moment.
        self._thread.join(10)
        assert not self._thread.is_alive(), f"processes outlived the run: {result}"
        if self._error:
            raise self._error
        return Run(result, self.calls)

    def _serve(self):
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        try:
            while True:
                for _, event in poll.poll(_POLL_MS):
                    if event & select.POLLIN:
                        self._answer_one()
                    elif event & select.POLLHUP:
                        return
        finally:
            os.close(self._listener)

    def _answer_one(self):
        request = bytearray(_REQUEST.size)
        try:
            fcntl.ioctl(self._listener, _RECEIVE, request)
        except FileNotFoundError:  # the caller died before it was heard
            return
        identity, pid, _, number, _, _, *args = _REQUEST.unpack(request)
        answer = self._judge(Call(self._numbers[number], pid, tuple(args)))
        if answer is None:
            self._sleeping.put(identity)
            # Whoever was judged while others were let go would sleep for ever.
            if self._released:
                self.let_go()
        else:
            self._answer(identity, *answer)

    def _answer(self, identity, value, error, flags):
        # Gone: the caller died, or the whole run and the listener with it.
        with contextlib.suppress(OSError):
            fcntl.ioctl(
                self._listener, _SEND, bytearray(_ANSWER.pack(identity, value, error, flags))
            )

    def _judge(self, call):
        """Value, error and flags of the answer, None to hold the call. Never raises."""
        decision = None
        try:
            _resolve(call)
            if call.path.startswith(self._folder) or call.new_path.startswith(self._folder):
                self.calls.append(call)
                decision = self._decide(call)
        except OSError:  # the caller died meanwhile, or its descriptor is not open
            return 0, 0, _GO_ON
        except BaseException as error:  # noqa: BLE001 (handed to finish())
            self._error = error
            self.kill()
        if isinstance(decision, Hold):
            return None
        if isinstance(decision, Kill):
            self.kill()
        if isinstance(decision, Fail):
            return 0, -decision.errno, 0
        if isinstance(decision, Answer):
            return decision.value, 0, 0
        return 0, 0, _GO_ON


def supervised(*args, timeout_s=None, **how):
    """Runs a command to its end under supervision."""
    return Supervised(*args, **how).finish(timeout_s)


def nth(n, action, *, lasting=False):
    """A `decide` that lets `action(call)` decide the nth call, and every later one if `lasting`."""
    seen = 0

    def decide(call):
        nonlocal seen
        seen += 1
        return action(call) if seen == n or (lasting and seen > n) else None

    return decide
