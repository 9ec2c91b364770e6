"""Every read, open and look at a file fails in turn: a clean error, or no effect at all.

Readers are processes, so failures in them must come back as one line of the command.
"""

import errno
import os

import h5py
import pytest

from support.jobs import BALANCE, BALANCED, COARSEN, SOURCE, ZOOMIFY, Scene
from support.program import not_crashed, one_line
from support.system_calls import LOOKS, READS, Fail, nth, supervised

pytestmark = pytest.mark.ours

PARTS = 4


def run_disturbed(scene, calls, decide=lambda call: None):
    return supervised(
        *scene.job.command(), calls=calls, folder=scene.folder, env=scene.job.env, decide=decide
    )


def check_ending(scene, result, where):
    not_crashed(result)
    scene.settle()
    scene.check_state(where)
    if result.code == 0:
        assert scene.is_complete(), f"{where}: success without the output"
    else:
        assert result.code in (1, 75), f"{where}: exit code 1 wanted: {result}"
        assert "cool" in one_line(result), f"{where}: no file is named: {result}"


def sweep(job, folder, error, calls, part, step, *, lasting):
    scene = Scene(job, folder, old=part % 2 == 1)
    seen = run_disturbed(scene, calls).calls
    assert len(seen) > 20
    for n in range(1 + part, len(seen) + 1, step):
        scene.reset()
        where = f"{job}: {error} at {n}, {seen[n - 1].name} of {seen[n - 1].path}"
        decide = nth(n, lambda call: Fail(error), lasting=lasting)
        result = run_disturbed(scene, calls, decide).result
        check_ending(scene, result, where)
        # What cannot be looked at cannot be tidied away.
        if not lasting:
            scene.check_nothing_else(where)


@pytest.mark.parametrize("part", range(PARTS))
def test_every_read(part, tmp_path):
    sweep(ZOOMIFY, tmp_path, errno.EIO, READS, part, PARTS, lasting=part >= PARTS // 2)


@pytest.mark.parametrize("error", [errno.ESTALE, errno.EMFILE], ids=["ESTALE", "EMFILE"])
def test_opens_and_looks(error, tmp_path):
    sweep(ZOOMIFY, tmp_path, error, LOOKS, 0, 2, lasting=False)


@pytest.mark.parametrize("job", [BALANCED, COARSEN, BALANCE], ids=str)
def test_samples_of_other_jobs(job, tmp_path):
    sweep(job, tmp_path, errno.EIO, (*READS, *LOOKS), 7, 32, lasting=False)


@pytest.mark.long
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize(
    "error", [errno.EIO, errno.ESTALE, errno.EMFILE], ids=["EIO", "ESTALE", "EMFILE"]
)
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN, BALANCE], ids=str)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_error_everywhere(job, error, lasting, part, tmp_path):
    sweep(job, tmp_path, error, (*READS, *LOOKS), part, PARTS, lasting=lasting)


# Of a pyramid; what it prints is the same every time.
QUESTIONS = {
    "ls": ["ls", "-l", SOURCE],
    "info": ["info", f"{SOURCE}::/resolutions/2000"],
    "tree": ["tree", SOURCE],
    "attrs": ["attrs", f"{SOURCE}::/resolutions/1000"],
    "dump": ["dump", "-t", "bins", f"{SOURCE}::/resolutions/1000"],
    "verify": ["verify", "--progress", "none", SOURCE],
}


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_what_cannot_be_read_is_never_taken_for_absent(question, lasting, tmp_path):
    BALANCE.prepare()
    with h5py.File(SOURCE, "r+") as file:
        file["by-soft-link"] = h5py.SoftLink("/resolutions/1000")

    def ask(decide=lambda call: None):
        return supervised(*question, calls=READS, folder=tmp_path, decide=decide)

    right = ask()
    assert right.result.code == 0 and right.result.out
    # Each read once; of reads that all fail from one on, and where there are very many, a sample.
    step = max(3 if lasting else 1, len(right.calls) // 60)
    for n in range(1, len(right.calls) + 1, step):
        result = ask(nth(n, lambda call: Fail(errno.EIO), lasting=lasting)).result
        not_crashed(result)
        where = f"read {n} of {len(right.calls)}: {result}"
        if result.code == 0:
            assert (result.out, result.err) == (right.result.out, right.result.err), where
        else:
            # Nor does it pass for a fault of the map.
            line = one_line(result)
            assert SOURCE in line and os.strerror(errno.EIO) in line, where


def test_the_reason_is_said(tmp_path):
    scene = Scene(ZOOMIFY, tmp_path)

    def decide(call):
        return Fail(errno.EIO) if call.path.endswith("in.cool") else None

    result = run_disturbed(scene, READS, decide).result
    line = scene.check_failed_cleanly(result, "no byte of the input can be read")
    assert "in.cool" in line
    assert os.strerror(errno.EIO) in line
