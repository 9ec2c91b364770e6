"""No run depends on file locks: none is asked for on any file of a run, whatever HDF5 is told.

Only the change of somebody's file in place asks for a lock, and does without if it cannot be had.
"""

import errno

import pytest

from support.jobs import BALANCE, BALANCED, COARSEN, ZOOMIFY, Scene
from support.seccomp import LOCK_COMMANDS
from support.system_calls import LOCKS, Fail, supervised

pytestmark = pytest.mark.ours

SETTINGS = {
    "unset": {},
    "TRUE": {"HDF5_USE_FILE_LOCKING": "TRUE"},
    "BEST_EFFORT": {"HDF5_USE_FILE_LOCKING": "BEST_EFFORT"},
    "FALSE": {"HDF5_USE_FILE_LOCKING": "FALSE"},
}
ERRORS = ("EAGAIN", "ENOLCK", "ENOSYS", "EOPNOTSUPP", "EIO")


def is_lock(call):
    return call.name == "flock" or call.args[1] in LOCK_COMMANDS


def run_watched(job, folder, setting, decide=lambda call: None):
    done = supervised(
        *job.command(2),
        calls=LOCKS,
        folder=folder,
        env={**job.env, **SETTINGS[setting]},
        decide=lambda call: decide(call) if is_lock(call) else None,
    )
    assert done.result.code == 0, done.result
    return [call for call in done.calls if is_lock(call)]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN], ids=str)
def test_no_lock_is_asked_for(job, setting, tmp_path):
    scene = Scene(job, tmp_path)
    locks = run_watched(job, tmp_path, setting)
    assert not locks, [(call.name, call.path) for call in locks]
    assert scene.is_complete()


@pytest.mark.parametrize("setting", SETTINGS)
def test_one_lock_in_place(setting, tmp_path):
    Scene(BALANCE, tmp_path)
    locks = run_watched(BALANCE, tmp_path, setting)
    assert [call.path for call in locks] == [str(tmp_path / "in.cool")]


@pytest.mark.parametrize("error", [e for e in ERRORS if e != "EAGAIN"])  # that one says "held"
def test_a_lock_that_cannot_be_had_is_done_without(error, tmp_path):
    scene = Scene(BALANCE, tmp_path)
    assert run_watched(BALANCE, tmp_path, "TRUE", lambda call: Fail(getattr(errno, error)))
    assert scene.is_complete()


@pytest.mark.parametrize("error", ERRORS)
def test_locks_that_fail_do_not_matter(error, tmp_path):
    scene = Scene(ZOOMIFY, tmp_path)
    run_watched(ZOOMIFY, tmp_path, "TRUE", lambda call: Fail(getattr(errno, error)))
    assert scene.is_complete()
