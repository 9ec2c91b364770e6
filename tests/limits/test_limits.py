"""Running out of memory, address space or descriptors ends a run in one line, or does not matter.

No crash, no hang, no half output: whatever the limit and wherever it strikes.
"""

import os
import re
import resource
import shutil
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from support import program
from support.check import check_pyramid
from support.coolfile import write_map
from support.maps import example_map, make_map
from support.program import finish, one_line, only_files, refused, run, run_ok, start

pytestmark = pytest.mark.ours

SECONDS = 20
LEVELS = [1000, 2000, 10000]
MAP = example_map(311)
ZOOMIFY = ("zoomify", "--quiet", "-r", ",".join(map(str, LEVELS)), "-o", "out.mcool")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_map(tmp_path_factory.mktemp("source") / "in.cool", MAP)


def clean_end(result):
    """Done right or refused in a line; returns whether it was done."""
    if result.code == 0:
        check_pyramid("out.mcool", MAP, LEVELS)
        os.remove("out.mcool")
        only_files(".")
        return True
    one_line(refused(result, code=1))
    only_files(".")
    return False


def limited(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def starts_at_all(prepare):
    """Below some limit the loader itself fails, before a line of ours runs."""
    try:
        return run("--version", before_exec=prepare).code == 0
    except subprocess.SubprocessError:
        return False


@pytest.mark.skipif(program.IS_SANITIZED, reason="sanitizers reserve terabytes of address space")
@pytest.mark.parametrize("processes", ["1", "4"])
def test_address_space(source, processes):
    """From too little to start up to enough, in steps that no allocation is larger than."""
    ends = []
    for megabytes in [*range(20, 260, 12), *range(260, 900, 60)]:
        prepare = limited(resource.RLIMIT_AS, megabytes << 20)
        if not starts_at_all(prepare):
            continue
        result = run(*ZOOMIFY, "-p", processes, source, before_exec=prepare, timeout_s=SECONDS)
        ends.append(clean_end(result))
    assert {False, True} == set(ends), f"the sweep does not reach both ends: {ends}"


def test_descriptors(source):
    ends = []
    for n in range(4, 64, 2):
        prepare = limited(resource.RLIMIT_NOFILE, n)
        if not starts_at_all(prepare):
            continue
        result = run(*ZOOMIFY, "-p", "4", source, before_exec=prepare, timeout_s=SECONDS)
        ends.append(clean_end(result))
    assert {False, True} == set(ends), f"the sweep does not reach both ends: {ends}"


# ----- the Nth allocation fails


@pytest.fixture(scope="session")
def failing_malloc(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler to build the failing malloc with")
    library = tmp_path_factory.mktemp("shim") / "failing_malloc.so"
    source = Path(__file__).with_name("failing_malloc.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return library


# The word that tells a reader's command line from the writer's.
PROCESSES = {"writer": "!--ziggurat-reader", "reader": "--ziggurat-reader"}


def with_failing_malloc(library, process, **more):
    variables = {f"FAIL_MALLOC_{name.upper()}": str(value) for name, value in more.items()}
    return {"LD_PRELOAD": str(library), "FAIL_MALLOC_IN": PROCESSES[process], **variables}


def allocations(library, process, source):
    environment = with_failing_malloc(library, process, count=os.path.abspath("count"))
    run_ok(*ZOOMIFY, "-p", "1", source, env=environment)
    n = int(Path("count").read_text())
    os.remove("count")
    os.remove("out.mcool")
    assert n > 100, "the shim does not see the allocations"
    return n


@pytest.mark.skipif(program.IS_SANITIZED, reason="sanitizers have a malloc of their own")
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from_then_on"])
@pytest.mark.parametrize("process", PROCESSES)
def test_failing_malloc(source, failing_malloc, process, lasting, request):
    n = allocations(failing_malloc, process, source)
    points = n if request.config.getoption("--long") else 30
    for point in sorted({1 + n * i // points for i in range(points)}):
        more = {"at": point, **({"on": 1} if lasting else {})}
        environment = with_failing_malloc(failing_malloc, process, **more)
        result = run(*ZOOMIFY, "-p", "1", source, env=environment, timeout_s=SECONDS)
        try:
            clean_end(result)
        except AssertionError as error:
            raise AssertionError(f"allocation {point} of {n} in the {process}: {error}") from None


# ----- what the plan says about memory holds


def tree_of(pid):
    """The process and all that descend from it."""
    found, waiting = [], [pid]
    while waiting:
        current = waiting.pop()
        found.append(current)
        try:
            for task in Path(f"/proc/{current}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def proportional_bytes(pid):
    """Memory of the process, shared pages divided among those that share them."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def peak_of_tree(process):
    peak = 0
    ended = threading.Event()

    def watch():
        nonlocal peak
        while not ended.wait(0.005):
            peak = max(peak, sum(map(proportional_bytes, tree_of(process.pid))))

    watcher = threading.Thread(target=watch)
    watcher.start()
    result = finish(process)
    ended.set()
    watcher.join()
    return peak, result


def said_bound(arguments):
    plan = run_ok(*arguments, "--dry-run").out
    number, unit = re.search(r"memory at most about ([\d.]+) ([KMG])iB", plan).groups()
    return float(number) * 1024 ** ("KMG".index(unit) + 1)


@pytest.mark.skipif(program.IS_SANITIZED, reason="sanitizers take memory of their own")
@pytest.mark.parametrize("bins", [2_000, 200_000, 2_000_000])
def test_memory_stays_within_what_the_plan_says(bins, tmp_path):
    """Few bins with many pixels, and many bins with few."""
    rng = np.random.default_rng(bins)
    i, j = np.sort(rng.integers(0, bins, (2, 1_500_000)), axis=0)
    key = np.unique(i * bins + j)
    count = rng.integers(1, 1000, len(key)).astype("i4")
    m = make_map({"c": bins * 1000}, 1000, (key // bins, key % bins, count))
    filters = {"compression": "gzip", "compression_opts": 1, "chunks": 50_000}
    write_map("in.cool", m, filters=filters)
    levels = "1000,2000,5000,10000,100000"
    arguments = ("zoomify", "-p", "2", "-r", levels, "-o", "out.mcool", "in.cool")
    bound = said_bound(arguments)
    peak, result = peak_of_tree(start(*arguments))
    assert result.code == 0, result
    assert peak > 10 << 20, "nothing was measured"
    assert peak <= bound, f"{peak >> 20} MiB taken where {bound / (1 << 20):.0f} MiB were said"
