"""The package beside others in one process: HDF5 of other builds, threads, forks, signals."""

import concurrent.futures
import json
import multiprocessing
import os
import signal
import subprocess
import textwrap
import threading
import time
from pathlib import Path

import cooler
import h5py
import numpy as np
import pytest

pytestmark = pytest.mark.ours

DEMO = Path(__file__).resolve().parents[2] / "testdata" / "demo.cool"
TOTAL = 272246


def _total_of_pyramid(out):
    """One whole job; in children, too."""
    import ziggurat

    report = ziggurat.zoomify(DEMO, out, resolutions=[50000, 250000], nproc=1)
    opened = ziggurat.open(f"{out}::resolutions/250000")
    return int(opened.fetch(as_="numpy")["count"].sum()), report.levels[-1].sum


def test_with_an_open_file_of_h5py(ziggurat, tmp_path):
    with h5py.File(DEMO) as held, h5py.File(tmp_path / "own.h5", "w") as own:
        own["x"] = np.arange(1000)
        assert _total_of_pyramid(tmp_path / "a.mcool") == (TOTAL, TOTAL)
        own["y"] = own["x"][:] + 1
        assert held["pixels/count"][:].sum() == TOTAL
    with h5py.File(tmp_path / "own.h5") as own:
        assert own["y"][999] == 1000
    assert cooler.Cooler(f"{tmp_path}/a.mcool::resolutions/50000").info["sum"] == TOTAL


@pytest.mark.parametrize(
    "scope, first",
    [("local", "h5py, ziggurat"), ("local", "ziggurat, h5py"), ("global", "ziggurat, h5py")],
)
def test_two_builds_of_hdf5(python, ziggurat, tmp_path, scope, first):
    """In either order; and where the host asks for one scope of symbols for all, ours stay out."""
    done = _use_both(python, scope, first)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == [str(TOTAL), "2"]


def test_another_hdf5_in_the_way_is_an_error(python, ziggurat, tmp_path):
    """Its symbols are found in place of ours when it came first and shows them to everybody."""
    done = _use_both(python, "global", "h5py, ziggurat")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("ziggurat._errors.")
    assert sorted(os.listdir(tmp_path)) == []


def _use_both(python, scope, first):
    script = f"""
    import os, sys
    if {scope == "global"}:
        sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)
    import {first}
    ziggurat.zoomify({str(DEMO)!r}, "a.mcool", resolutions=[50000])
    with h5py.File("a.mcool") as file:
        print(file["resolutions/50000"].attrs["sum"])
    with h5py.File("b.h5", "w") as file:
        file["x"] = [1, 2, 3]
    loaded = {{line.split()[-1] for line in open("/proc/self/maps") if "libhdf5" in line}}
    print(sum("_hl" not in name for name in loaded))
    """
    return subprocess.run(
        [python, "-c", textwrap.dedent(script)], capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip


def test_nothing_of_hdf5_is_exported(environment):
    package = next(environment.glob("lib/python*/site-packages/ziggurat"))
    for library in (*package.glob("_native*.so"), *package.glob("lib/*.so*")):
        symbols = subprocess.run(
            ["nm", "-D", "-C", "--defined-only", library], capture_output=True, text=True,
            check=True,
        ).stdout.splitlines()  # fmt: skip
        names = [line.split(" ", 2)[2] for line in symbols]
        assert names and not [n for n in names if n.startswith(("H5", "libdeflate", "nanobind"))]


def test_threads(ziggurat, tmp_path):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        outs = [tmp_path / f"{i}.mcool" for i in range(6)]
        assert set(pool.map(_total_of_pyramid, outs)) == {(TOTAL, TOTAL)}
    assert len({out.read_bytes() for out in outs}) == 1 or all(map(ziggurat.verify, outs))


def test_threads_share_a_map(ziggurat):
    opened = ziggurat.open(DEMO)
    expected = {name: opened.fetch(name).sum() for name in opened.chroms}
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        names = list(expected) * 4
        assert list(pool.map(lambda name: opened.fetch(name).sum(), names)) == [
            expected[name] for name in names
        ]


def test_other_threads_run_meanwhile(ziggurat, tmp_path):
    """Without the lock, a counting thread gets on while a long job works."""
    target = tmp_path / "demo.cool"
    target.write_bytes(DEMO.read_bytes())
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    counting = threading.Thread(target=count)
    start = time.monotonic()
    counting.start()
    ziggurat.balance(target, tol=0, max_iters=1500, nproc=1)
    seconds = time.monotonic() - start
    done.set()
    counting.join()
    assert seconds > 0.2, "too short to show anything"
    assert counted[0] > 20 * seconds


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(ziggurat, tmp_path, method):
    """After this process has used both libraries itself."""
    assert _total_of_pyramid(tmp_path / "own.mcool") == (TOTAL, TOTAL)
    with h5py.File(DEMO):
        outs = [str(tmp_path / f"{i}.mcool") for i in range(3)]
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map_async(_total_of_pyramid, outs).get(60) == [(TOTAL, TOTAL)] * 3


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_map_is_used_after_a_fork(ziggurat):
    opened = ziggurat.open(DEMO)
    expected = int(opened.fetch("chr2").sum())
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, str(int(opened.fetch("chr2").sum())).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        assert int(answer.read()) == expected
    os.waitpid(child, 0)
    assert int(opened.fetch("chr2").sum()) == expected


ENDLESS = """
import json, os, sys, time
import ziggurat

print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt as error:
    print(json.dumps({{"raised": type(error).__name__, "at": time.time()}}), flush=True)
print(sorted(os.listdir(".")), ziggurat.verify("demo.cool").sound)
"""
FOREVER = "tol=0, max_iters=2**31 - 1"
CALLS = {
    "balance": f"ziggurat.balance('demo.cool', {FOREVER})",
    "zoomify": f"ziggurat.zoomify('demo.cool', balance=True, balance_args=dict({FOREVER}))",
}


@pytest.mark.parametrize("whole_group", [False, True], ids=["process", "group"])
@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c(python, ziggurat, tmp_path, call, whole_group):
    """As a notebook sends it, to the process, and as a terminal does, to the whole group."""
    (tmp_path / "demo.cool").write_bytes(DEMO.read_bytes())
    process = subprocess.Popen(
        [python, "-c", ENDLESS.format(call=CALLS[call])], stdout=subprocess.PIPE, text=True,
        start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        assert process.poll() is None
        sent = time.time()
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=30)
    finally:
        process.kill()
    told, left = out.splitlines()
    told = json.loads(told)
    assert told["raised"] == "KeyboardInterrupt"
    assert told["at"] - sent < 3, "a second is promised; a busy machine may take longer"
    assert left == "['demo.cool'] True"
