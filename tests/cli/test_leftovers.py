"""What dead runs left behind is removed by the next run, and nothing else is.

A work folder belongs to the process that its file `owner` names. The folders of dead runs are made
by killing runs; those of live ones, of other hosts and of nobody are written by hand.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.coolfile import digest, write_map
from support.large import write_large_map
from support.maps import example_map
from support.program import finish, one_line, only_files, run, run_ok, start

pytestmark = pytest.mark.ours

DAY_S = 24 * 3600


def put():
    write_map("in.cool", example_map(98))


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return write_large_map(tmp_path_factory.mktemp("large") / "large.cool")


def caught(source, *options, quiet=False):
    """A run whose work folder is there, and that folder."""
    process = start("zoomify", *["-q"][: quiet], *options, "-o", "out.mcool", source)
    folder = Path(options[1]) if "--tmpdir" in options else Path()
    while True:
        found = [f for f in work_folders(folder) if (f / "owner").exists()]
        if found and (found[0] / "owner").stat().st_size > 0:
            return process, found[0]
        assert process.poll() is None, finish(process)


def work_folders(folder="."):
    return sorted(p for p in Path(folder).iterdir() if ".ziggurat-" in p.name)


def killed_run(source, *options):
    """Kill a run while its work folder is there; the folder."""
    process, folder = caught(source, *options)
    os.killpg(process.pid, signal.SIGKILL)
    finish(process)
    return folder


@pytest.mark.parametrize("options", [(), ("--tmpdir", "levels")], ids=["beside", "tmpdir"])
def test_the_next_run_removes_what_a_dead_one_left(large, tmp_path, options):
    put()
    if options:
        os.mkdir("levels")
    left = killed_run(large, *options)
    result = run_ok("zoomify", "-r", "2000", *options, "-o", "out.mcool", "in.cool")
    assert re.search(rf"removed \S*/{re.escape(left.name)}, left by a run", result.err), result
    only_files(tmp_path, "in.cool", "out.mcool", *(["levels"] if options else []))
    assert not work_folders(options[1] if options else ".")


def test_a_run_that_was_killed_twenty_times_leaves_nothing_in_the_end(large, tmp_path):
    put()
    for i in range(20):
        process = start("zoomify", "-o", "out.mcool", large)
        time.sleep(0.01 * i)
        os.killpg(process.pid, signal.SIGKILL)
        finish(process)
    # A run that dies between making its folder and writing the owner's name leaves it empty, or
    # with an owner file that is.
    for folder in work_folders():
        for path in [*folder.glob("owner"), folder]:
            age(path, 3 * DAY_S)
    run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    only_files(tmp_path, "in.cool", "out.mcool")


def owner_text(pid, *, boot=None, spaces=None, started=None):
    boot = boot or Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    spaces = spaces or f"{os.readlink('/proc/self/ns/pid')} {os.readlink('/proc/self/ns/time')}"
    if started is None:
        started = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[19]
    return f"host {socket.gethostname()}\nboot {boot}\nspaces {spaces}\npid {pid}\nstarted {started}\n"


def age(path, seconds):
    then = time.time() - seconds
    os.utime(path, (then, then))


def folder_of(owner, age_s=0, name=".out.mcool.ziggurat-aB3dE6"):
    folder = Path(name)
    folder.mkdir()
    (folder / "1000.level").write_text("much")
    (folder / "deep").mkdir()
    (folder / "deep" / "file").write_text("more")
    if owner is not None:
        (folder / "owner").write_text(owner)
        age(folder / "owner", age_s)
    return folder


ELSEWHERE = {"boot": "11111111-2222-3333-4444-555555555555"}
CONTAINER = {"spaces": "pid:[1] time:[2]"}


@pytest.mark.parametrize(
    ("how", "age_s", "stays"),
    [
        ({}, 100 * DAY_S, True),  # alive: however old
        ({"started": 1}, 0, False),  # the pid was given again
        (ELSEWHERE, 1 * DAY_S, True),
        (ELSEWHERE, 3 * DAY_S, False),
        (CONTAINER, 1 * DAY_S, True),
        (CONTAINER, 3 * DAY_S, False),
    ],
    ids=["alive", "pid-reused", "host", "host-old", "container", "container-old"],
)
def test_the_folder_of_a_live_run_stays(how, age_s, stays):
    put()
    folder = folder_of(owner_text(os.getpid(), **how), age_s)
    run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    assert folder.exists() == stays
    if stays:
        assert (folder / "deep" / "file").read_text() == "more"


@pytest.mark.parametrize(
    ("age_s", "holds", "stays"),
    [(1800, None, True), (2 * 3600, None, False), (100 * DAY_S, "something", True)],
    ids=["young", "old", "not-empty"],
)
def test_a_folder_without_an_owner_goes_when_it_is_empty_and_old(age_s, holds, stays):
    put()
    folder = Path(".out.mcool.ziggurat-aB3dE6")
    folder.mkdir()
    if holds:
        (folder / holds).write_text("mine")
    age(folder, age_s)
    run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    assert folder.exists() == stays


@pytest.mark.parametrize(("age_s", "stays"), [(1 * DAY_S, True), (3 * DAY_S, False)])
def test_an_owner_file_that_a_power_cut_emptied(age_s, stays):
    put()
    folder = folder_of("", age_s)
    run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    assert folder.exists() == stays


def test_what_only_looks_like_a_leftover_stays(tmp_path):
    put()
    dead = owner_text(os.getpid(), started=1)
    decoys = {
        "no owner": folder_of(None, name=".out.mcool.ziggurat-aaaaaa"),
        "an owner file of another kind": folder_of("me\n", name=".out.mcool.ziggurat-bbbbbb"),
        "owner cut off": folder_of(dead[:-5], name=".out.mcool.ziggurat-cccccc"),
        "a group for kill": folder_of(
            re.sub(r"pid \d+\n", "pid -1\n", dead), name=".out.mcool.ziggurat-dddddd"
        ),
        "of another output": folder_of(dead, name=".other.mcool.ziggurat-eeeeee"),
        "a longer name": folder_of(dead, name=".out.mcool.ziggurat-ffffffff"),
    }
    target = folder_of(dead, name="mine")
    os.symlink("mine", ".out.mcool.ziggurat-gggggg")
    before = {name: sorted(os.listdir(folder)) for name, folder in decoys.items()}
    run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    for name, folder in decoys.items():
        assert sorted(os.listdir(folder)) == before[name], name
        assert (folder / "deep" / "file").read_text() == "more", name
    assert (target / "deep" / "file").read_text() == "more"
    assert os.path.islink(".out.mcool.ziggurat-gggggg")


def test_a_running_run_is_not_disturbed_by_another(large, tmp_path):
    """Its folder is there and its processes are stopped: nothing looks more dead and is not."""
    put()
    process, folder = caught(large)
    os.killpg(process.pid, signal.SIGSTOP)
    run_ok("zoomify", "-r", "2000,4000", "-o", "out.mcool", "in.cool")
    assert folder.exists()
    os.killpg(process.pid, signal.SIGCONT)
    assert finish(process).code == 0
    only_files(tmp_path, "in.cool", "out.mcool")


@pytest.mark.parametrize("group", [False, True], ids=["process", "group"])
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGQUIT, -signal.SIGQUIT), (signal.SIGUSR2, 75)]
)
def test_a_signal_to_end_leaves_nothing(large, number, code, group, tmp_path):
    process, _ = caught(large, quiet=True)
    (os.killpg if group else os.kill)(process.pid, number)
    result = finish(process, 10)
    assert result.code == code, result
    assert "stopped by a signal" in one_line(result)
    only_files(tmp_path)


def test_user_signal_1_is_answered_and_the_run_goes_on(large, tmp_path):
    process, _ = caught(large, quiet=True)
    os.killpg(process.pid, signal.SIGUSR1)
    result = finish(process)
    assert result.code == 0, result
    assert re.search(r"starting|coarsening|assembling|large\.cool", one_line(result))
    only_files(tmp_path, "out.mcool")


@pytest.mark.parametrize("mode", [0o664, 0o600, 0o444])
@pytest.mark.parametrize("command", ["zoomify", "append"])
def test_a_replaced_output_keeps_its_permissions(mode, command):
    put()
    if command == "zoomify":
        Path("out").write_text("old")
        args = ("zoomify", "-r", "2000", "-o", "out", "in.cool")
    else:
        shutil.copy("in.cool", "out")
        args = ("coarsen", "-a", "-k", "2", "-o", "out::/coarse", "in.cool")
    os.chmod("out", mode)
    run_ok(*args)
    assert os.stat("out").st_mode & 0o777 == mode


def test_a_new_output_has_the_permissions_of_any_new_file():
    put()
    before = os.umask(0o027)
    try:
        run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    finally:
        os.umask(before)
    assert os.stat("out.mcool").st_mode & 0o777 == 0o640


HOLD = "import fcntl,sys;f=open(sys.argv[1]);fcntl.flock(f,fcntl.LOCK_SH);print(flush=True);input()"


def test_waiting_for_a_lock_is_said_and_ends_when_it_is_free():
    put()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, "in.cool"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    holder.stdout.readline()
    process = start("balance", "--min-nnz", "2", "--mad-max", "0", "in.cool")
    line = ""
    while "locked by another program: waiting up to 60 s" not in line:
        line = process.stderr.readline()
        assert line, finish(process)
    assert process.poll() is None
    holder.communicate(b"\n")
    assert finish(process).code == 0


def test_a_signal_ends_the_wait_for_a_lock():
    put()
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, "in.cool"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    holder.stdout.readline()
    process = start("balance", "--min-nnz", "2", "--mad-max", "0", "in.cool")
    line = ""
    while "waiting up to" not in line:
        line = process.stderr.readline()
        assert line, finish(process)
    process.send_signal(signal.SIGTERM)
    assert finish(process, 2).code == -signal.SIGTERM
    holder.communicate(b"\n")
    assert run("balance", "--check", "in.cool").code == 1


@pytest.mark.parametrize("killed", [False, True], ids=["undisturbed", "one-killed"])
def test_sixteen_identical_commands(killed, tmp_path):
    """All that live end well, with the same whole output, and nothing stays beside it."""
    write_map("in.cool", example_map(98))
    env = {"SOURCE_DATE_EPOCH": "1700000000"}
    job = ("-q", "-p", "1", "-r", "2000,4000", "--balance")
    run_ok("zoomify", *job, "-o", "alone.mcool", "in.cool", env=env)
    runs = [start("zoomify", *job, "-o", "out.mcool", "in.cool", env=env) for _ in range(16)]
    if killed:
        os.killpg(runs[8].pid, signal.SIGKILL)
    results = [finish(process) for process in runs]
    assert [r.code for i, r in enumerate(results) if not killed or i != 8] == [0] * (16 - killed)
    assert digest("out.mcool") == digest("alone.mcool")
    run_ok("zoomify", *job, "-o", "out.mcool", "in.cool", env=env)
    assert digest("out.mcool") == digest("alone.mcool")
    left = [p for p in tmp_path.iterdir() if p.name not in ("in.cool", "alone.mcool", "out.mcool")]
    # One that died before it could say whose its folder is has left it empty.
    assert all(killed and not list(folder.iterdir()) for folder in left), left


def test_pairs_on_one_output_and_two_jobs_on_one_input(tmp_path):
    """Two different jobs for one output: the output is one of the two, whole."""
    write_map("in.cool", example_map(98))
    env = {"SOURCE_DATE_EPOCH": "1700000000"}
    jobs = [("-r", "2000"), ("-r", "2000,4000,8000")]
    alone = []
    for i, job in enumerate(jobs):
        run_ok("zoomify", "-q", *job, "-o", f"alone{i}", "in.cool", env=env)
        alone.append(digest(f"alone{i}"))
    for _ in range(10):
        pair = [start("zoomify", "-q", *job, "-o", "out", "in.cool", env=env) for job in jobs]
        assert [finish(process).code for process in pair] == [0, 0]
        assert digest("out") in alone
    only_files(tmp_path, "in.cool", "out", "alone0", "alone1")
