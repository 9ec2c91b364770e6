"""GlusterFS on the loopback: one server process and two clients, as two hosts would be.

The volume files are written here, so glusterd, its configuration and its ports are not needed: the
server serves one folder, and each client mounts it by FUSE. Needs Debian's glusterfs-server,
glusterfs-client and fuse3, root and /dev/fuse.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

_SERVER = """
volume posix
  type storage/posix
  option directory {folder}/brick
  option health-check-interval 0
end-volume
volume locks
  type features/locks
  subvolumes posix
end-volume
volume brick
  type performance/io-threads
  subvolumes locks
end-volume
volume server
  type protocol/server
  option transport-type tcp
  option transport.address-family inet
  option transport.socket.bind-address 127.0.0.1
  option transport.socket.listen-port {port}
  option auth.addr.brick.allow 127.0.0.1
  subvolumes brick
end-volume
"""
_CLIENT = """
volume client
  type protocol/client
  option transport-type tcp
  option transport.address-family inet
  option remote-host 127.0.0.1
  option remote-port {port}
  option remote-subvolume brick
  option ping-timeout {patience_s}
end-volume
"""
_READY_S = 30


def missing():
    """Why it cannot be used here, or None."""
    for program in ("glusterfsd", "glusterfs", "umount"):
        if shutil.which(program) is None:
            return f"{program} is absent: no GlusterFS was tried"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "/dev/fuse cannot be opened: no GlusterFS was tried"
    return None


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _until(is_ready, what):
    end = time.monotonic() + _READY_S
    while not is_ready():
        assert time.monotonic() < end, f"{what} is not ready after {_READY_S} s"
        time.sleep(0.05)


class Gluster:
    """`one` and `two` are the mounts, `brick` the folder on the server. A context manager.

    Clients give a server up that has not answered for `patience_s` seconds.
    """

    def __init__(self, folder, patience_s):
        self._folder = Path(folder)
        self.brick, self.one, self.two = (self._folder / n for n in ("brick", "one", "two"))
        for place in (self.brick, self.one, self.two):
            place.mkdir(parents=True)
        self._port = _free_port()
        values = {"folder": folder, "port": self._port, "patience_s": patience_s}
        (self._folder / "server.vol").write_text(_SERVER.format(**values))
        (self._folder / "client.vol").write_text(_CLIENT.format(**values))
        self._server = None
        self._clients = []

    def __enter__(self):
        try:
            self.start()
            for place in (self.one, self.two):
                self._clients.append(self._run("glusterfs", "client.vol", place))
                _until(lambda place=place: os.path.ismount(place), f"the mount {place}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._server:
            self.thaw()
        for place in (self.one, self.two):
            if os.path.ismount(place):
                subprocess.run(["umount", "--lazy", place], check=False)
        for process in (*self._clients, self._server):
            if process:
                process.kill()
                process.wait()

    def _run(self, program, volume, *place):
        log = self._folder / f"{program}.log"
        command = [program, "--no-daemon", "-f", self._folder / volume, "-l", log, *place]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), 1):
            return True
        return False

    def start(self):
        self._server = self._run("glusterfsd", "server.vol")
        _until(self._answers, "the server")

    def kill(self):
        self._server.kill()
        self._server.wait()

    def freeze(self):
        self._server.send_signal(signal.SIGSTOP)

    def thaw(self):
        self._server.send_signal(signal.SIGCONT)

    def wait_for_clients(self):
        """Clients find a server that has started again by themselves."""

        def is_seen(place):
            with contextlib.suppress(OSError):
                return set(os.listdir(place)) == set(os.listdir(self.brick)) - {".glusterfs"}
            return False

        for place in (self.one, self.two):
            _until(lambda place=place: is_seen(place), f"the mount {place}")
