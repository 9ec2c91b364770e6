"""Storage that lies: a bit is flipped on its way, or a write is lost, and no call fails.

Success must mean the right result, so every such fault has to be noticed where it matters.
"""

import pytest

from support.jobs import BALANCED, COARSEN, ZOOMIFY, Scene
from support.program import not_crashed, one_line
from support.system_calls import Answer, nth, supervised

pytestmark = pytest.mark.ours

PARTS = 2


def flipped(data, at):
    changed = bytearray(data)
    if changed:
        changed[at % len(changed)] ^= 1 << at % 8
    return bytes(changed)


def lost_write(call):
    return Answer(call.length)


def flip_in_write(call):
    return Answer(call.write(flipped(call.given(), call.offset // 7 + 3)))


def flip_in_read(call):
    return call.hand_over(flipped(call.found(), call.offset // 7 + 3))


def run_disturbed(scene, kind, decide=lambda call: None):
    seen = []

    def ask(call):
        seen.append(call)
        return decide(call)

    done = supervised(
        *scene.job.command(), calls=(kind,), folder=scene.folder, env=scene.job.env, decide=ask
    )
    return done.result, len(seen)


def sweep(job, folder, kind, action, part, step):
    scene = Scene(job, folder, old=True)
    _, total = run_disturbed(scene, kind)
    assert total > 5
    for n in range(1 + part, total + 1, step):
        scene.reset()
        where = f"{job}: {action.__name__} at {n} of {total}"
        result, _ = run_disturbed(scene, kind, nth(n, action))
        not_crashed(result)
        assert result.code in (0, 1), f"{where}: {result}"
        if result.code == 0:
            assert scene.is_complete(), f"{where}: a wrong result passed for right"
        else:
            one_line(result)
        scene.check_state(where)


@pytest.mark.parametrize("action", [lost_write, flip_in_write])
@pytest.mark.parametrize("part", range(PARTS))
def test_writes(action, part, tmp_path):
    sweep(ZOOMIFY, tmp_path, "pwrite64", action, part, PARTS)


@pytest.mark.parametrize("part", range(PARTS))
def test_reads(part, tmp_path):
    """Of the input, whose chunks carry checksums, and of our own files."""
    sweep(ZOOMIFY, tmp_path, "pread64", flip_in_read, part, PARTS)


@pytest.mark.parametrize("job", [BALANCED, COARSEN], ids=str)
@pytest.mark.parametrize("action", [lost_write, flip_in_write])
def test_samples_of_other_jobs(job, action, tmp_path):
    sweep(job, tmp_path, "pwrite64", action, 3, 12)


@pytest.mark.long
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN], ids=str)
@pytest.mark.parametrize("action", [lost_write, flip_in_write, flip_in_read])
@pytest.mark.parametrize("part", range(PARTS))
def test_every_call_of_every_job(job, action, part, tmp_path):
    kind = "pread64" if action is flip_in_read else "pwrite64"
    sweep(job, tmp_path, kind, action, part, PARTS)
