"""The arithmetic of the benchmark, what it measures of processes, and one small run of it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import guard
import jobs
import measuring
import pytest
import results
from support import program

pytestmark = pytest.mark.ours

BENCH = Path(__file__).parent / "bench.py"


def perf(*processes):
    """A report in which each process is {stage: busy seconds}."""
    return {
        "processes": [
            {"stages": [{"stage": name, "busy_s": seconds} for name, seconds in stages.items()]}
            for stages in processes
        ]
    }


def run(name, wall_s, cpu_s=1.0, peak_bytes=10, report=None, job="zoomify"):
    return results.Run("5M", job, 2, name, wall_s, cpu_s, peak_bytes, 7, report)


def test_medians_and_ratios_to_the_first_program():
    found = results.summaries(
        [
            run("ziggurat", 1.0, 2.0, 30),
            run("ziggurat", 9.0, 1.0, 50),
            run("ziggurat", 2.0, 4.0, 40),
            run("cooler", 100.0, 5.0),
        ]
    )
    ours, peer = found
    assert (ours.runs, ours.wall_s, ours.cpu_s, ours.peak_bytes) == (3, 2.0, 2.0, 50)
    assert (ours.wall_ratio, ours.cpu_ratio) == (1.0, 1.0)
    assert (peer.runs, peer.wall_ratio, peer.cpu_ratio) == (1, 50.0, 2.5)


def test_jobs_are_compared_apart():
    found = results.summaries(
        [
            run("ziggurat", 1.0),
            run("cooler", 3.0),
            run("ziggurat", 2.0, job="balance"),
            run("cooler", 8.0, job="balance"),
        ]
    )
    assert [s.wall_ratio for s in found] == [1.0, 3.0, 1.0, 4.0]


def test_stages_are_added_over_processes_and_medians_taken_over_runs():
    first = perf({"inflate": 1.0, "pack": 5.0}, {"inflate": 2.0})
    second = perf({"inflate": 7.0})
    third = perf({"inflate": 4.0, "pack": 1.0})
    assert results.busy_seconds(first) == {"inflate": 3.0, "pack": 5.0}
    [summary] = results.summaries([run("ziggurat", 1.0, report=r) for r in (first, second, third)])
    assert summary.stages == {"inflate": 4.0, "pack": 1.0}


def test_the_report_is_found_among_other_lines():
    text = '{"note":"x"}\n{"perf":{"wall_s":1.5,"processes":[]}}\n'
    assert results.perf_of(text) == {"wall_s": 1.5, "processes": []}
    assert results.perf_of("nothing\n") is None


def test_memory_is_proportional():
    assert measuring.proportional_bytes("00 ---p [rollup]\nRss: 9 kB\nPss: 5 kB\n") == 5 * 1024
    assert measuring.proportional_bytes("") == 0


HOLD_MEMORY = """
import subprocess, sys, time
held = b"x" * {bytes}
if sys.argv[1:]: subprocess.run([sys.executable, "-c", sys.argv[1], ], check=True)
time.sleep(0.5)
"""


MEASURE = """
import sys, measuring
one = measuring.run(sys.argv[2:], sys.argv[1])
print(one.wall_s, one.cpu_s, one.peak_bytes)
"""


def measured(tmp_path, *command):
    """Runs measuring.run() in a process of its own, because it adopts and awaits all children."""
    return subprocess.run(
        [sys.executable, "-c", MEASURE, tmp_path / "log", *command],
        env=dict(os.environ, PYTHONPATH=str(BENCH.parent)),
        capture_output=True,
        text=True,
        timeout=program.TIMEOUT_S,
        check=False,
    )


def numbers_of(done):
    assert done.returncode == 0, done.stderr
    return map(float, done.stdout.split())


def test_memory_of_the_whole_tree_is_seen(tmp_path):
    child = HOLD_MEMORY.format(bytes=60 << 20)
    parent = HOLD_MEMORY.format(bytes=50 << 20)
    wall_s, _, peak_bytes = numbers_of(measured(tmp_path, sys.executable, "-c", parent, child))
    assert 110 << 20 <= peak_bytes < 200 << 20
    assert wall_s >= 1.0


def test_time_of_what_outlives_its_parent_is_counted(tmp_path):
    burn = "import time; [None for _ in iter(lambda: time.process_time() > 0.4, True)]"
    start = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {burn!r}])"
    _, cpu_s, _ = numbers_of(measured(tmp_path, sys.executable, "-c", start))
    assert cpu_s >= 0.4


def test_a_program_that_fails_ends_the_benchmark(tmp_path):
    done = measured(tmp_path, "bash", "-c", "echo why >&2; exit 3")
    assert done.returncode != 0 and "ended with 3: why" in done.stderr


def test_levels_are_those_of_the_job():
    assert jobs.SIZES["20M"].all_levels[:2] == [10_000, 20_000]
    assert jobs.SIZES["100M"].all_levels[:3] == [5_000, 10_000, 20_000]
    for size in jobs.SIZES.values():
        assert all(level % size.resolution == 0 for level in size.all_levels)


def test_a_small_run(tmp_path):
    make_map = Path(program.PROGRAM).parent / "make_map"
    if not make_map.exists():
        pytest.skip(f"{make_map} is not built")
    command = [sys.executable, BENCH, "--sizes", "tiny", "--repeats", "2", "--folder", tmp_path]
    done = subprocess.run(
        command,
        env=dict(os.environ, ZIGGURAT=program.PROGRAM),
        capture_output=True,
        text=True,
        timeout=program.TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    written = json.loads((tmp_path / "results.json").read_text())
    ours = [s for s in written["summaries"] if s["program"] == "ziggurat"]
    assert [s["job"] for s in ours] == list(jobs.JOBS)
    assert all(s["runs"] == 2 and s["peak_bytes"] > 1e6 for s in ours)
    assert ours[0]["stages"]["coarsen"] > 0 and ours[1]["stages"]["iterate"] > 0
    peers = [s for s in written["summaries"] if s["program"] == "cooler"]
    assert len(peers) == len(jobs.JOBS) and all(s["wall_ratio"] > 1 for s in peers)
    assert "zoomify+balance, tiny pixels, 2 processes" in done.stdout


def test_the_guard_reads_counts_of_writer_and_reader():
    log = "==12== Command: ziggurat zoomify -q\n==12== noise\n==12== I   refs:      161,752,438\n"
    assert guard.instructions_in(log) == ("Command: ziggurat zoomify -q", 161_752_438)
    killed = "==13== Command: ziggurat --ziggurat-reader --channel-fd=6\n"
    command, count = guard.instructions_in(killed)
    assert "--ziggurat-reader" in command and count is None


def test_the_guard_lets_no_more_than_its_tolerance_pass():
    assert not guard.exceeds(1029, 1000) and guard.exceeds(1031, 1000)
    assert not guard.exceeds(500, 1000)


def test_the_guard_finds_what_grows_faster_than_the_pixels():
    small = {("writer", "store"): 1000, ("writer", "pack"): 10}
    assert guard.faster_than_pixels(small, {("writer", "store"): 4000}, 4) == []
    assert guard.faster_than_pixels(small, {("writer", "pack"): 100}, 4) == []
    [fault] = guard.faster_than_pixels(small, {("writer", "store"): 4100}, 4)
    assert fault.startswith("writer, store: 4100 items")
    [fault] = guard.faster_than_pixels(small, {("writer", "new"): 61}, 4)
    assert "new" in fault
