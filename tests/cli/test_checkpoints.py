"""Work that survives kills: --checkpoint.

Runs are killed at times swept over their length, with a checkpoint after every span, and the same
command is given again. In the end the output is byte for byte that of a run nobody disturbed, what
was finished was not done again (by the counters of the last run), and the folder is gone.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.coolfile import digest, write_map
from support.large import distinct_keys, write_large_map
from support.maps import example_map
from support.program import finish, one_line, only_files, refused, run, run_ok, start
from support.surroundings import small_disk

pytestmark = pytest.mark.ours

DATE = {"SOURCE_DATE_EPOCH": "1700000000"}
BALANCE = ("--balance", "--balance-args", "--max-iters 20 --min-nnz 2 --mad-max 0")
JOB = ("-r", "1000,2000,5000,10000", *BALANCE)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return write_large_map(tmp_path_factory.mktemp("large") / "large.cool", 6_000_000)


@pytest.fixture(scope="module")
def undisturbed(large, tmp_path_factory):
    """Digest of the output of JOB, and how long it takes."""
    out = tmp_path_factory.mktemp("undisturbed") / "out.mcool"
    begin = time.monotonic()
    run_ok("zoomify", "-q", "-p", "2", *JOB, "-o", out, large, env=DATE)
    return digest(out), time.monotonic() - begin


def zoomify(source, *more, job=JOB, processes=2, interval=0, checkpoint="ck", out="out.mcool"):
    return (
        "zoomify", "--progress", "json", "-p", processes, *job, "--checkpoint", checkpoint,
        "--checkpoint-interval", interval, *more, "-o", out, source,
    )  # fmt: skip


def kill_after(seconds, *command, number=signal.SIGKILL, env=DATE):
    """The result of a run that got the signal then, or was over before."""
    process = start(*command, env=env)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, number)
    return finish(process)


def facts(result):
    """(line of each level, line of the whole) in the report of a run."""
    lines = [json.loads(line) for line in result.err.splitlines() if line.startswith("{")]
    return [x for x in lines if "level" in x], next(x for x in lines if "wrote" in x)


def pixels_of(source):
    import h5py

    with h5py.File(source) as f:
        return f["pixels/count"].shape[0]


def kill_and_finish(source, expected, seconds, rng):
    """Kill runs at random moments until one is through; how many were killed in the act."""
    kills = 0
    while True:
        moment = rng.uniform(0, 1.2 * seconds)
        result = kill_after(moment, *zoomify(source, processes=rng.choice([1, 2, 3])))
        if result.code == 0:
            break
        assert result.code == -signal.SIGKILL, result
        # The last moments of a run are those after its output is in place.
        assert not os.path.exists("out.mcool") or digest("out.mcool") == expected
        kills += 1
        assert kills < 60, "no progress"
    assert digest("out.mcool") == expected
    assert not os.path.exists("ck")
    os.remove("out.mcool")
    return kills


def test_killed_at_random_moments_the_output_is_the_same_bytes(large, undisturbed):
    expected, seconds = undisturbed
    rng = random.Random(5)
    kills = 0
    while kills < 3:
        kills += kill_and_finish(large, expected, seconds, rng)
        seconds *= 0.8  # the undisturbed run may have been a slow one


@pytest.mark.long
def test_killed_at_random_moments_many_times(large, undisturbed):
    expected, seconds = undisturbed
    rng = random.Random(6)
    kills = 0
    while kills < 200:
        kills += kill_and_finish(large, expected, seconds, rng)


def until(condition, process):
    while not condition():
        assert process.poll() is None, finish(process)
        time.sleep(0.002)


def test_what_was_read_is_not_read_again(large, undisturbed):
    process = start(*zoomify(large), env=DATE)
    until(lambda: os.path.exists("ck/source-1.state"), process)
    os.killpg(process.pid, signal.SIGKILL)
    finish(process)
    result = run_ok(*zoomify(large), env=DATE)
    _, whole = facts(result)
    assert "were read before and are not read again" in result.err
    assert 0 < whole["pixels_read"] < pixels_of(large)
    assert digest("out.mcool") == undisturbed[0]


def test_finished_levels_and_weights_are_not_done_again(large, undisturbed):
    process = start(*zoomify(large), env=DATE)
    until(lambda: os.path.exists("ck/1000.weights"), process)
    os.killpg(process.pid, signal.SIGKILL)
    finish(process)
    before = {p.name: p.stat().st_mtime_ns for p in Path("ck").glob("*.level")}
    assert sorted(before) == ["1000.level", "10000.level", "2000.level", "5000.level"]
    levels, whole = facts(run_ok(*zoomify(large), env=DATE))
    assert whole["pixels_read"] == 0
    assert all(level["from_checkpoint"] for level in levels)
    assert levels[0]["weights_from_checkpoint"]
    assert not levels[-1]["weights_from_checkpoint"]
    assert digest("out.mcool") == undisturbed[0]


def test_the_output_does_not_tell_when_or_how_often_the_work_was_begun(tmp_path):
    """Without SOURCE_DATE_EPOCH, with a second between the runs."""
    write_map("in.cool", example_map(98))
    job = ("-r", "2000")
    run_ok("zoomify", "-q", *job, "-o", "whole.mcool", "in.cool")
    for _ in range(20):
        process = start(*zoomify("in.cool", job=job))
        until(lambda: os.path.exists("ck/job") or os.path.exists("out.mcool"), process)
        os.killpg(process.pid, signal.SIGKILL)
        finish(process)
        if os.path.exists("ck/job"):
            break
        shutil.rmtree("ck", ignore_errors=True)
    assert os.path.exists("ck/job"), "every run was over before it could be killed"
    time.sleep(1.1)
    run_ok(*zoomify("in.cool", job=job))
    assert digest("out.mcool") == digest("whole.mcool")


@pytest.fixture(scope="module")
def cut_short(large, tmp_path_factory):
    """Checkpoints as kills left them: in the pass, and while balancing."""
    kept = {}
    for name, sign in (("pass", "source-1.state"), ("weights", "2000.weights")):
        folder = tmp_path_factory.mktemp(name)
        process = start(*zoomify(large), env=DATE, cwd=folder)
        until(lambda f=folder, s=sign: (f / "ck" / s).exists(), process)
        os.killpg(process.pid, signal.SIGKILL)
        finish(process)
        kept[name] = folder / "ck"
    return kept


def test_the_folder_and_the_input_may_be_moved(large, undisturbed, cut_short, tmp_path):
    shutil.copytree(cut_short["pass"], "elsewhere")
    shutil.copyfile(large, "copy.cool")
    result = run_ok(*zoomify("copy.cool", checkpoint="elsewhere", out="other.mcool"), env=DATE)
    assert facts(result)[1]["pixels_read"] < pixels_of(large)
    assert digest("other.mcool") == undisturbed[0]
    only_files(tmp_path, "copy.cool", "other.mcool")


OTHERS = {
    "compression level": ("--compression-level", "5"),
    "duplicates": ("--duplicates", "sum"),
    "resolutions": ("-r", "1000,2000"),
    "balancing of level 5000": ("--balance-args", "5000:--tol 1e-3"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_options_are_refused_with_the_difference(large, cut_short, what):
    shutil.copytree(cut_short["pass"], "ck")
    job = list(JOB)
    more = OTHERS[what]
    if more[0] == "-r":
        job[1], more = more[1], ()
    result = refused(
        run(*zoomify(large, *more, job=job), env=DATE), "another job", code=1, absent=["out.mcool"]
    )
    assert what in result.err and "here" in result.err
    # Nothing was lost by asking.
    run_ok(*zoomify(large), env=DATE)


def test_another_version_is_refused(large, cut_short, undisturbed):
    shutil.copytree(cut_short["pass"], "ck")
    job = bytearray(Path("ck/job").read_bytes())
    at = job.index(b"version of ziggurat: ") + len(b"version of ziggurat: ")
    job[at : at + 1] = b"9"
    import zlib

    job[8:12] = zlib.crc32(bytes(job[12:])).to_bytes(4, "little")
    Path("ck/job").write_bytes(job)
    refused(run(*zoomify(large), env=DATE), "version of ziggurat 9", code=1)


def test_a_changed_input_is_refused(large, cut_short):
    """One byte, the size as before."""
    shutil.copytree(cut_short["pass"], "ck")
    shutil.copyfile(large, "in.cool")
    import h5py

    with h5py.File("in.cool", "r+") as f:
        count = f["pixels/count"]
        count[-1] = count[-1] ^ 1
    result = refused(run(*zoomify("in.cool"), env=DATE), "another job: input 1", code=1)
    assert "CRC" in one_line_of(result)


def one_line_of(result):
    return [line for line in result.err.splitlines() if not line.startswith("{")][-1]


@pytest.mark.parametrize("stage", ["pass", "weights"])
def test_flipped_bytes_are_noticed(large, undisturbed, cut_short, stage):
    """Whatever is flipped: the same bytes in the end, or a refusal that names the file."""
    rng = random.Random(7)
    files = sorted(p.name for p in cut_short[stage].iterdir() if p.name != "owner")
    for name in files:
        shutil.copytree(cut_short[stage], "ck")
        data = bytearray(Path("ck", name).read_bytes())
        # Beyond what the state speaks of, the chunks are cut off: only the beginning counts.
        data[rng.randrange(min(len(data), 20_000))] ^= 1 << rng.randrange(8)
        Path("ck", name).write_bytes(data)
        result = run(*zoomify(large), env=DATE)
        if result.code == 0:
            assert "damaged" in result.err, f"{name}: {result}"
            assert digest("out.mcool") == undisturbed[0], name
            os.remove("out.mcool")
        else:
            assert name == "job", f"{name}: {result}"
            refused(result, "ck/job is damaged: remove", code=1)
            shutil.rmtree("ck")


def test_a_missing_file_is_noticed(large, undisturbed, cut_short):
    shutil.copytree(cut_short["weights"], "ck")
    os.remove("ck/2000.level")
    result = run_ok(*zoomify(large), env=DATE)
    assert "2000.level is damaged" in result.err
    assert facts(result)[1]["pixels_read"] == pixels_of(large)
    assert digest("out.mcool") == undisturbed[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR2], ids=lambda s: s.name)
def test_a_signal_saves_first(large, undisturbed, number):
    """The interval alone would save nothing in this run; the signal goes to all processes."""
    process = start(*zoomify(large, interval=1000), env=DATE)
    # A span is through when its chunks are in the log.
    until(lambda: len(content("ck/source-1.chunks") or b"") > 1_000_000, process)
    os.killpg(process.pid, number)
    result = finish(process, 10)
    assert result.code == (75 if number == signal.SIGUSR2 else -number), result
    assert "checkpoint ck is kept" in one_line_of(result)
    assert not os.path.exists("out.mcool")
    result = run_ok(*zoomify(large), env=DATE)
    assert facts(result)[1]["pixels_read"] < pixels_of(large)
    assert digest("out.mcool") == undisturbed[0]


def test_user_signal_1_saves_and_goes_on(large, undisturbed):
    process = start(*zoomify(large, interval=1000), env=DATE)
    until(lambda: os.path.exists("ck/source-1.chunks"), process)
    os.killpg(process.pid, signal.SIGUSR1)
    until(lambda: os.path.exists("ck/source-1.state"), process)
    assert finish(process).code == 0
    assert digest("out.mcool") == undisturbed[0]


def test_after_a_full_disk_the_work_goes_on(large, undisturbed, tmp_path):
    """The disk with checkpoint and output is full; then everything is moved to a larger one."""
    os.mkdir("disk")
    command = zoomify(large, checkpoint="disk/ck", out="disk/out.mcool")
    keep = ["sh", "-c", '"$@"; code=$?; cp -r disk/ck kept; exit $code', "sh"]
    prefix = small_disk(tmp_path / "disk", "12m", tmp_path / "left")
    result = refused(run(*command, prefix=[*prefix, *keep], env=DATE), "space", code=1)
    assert "disk/ck" in result.err
    os.rename("kept", "disk/ck")
    result = run_ok(*command, env=DATE)
    assert facts(result)[1]["pixels_read"] < pixels_of(large)
    assert digest("disk/out.mcool") == undisturbed[0]
    only_files(tmp_path / "disk", "out.mcool")


def test_the_state_folder_serves_every_job(large, undisturbed, tmp_path):
    """A retry in another folder finds what the first attempt did, and jobs are kept apart."""
    env = {**DATE, "ZIGGURAT_STATE_DIR": str(tmp_path / "state")}
    command = ("zoomify", "--progress", "json", "-p", "2", "--checkpoint-interval", "0", *JOB)
    os.mkdir("first")
    process = start(*command, "-o", "out.mcool", large, env=env, cwd="first")
    until(lambda: list(Path("state").glob("*/source-1.state")), process)
    os.killpg(process.pid, signal.SIGKILL)
    finish(process)
    write_map("in.cool", example_map(98))
    run_ok("zoomify", "-r", "2000", "-o", "small.mcool", "in.cool", env=env)
    os.mkdir("second")
    result = run_ok(*command, "-o", "out.mcool", large, env=env, cwd="second")
    assert facts(result)[1]["pixels_read"] < pixels_of(large)
    assert digest("second/out.mcool") == undisturbed[0]
    assert list(Path("state").iterdir()) == []


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    write_map("in.cool", example_map(98))
    os.mkdir("ck")
    Path("ck/thesis.txt").write_text("mine")
    result = run(*zoomify("in.cool", job=("-r", "2000")))
    refused(result, "thesis.txt.*folder of its own", absent=["out.mcool"])
    only_files("ck", "thesis.txt")


def test_a_second_run_gives_way(large, undisturbed):
    process = start(*zoomify(large), env=DATE)
    until(lambda: os.path.exists("ck/source-1.chunks"), process)
    os.killpg(process.pid, signal.SIGSTOP)
    result = refused(run(*zoomify(large, out="b.mcool"), env=DATE), "in use by process", code=75)
    assert str(process.pid) in result.err
    os.killpg(process.pid, signal.SIGCONT)
    assert finish(process).code == 0
    assert digest("out.mcool") == undisturbed[0]


def content(path):
    try:
        return Path(path).read_bytes()
    except FileNotFoundError:
        return None


@pytest.mark.parametrize(
    "kind", ["sorted", "unsorted", "float", "wide"], ids=lambda k: f"{k}-counts"
)
def test_every_kind_of_map_goes_on_where_it_was(kind, tmp_path):
    """Kept and encoded bases, float sums, columns that become wider: killed after every span."""
    import numpy as np

    from support.maps import make_map

    rng = np.random.default_rng(11)
    nbins = 6000
    key = distinct_keys(rng, nbins * nbins, 2_200_000)
    i, j = key // nbins, key % nbins
    upper = i <= j
    i, j = i[upper], j[upper]
    if kind == "float":
        count = rng.random(len(i)).astype(np.float32)
    elif kind == "wide":
        count = np.where(i < nbins // 2, 1, 2**31 - 1).astype(np.int32)
    else:
        count = rng.integers(1, 1000, len(i)).astype(np.int32)
    m = make_map({"c1": 4_000_000, "c2": 2_000_000}, 1000, (i, j, count))
    if kind == "unsorted":
        order = np.lexsort((-j, i))
        m = m.take(order)
    write_map("in.cool", m)
    job = ("-r", "2000,6000")
    run_ok("zoomify", "-q", *job, "-o", "whole.mcool", "in.cool", env=DATE)
    kills = 0
    while True:
        before = content("ck/source-1.state")
        process = start(*zoomify("in.cool", job=job, processes=1), env=DATE)
        while process.poll() is None:
            if content("ck/source-1.state") not in (before, None):
                os.killpg(process.pid, signal.SIGKILL)
        result = finish(process)
        if result.code == 0:
            break
        assert result.code == -signal.SIGKILL, result
        kills += 1
        assert kills < 40
    assert kills >= 2
    assert digest("out.mcool") == digest("whole.mcool")
