"""Unfriendly surroundings to run a command in: no locks, read-only folders, other readers."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

_NO_LOCKS = Path(__file__).with_name("no_locks.py")


def _works(prefix):
    with contextlib.suppress(OSError):
        return (
            subprocess.call([*prefix, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            == 0
        )
    return False


def without_locks(error):
    """Command prefix under which every file lock fails with this errno."""
    prefix = [sys.executable, str(_NO_LOCKS), str(error)]
    if not _works(prefix):
        pytest.skip("system call filters are not available")
    return prefix


def read_only_folder(folder):
    """Command prefix that runs a command inside `folder`, mounted read-only for it alone."""
    script = (
        'set -e; mount --bind "$0" "$0"; mount -o remount,ro,bind "$0"; cd "$0"; set +e; exec "$@"'
    )
    for unshare in (["unshare", "-m"], ["unshare", "-Urm"]):
        prefix = [*unshare, "sh", "-c", script, str(folder)]
        if _works(prefix):
            return prefix
    pytest.skip("no private mount name space")


def small_disk(folder, size, listing):
    """Command prefix that mounts a file system of this size on `folder` for one command.

    What the command leaves there is listed in the file `listing`, a name a line.
    """
    script = (
        'set -e; mount -t tmpfs -o "size=$1" tmpfs "$0"; listing=$2; folder=$0; shift 2; set +e; '
        '"$@"; code=$?; ls -A "$folder" >"$listing"; exit $code'
    )
    for unshare in (["unshare", "-m"], ["unshare", "-Urm"]):
        prefix = [*unshare, "sh", "-c", script, str(folder), size, str(listing)]
        if _works(prefix):
            return prefix
    pytest.skip("no private mount name space")


@contextlib.contextmanager
def held_open(path):
    """Another process has the HDF5 file open (and locked) meanwhile, as a viewer has."""
    script = "import h5py,sys; f=h5py.File(sys.argv[1]); print('open',flush=True); sys.stdin.read()"
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline().strip() == "open"
        yield
    finally:
        process.communicate(timeout=20)


@contextlib.contextmanager
def control_group(controller, **limits):
    """A cgroup (v1) below our own; yields what moves the calling process into it, for before_exec.

    Names of limits are those of the controller's files without its name: limit_in_bytes=1 << 20.
    """
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    ours = [line.split(":", 2)[2] for line in lines if controller in line.split(":")[1].split(",")]
    if not ours:
        pytest.skip(f"no cgroup of version 1 has the controller {controller}")
    group = Path(f"/sys/fs/cgroup/{controller}{ours[0]}", f"ziggurat-test-{os.getpid()}")
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"cgroups cannot be made here: {error}")
    try:
        for name, value in limits.items():
            (group / f"{controller}.{name}").write_text(str(value))
        yield lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
    finally:
        end = time.monotonic() + 5
        while group.exists() and time.monotonic() < end:
            with contextlib.suppress(OSError):  # the last process may not be gone yet
                group.rmdir()
            time.sleep(0.01)
