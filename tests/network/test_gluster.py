"""GlusterFS, whose server is killed or frozen in mid-run, and that two hosts use at once.

A killed server fails its clients' calls at once; a held lock is then lost without a word, so nothing may
rest on a lock.
"""

import random
import shutil
import time
from pathlib import Path

import pytest

from support import gluster
from support.jobs import BALANCE, BALANCED, SOURCE, ZOOMIFY, result_of
from support.program import finish, not_crashed, one_line, run, run_ok, start
from support.tally import judged

pytestmark = [pytest.mark.ours, pytest.mark.long]

JOBS = [ZOOMIFY, BALANCED, BALANCE]
ROUNDS = 20
FROZEN_S = 10


@pytest.fixture(autouse=True)
def _needs_gluster():
    reason = gluster.missing()
    if reason:
        pytest.skip(reason)


@pytest.fixture
def server(tmp_path):
    with gluster.Gluster(tmp_path / "gluster", patience_s=4 * FROZEN_S) as up:
        yield up


class Place:
    """A new folder on the server with a job's input, seen by both clients."""

    def __init__(self, job, server, name):
        self.job = job
        self._brick = server.brick / name
        self.one, self.two = server.one / name, server.two / name
        job.prepare()
        self.source = Path(SOURCE).read_bytes()
        self.one.mkdir()
        shutil.move(SOURCE, self.one / SOURCE)

    def start(self, folder=None):
        return start(*self.job.command(2), env=self.job.env, cwd=folder or self.one)

    def check(self, what, *, may_be_old=False):
        """The bytes on the server are right, or what was there, and nothing else is there."""
        judged()
        output = self._brick / self.job.output
        found = output.read_bytes() if output.exists() else None
        old = self.source if self.job.in_place else None
        good = found == result_of(self.job) or (may_be_old and found == old)
        assert good, f"{what}: {self.job.output} is neither old nor complete"
        if not may_be_old:
            left = {p.name for p in self._brick.iterdir()} - {SOURCE, self.job.output}
            assert not left, f"{what}: left {left}"


def seconds_of(job, server):
    place = Place(job, server, "undisturbed")
    began = time.monotonic()
    assert finish(place.start()).code == 0
    place.check("undisturbed")
    return time.monotonic() - began


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_many_runs(job, server):
    for n in range(ROUNDS):
        place = Place(job, server, str(n))
        result = finish(place.start())
        assert result.code == 0, result
        place.check(f"run {n}")


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_a_frozen_server_only_takes_time(job, server):
    moments = random.Random(31)
    seconds = seconds_of(job, server)
    waited = 0
    for n in range(5):
        place = Place(job, server, str(n))
        process = place.start()
        time.sleep(moments.uniform(0, 0.8 * seconds))
        server.freeze()
        time.sleep(FROZEN_S)
        waited += process.poll() is None
        server.thaw()
        result = finish(process)
        assert result.code == 0, result
        place.check(f"frozen in run {n}")
    assert waited > 0, "the server was frozen, and no run minded"


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_a_killed_server_is_a_clean_error(job, server):
    moments = random.Random(32)
    seconds = seconds_of(job, server)
    refused = 0
    for n in range(ROUNDS):
        place = Place(job, server, str(n))
        process = place.start()
        moment = moments.uniform(0, seconds)
        time.sleep(moment)
        server.kill()
        result = not_crashed(finish(process))
        server.start()
        server.wait_for_clients()
        what = f"{job}: server killed after {moment:.3f} s"
        if result.code == 0:
            place.check(what)
            continue
        refused += 1
        assert result.code == 1, f"{what}: {result}"
        line = one_line(result)
        assert any(word in line for word in (SOURCE, job.output, "folder")), f"{what}: {line}"
        if job.in_place:
            run("ls", job.output, cwd=place.one)
        place.check(what, may_be_old=True)
        run_ok(*job.command(2), env=job.env, cwd=place.one)
        place.check(f"{what}, run again")
    assert refused > 0, "the server was killed, and no run minded"


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_two_hosts_and_one_output(job, server):
    moments = random.Random(33)
    for n in range(ROUNDS):
        place = Place(job, server, str(n))
        processes = [place.start(place.one)]
        time.sleep(moments.uniform(0, 0.05))
        processes.append(place.start(place.two))
        results = [not_crashed(finish(process)) for process in processes]
        codes = [result.code for result in results]
        assert 0 in codes and set(codes) <= {0, 1, 75}, results
        for result in results:
            if result.code:
                one_line(result)
        place.check(f"pair {n}")
