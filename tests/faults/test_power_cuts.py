"""The power fails after every change of a run: the output is absent, old or complete.

And when a run has said that it succeeded, its output is on the disk for good. What a disk may hold
at each moment is worked out from a journal of the run's changes (support/power_cuts.py).
"""

import random

import pytest

from support.jobs import BALANCE, BALANCED, COARSEN, ZOOMIFY, Scene, result_of
from support.power_cuts import Journal
from support.program import run
from support.system_calls import NAMES, SYNCS, WRITES, supervised
from support.tally import judged

pytestmark = pytest.mark.ours


def journal_of(job, folder, *, old):
    scene = Scene(job, folder, old=old)
    journal = Journal(folder)
    done = supervised(
        *job.command(),
        calls=(*WRITES, *NAMES, *SYNCS, "openat"),
        folder=folder,
        env=job.env,
        decide=journal.note,
    )
    assert done.result.code == 0, done.result
    assert len(journal.changes) > 10
    return scene, journal


def check_every_change(job, folder, *, old, torn):
    scene, journal = journal_of(job, folder, old=old)
    rng = random.Random(7)
    good = (scene.old, result_of(job))
    for n in range(len(journal.changes) + 1):
        for policy, files in journal.states(n, rng, torn):
            judged()
            where = f"{job}: power cut after change {n}, {journal.changes[n - 1]}, {policy}"
            assert files.get(job.output) in good, where[:300]
            assert files["in.cool"] == scene.source, where[:300]


@pytest.mark.parametrize("old", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN], ids=str)
def test_after_every_change(job, old, tmp_path):
    check_every_change(job, tmp_path, old=old, torn=3)


@pytest.mark.long
@pytest.mark.parametrize("old", [False, True], ids=["new", "replaced"])
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN], ids=str)
def test_many_states_after_every_change(job, old, tmp_path):
    check_every_change(job, tmp_path, old=old, torn=60)


@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN, BALANCE], ids=str)
def test_success_is_durable(job, tmp_path):
    _, journal = journal_of(job, tmp_path, old=True)
    for policy, files in journal.states(len(journal.changes), random.Random(8)):
        judged()
        assert files[job.output] == result_of(job), policy


def check_in_place(folder, step, torn):
    """After a cut in mid-change the next command settles the file: old or new, nothing between."""
    scene, journal = journal_of(BALANCE, folder, old=True)
    rng = random.Random(9)
    for n in range(0, len(journal.changes) + 1, step):
        for policy, files in journal.states(n, rng, torn):
            scene.reset()
            for name, data in files.items():
                (folder / name).write_bytes(data)
            run("ls", BALANCE.output)
            scene.check_state(f"power cut after change {n}, {policy}")
            scene.check_nothing_else(f"power cut after change {n}, {policy}")


@pytest.mark.balance
def test_in_place(tmp_path):
    check_in_place(tmp_path, 4, torn=2)


@pytest.mark.long
@pytest.mark.balance
def test_in_place_after_every_change(tmp_path):
    check_in_place(tmp_path, 1, torn=30)
