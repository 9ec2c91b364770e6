"""What a system may do at any time and what must have no effect on the result.

Reads and writes that carry out less than was asked, and calls that a signal interrupts.
"""

import errno
import random
from pathlib import Path

import pytest

from support.jobs import BALANCE, BALANCED, ZOOMIFY, Scene
from support.system_calls import LOOKS, NAMES, READS, SYNCS, WRITES, Answer, Fail, supervised

pytestmark = pytest.mark.ours


def is_reader(pid):
    return b"--parent-pid=" in Path(f"/proc/{pid}/cmdline").read_bytes()


def short(call):
    """At least a byte, at most half of what was asked."""
    half = max(1, call.length // 2)
    if call.name == "pwrite64" and call.length > 1:
        return Answer(call.write(call.given()[:half]))
    if call.name == "pread64" and call.length > 1:
        return call.hand_over(call.found(half))
    return None


def interrupted():
    """Half of the calls of the process that handles signals are interrupted and did nothing."""
    moments = random.Random(20)

    def decide(call):
        if is_reader(call.pid):
            return None
        return Fail(errno.EINTR) if moments.random() < 0.5 else None

    return decide


def check_no_effect(job, folder, calls, decide):
    scene = Scene(job, folder)
    done = supervised(
        *job.command(2), calls=calls, folder=folder, env=job.env, decide=decide, timeout_s=60
    )
    assert done.result.code == 0, done.result
    assert len(done.calls) > 20
    assert scene.is_complete()
    scene.check_nothing_else("harmless faults")


@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, BALANCE], ids=str)
def test_short_reads_and_writes(job, tmp_path):
    check_no_effect(job, tmp_path, ("pread64", "pwrite64"), short)


@pytest.mark.parametrize(
    "calls", [(*WRITES, *NAMES, *SYNCS), (*READS, *LOOKS)], ids=["changes", "reads"]
)
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, BALANCE], ids=str)
def test_interrupted_calls(job, calls, tmp_path):
    check_no_effect(job, tmp_path, calls, interrupted())
