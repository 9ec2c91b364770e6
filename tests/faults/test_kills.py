"""The run is killed at every call that changes a file: the output is absent, old or complete.

Every mutation is visited, not a sample: the run's calls are counted first, then the run is killed
at each in turn, and at writes also in the middle of the write.
"""

import os
import random
import time

import pytest

from support.jobs import BALANCE, BALANCED, COARSEN, RENAME, ZOOMIFY, Scene
from support.program import finish, run, start
from support.system_calls import NAMES, SYNCS, WRITES, Kill, nth, supervised

pytestmark = pytest.mark.ours

MUTATIONS = (*WRITES, *NAMES, *SYNCS)
# A sweep is cut into parts that run side by side.
PARTS = 4


def torn(call):
    """Half of the bytes reach the file."""
    if call.name == "pwrite64":
        call.write(call.given()[: call.length // 2])
    return Kill()


def run_disturbed(scene, decide=lambda call: None):
    return supervised(
        *scene.job.command(),
        calls=MUTATIONS,
        folder=scene.folder,
        env=scene.job.env,
        decide=decide,
    )


def sweep(job, folder, action, part, step):
    scene = Scene(job, folder, old=part % 2 == 1)
    total = len(run_disturbed(scene).calls)
    assert total > 10
    for n in range(1 + part, total + 1, step):
        scene.reset()
        where = f"{job}: killed at change {n} of {total}"
        result = run_disturbed(scene, nth(n, action)).result
        assert result.code == -9, f"{where}: {result}"
        scene.settle()
        scene.check_state(where)
        if n % 8 == part:
            scene.check_rerun(where)


@pytest.mark.parametrize("part", range(PARTS))
def test_at_every_change(part, tmp_path):
    sweep(ZOOMIFY, tmp_path, lambda call: Kill(), part, PARTS)


@pytest.mark.balance
@pytest.mark.parametrize("part", range(PARTS))
def test_at_every_change_in_place(part, tmp_path):
    sweep(BALANCE, tmp_path, lambda call: Kill(), part, PARTS)


@pytest.mark.parametrize("part", range(2))
def test_renaming_in_place(part, tmp_path):
    sweep(RENAME, tmp_path, (lambda call: Kill(), torn)[part], part, 3)


@pytest.mark.parametrize("job", [ZOOMIFY, BALANCE], ids=str)
def test_in_the_middle_of_a_write(job, tmp_path):
    sweep(job, tmp_path, torn, 2, 16)


@pytest.mark.long
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN, BALANCE], ids=str)
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("action", [lambda call: Kill(), torn], ids=["before", "torn"])
def test_every_change_of_every_job(job, part, action, tmp_path):
    sweep(job, tmp_path, action, part, PARTS)


def at_random_moments(job, folder, times, seed):
    rng = random.Random(seed)
    scene = Scene(job, folder, old=True)
    began = time.monotonic()
    run(*job.command(2), env=job.env)
    seconds = time.monotonic() - began
    for _ in range(times):
        scene.reset()
        moment = rng.uniform(0, 1.1 * seconds)
        process = start(*job.command(2), env=job.env)
        time.sleep(moment)
        os.killpg(process.pid, 9)
        finish(process)
        scene.settle()
        scene.check_state(f"{job}: killed after {moment:.3f} s")


@pytest.mark.parametrize("job", [ZOOMIFY, BALANCE], ids=str)
def test_at_random_moments(job, tmp_path):
    at_random_moments(job, tmp_path, 25, seed=5)


@pytest.mark.long
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN, BALANCE], ids=str)
def test_at_many_random_moments(job, tmp_path):
    at_random_moments(job, tmp_path, 250, seed=6)
