"""Every call that changes a file fails in turn, once and from then on: a clean error, nothing left.

A clean error is exit code 1 and one line that names a file and the system's reason; the output is
what it was before. A run may also succeed in spite of a failure, as when a folder cannot be tidied
away; then its output must be complete.
"""

import errno
import os

import pytest

from support.jobs import BALANCE, BALANCED, COARSEN, ZOOMIFY, Scene
from support.program import not_crashed, one_line, refused, run
from support.surroundings import small_disk
from support.system_calls import NAMES, SYNCS, WRITES, Answer, Fail, nth, supervised

pytestmark = pytest.mark.ours

PARTS = 4
TIDYING = ("unlink", "rmdir")


def is_opened_to_write(call):
    return call.name == "openat" and call.args[2] & (os.O_WRONLY | os.O_RDWR) != 0


def run_disturbed(scene, decide=lambda call: None, calls=(*WRITES, *NAMES, *SYNCS, "openat")):
    """The run's calls that change something are put to `decide`."""
    changes = []

    def ask(call):
        if call.name == "openat" and not is_opened_to_write(call):
            return None
        changes.append(call)
        return decide(call)

    done = supervised(
        *scene.job.command(), calls=calls, folder=scene.folder, env=scene.job.env, decide=ask
    )
    return done.result, changes


def check_ending(scene, result, reason, call, where):
    not_crashed(result)
    scene.settle()
    scene.check_state(where)
    if result.code == 0:
        assert scene.is_complete(), f"{where}: success without the output"
    else:
        assert result.code == 1, f"{where}: exit code 1 wanted: {result}"
        line = one_line(result)
        assert reason in line, f"{where}: the reason is missing: {line}"
        named = "folder" if call.name == "mkdir" else os.path.basename(scene.job.output)
        assert named in line, f"{where}: no file is named: {line}"
    if call.name not in TIDYING:
        scene.check_nothing_else(where)


def sweep(job, folder, error, part, step, *, lasting):
    scene = Scene(job, folder, old=part % 2 == 1)
    _, changes = run_disturbed(scene)
    assert len(changes) > 10
    for n in range(1 + part, len(changes) + 1, step):
        scene.reset()
        call = changes[n - 1]
        where = f"{job}: change {n}, {call.name} of {call.path}, fails with {error}"
        # Files that cannot be written can be removed.
        decide = nth(
            n,
            lambda call: Fail(error) if call.name not in TIDYING or not lasting else None,
            lasting=lasting,
        )
        result, _ = run_disturbed(scene, decide)
        check_ending(scene, result, os.strerror(error), call, where)


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("part", range(PARTS))
def test_full_disk_at_every_change(part, lasting, tmp_path):
    sweep(ZOOMIFY, tmp_path, errno.ENOSPC, part, PARTS, lasting=lasting)


@pytest.mark.balance
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("part", range(2))
def test_full_disk_in_place(part, lasting, tmp_path):
    sweep(BALANCE, tmp_path, errno.ENOSPC, part, 4, lasting=lasting)


@pytest.mark.parametrize("error", [errno.EDQUOT, errno.EIO], ids=["EDQUOT", "EIO"])
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN, BALANCE], ids=str)
def test_samples_of_other_errors(job, error, tmp_path):
    sweep(job, tmp_path, error, 3, 16, lasting=False)


@pytest.mark.long
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize(
    "error", [errno.ENOSPC, errno.EDQUOT, errno.EIO], ids=["ENOSPC", "EDQUOT", "EIO"]
)
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN, BALANCE], ids=str)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_error_at_every_change(job, error, lasting, part, tmp_path):
    sweep(job, tmp_path, error, part, PARTS, lasting=lasting)


@pytest.mark.parametrize("job", [ZOOMIFY, COARSEN], ids=str)
def test_a_failing_close_is_a_failed_write(job, tmp_path):
    """Network file systems tell of failed writes when the file is closed.

    Not tried in place: there everything is synced before the close, which has nothing to tell.
    """
    scene = Scene(job, tmp_path)
    written = set()

    def decide(call):
        if call.name == "pwrite64":
            written.add(call.path)
        failing = call.name == "close" and call.path in written
        return Fail(errno.EIO) if failing else None

    result, _ = run_disturbed(scene, decide, calls=("close", "pwrite64"))
    line = scene.check_failed_cleanly(result, "close fails")
    assert os.strerror(errno.EIO) in line


@pytest.mark.parametrize("job", [ZOOMIFY, COARSEN], ids=str)
def test_a_device_that_takes_nothing(job, tmp_path):
    """A write of no bytes, without an error, is not tried for ever."""
    scene = Scene(job, tmp_path)
    decide = nth(3, lambda call: Answer(0) if call.name == "pwrite64" else None, lasting=True)
    result, _ = run_disturbed(scene, decide)
    scene.check_failed_cleanly(result, "writes take nothing")


@pytest.mark.parametrize("size", ["16k", "40k", "64k", "100k"])
def test_a_real_disk_that_is_full(size, tmp_path):
    scene = Scene(ZOOMIFY, tmp_path)
    (tmp_path / "disk").mkdir()
    listing = tmp_path / "left"
    prefix = small_disk(tmp_path / "disk", size, listing)
    args = [a.replace("out.mcool", "disk/out.mcool") for a in scene.job.command()]
    line = one_line(refused(run(*args, prefix=prefix), "space", code=1))
    assert "out.mcool" in line
    assert listing.read_text() == ""
