"""Interrupted runs: signals, killed readers, inputs that change, full disks.

In every case the command ends soon, says why in a line, and leaves neither an output nor anything
else behind. A run is caught in the act by waiting for its first reader process; where the run was
over before the blow fell, the attempt is repeated with the next delay.
"""

import os
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from support.check import check_pyramid
from support.coolfile import digest, write_map
from support.large import write_large_map
from support.maps import example_map
from support.program import OUT_OF_MEMORY, finish, one_line, only_files, refused, run, run_ok, start
from support.surroundings import small_disk

pytestmark = pytest.mark.ours

END_WITHIN_S = 10
ATTEMPTS = 8


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return write_large_map(tmp_path_factory.mktemp("large") / "large.cool")


def children(pid):
    try:
        return [
            int(p)
            for t in Path(f"/proc/{pid}/task").iterdir()
            for p in (t / "children").read_text().split()
        ]
    except FileNotFoundError:
        return []


def first_reader(process):
    """Pid of a reader of the run, once there is one; None when the run is over."""
    while process.poll() is None:
        found = children(process.pid)
        if found:
            return found[0]
        time.sleep(0.001)
    return None


def interrupted(blow, source):
    """Start a run, let `blow(process, reader)` fall in mid-run; the result of a run it hit."""
    for attempt in range(ATTEMPTS):
        process = start("zoomify", "--quiet", "-p", "2", "-o", "out.mcool", source)
        reader = first_reader(process)
        time.sleep(0.005 * attempt)
        if reader is not None and process.poll() is None:
            blow(process, reader)
        result = finish(process, END_WITHIN_S)
        assert result.code is not None, f"no end after the blow: {result}"
        if result.code != 0:
            return result
        os.remove("out.mcool")
    pytest.skip("every run was over before it could be interrupted")


def gone(pids):
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda s: s.name
)
def test_a_signal_leaves_nothing(large, number, tmp_path):
    readers = []

    def blow(process, reader):
        readers.extend(children(process.pid))
        process.send_signal(number)

    result = interrupted(blow, large)
    assert result.code in (-number, 128 + number), result
    only_files(tmp_path)
    assert gone(readers), "orphans"


def test_a_killed_run_leaves_no_orphans_and_no_output(large):
    readers = []

    def blow(process, reader):
        readers.extend(children(process.pid))
        process.kill()

    assert interrupted(blow, large).code == -signal.SIGKILL
    assert gone(readers), "orphans"
    assert not os.path.exists("out.mcool")


def test_the_next_run_is_not_hindered_by_a_killed_one(tmp_path):
    m = example_map(98)
    write_map("in.cool", m)
    process = start("zoomify", "-o", "out.mcool", "in.cool")
    process.kill()
    finish(process)
    run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    check_pyramid("out.mcool", m, [2000])


def test_a_killed_reader_ends_the_run(large, tmp_path):
    result = interrupted(lambda process, reader: os.kill(reader, signal.SIGKILL), large)
    line = one_line(refused(result, "reader.*memory", code=OUT_OF_MEMORY))
    assert "large.cool" in line
    only_files(tmp_path)


@pytest.mark.parametrize(
    "args",
    [("zoomify", "-o", "out.mcool", "in.cool"), ("merge", "out.mcool", "in.cool", "other.cool")],
    ids=["zoomify", "merge"],
)
def test_an_input_that_changes_is_refused(tmp_path, args):
    m = example_map(99)
    write_map("in.cool", m)
    write_map("other.cool", m)
    for _ in range(ATTEMPTS):
        process = start(*args, "--quiet")
        if first_reader(process) is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGSTOP)
            now = time.time() + 5
            os.utime("in.cool", (now, now))
            os.killpg(process.pid, signal.SIGCONT)
        result = finish(process)
        if result.code != 0:
            line = one_line(refused(result, "chang|modif", code=1))
            assert "in.cool" in line
            only_files(tmp_path, "in.cool", "other.cool")
            return
        os.remove("out.mcool")
    pytest.skip("every run was over before its input could be changed")


def test_files_of_others_are_left_alone(tmp_path):
    write_map("in.cool", example_map(98))
    decoys = ["out.mcool.part", ".out.mcool.part-1", ".out.mcool.ziggurat", "notes.txt", "0.cool"]
    for name in decoys:
        (tmp_path / name).write_text(f"content of {name}")
    (tmp_path / "1000").mkdir()
    (tmp_path / "1000" / "level.cool").write_text("mine")
    run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    only_files(tmp_path, "in.cool", "out.mcool", "1000", *decoys)
    assert all((tmp_path / name).read_text() == f"content of {name}" for name in decoys)
    assert (tmp_path / "1000" / "level.cool").read_text() == "mine"


def test_an_input_without_write_permission(tmp_path):
    m = example_map(98)
    write_map("in.cool", m)
    os.chmod("in.cool", 0o444)
    before = digest("in.cool"), os.stat("in.cool").st_mtime_ns
    run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    assert (digest("in.cool"), os.stat("in.cool").st_mtime_ns) == before
    check_pyramid("out.mcool", m, [2000])


def test_a_failed_run_leaves_the_old_output(tmp_path):
    (tmp_path / "out.mcool").write_text("what was there before")
    m = example_map(98)
    write_map("bad.cool", m.with_columns(count=np.full(m.nnz, np.nan)))
    refused(run("zoomify", "-r", "2000", "-o", "out.mcool", "bad.cool"), "nan", code=1)
    assert (tmp_path / "out.mcool").read_text() == "what was there before"


@pytest.mark.parametrize("size", ["16k", "64k", "512k", "1m"])
def test_a_full_disk_is_a_clean_error(large, size, tmp_path):
    (tmp_path / "out").mkdir()
    prefix = small_disk(tmp_path / "out", size, tmp_path / "left")
    result = run("zoomify", "--quiet", "-o", "out/out.mcool", large, prefix=prefix)
    line = one_line(refused(result, "space", code=1))
    assert "out.mcool" in line
    assert (tmp_path / "left").read_text() == ""


@pytest.mark.parametrize("limit", [0, 4096, 50_000, 300_000, 1_000_000])
def test_a_limit_on_file_sizes_is_a_clean_error(large, limit, tmp_path):
    """Its signal must not end the run. The limit counts for shared memory too."""
    if shutil.which("prlimit") is None:
        pytest.skip("prlimit is absent")
    result = run(
        "zoomify", "--quiet", "-o", "out.mcool", large, prefix=["prlimit", f"--fsize={limit}"]
    )
    one_line(refused(result, "large|limit", code=1))
    only_files(tmp_path)
