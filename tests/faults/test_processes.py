"""Processes that die, stop, or hang, and signals: caught in the act, every time.

A run is held at a chosen read of its input, for as long as the test likes, so nothing here depends
on luck. What hangs is the read; the process that reads can be killed or stopped meanwhile.
"""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from support.jobs import BALANCE, BALANCED, COARSEN, DATE, SOURCE, ZOOMIFY, Scene, result_of
from support.program import OUT_OF_MEMORY, finish, not_crashed, one_line, start
from support.system_calls import Hold, Supervised, supervised

pytestmark = pytest.mark.ours

SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGXCPU"]
ENDS_WITHIN_S = 2
NOTICED_WITHIN_S = 5
# Of a sweep over the reads: one for each signal, and not more than a test can hold.
PARTS = 4


class Look:
    """A command that only reads."""

    env = None

    def __init__(self, name):
        self._name = name

    def command(self, _processes):
        return [self._name, SOURCE]


class Held:
    """A run whose input hangs from read number `n` on until it is let go."""

    def __init__(self, job, folder, n=25, args=()):
        self._seen = 0
        self._n = n
        self.reader = None
        self._held = threading.Event()
        self.run = Supervised(
            *job.command(2),
            *args,
            calls=("pread64",),
            folder=folder,
            env=job.env,
            decide=self._hold,
        )
        assert self._held.wait(30), "the run made too few reads"

    def _hold(self, call):
        if not call.path.endswith(SOURCE):
            return None
        self._seen += 1
        if self._seen == self._n:
            self.reader = call.pid
            self._held.set()
        return Hold() if self._seen >= self._n else None

    @property
    def pid(self):
        return self.run.process.pid

    def let_go(self):
        self.run.let_go()

    def finish(self, timeout_s=30):
        return self.run.finish(timeout_s).result


    def is_held_in_a_reader(self):
        """The main process looks at the input as well."""
        return self.reader != self.pid


def reads_of_input(job, folder):
    """In how many reads a run can be held; two processes do not always make as many."""
    done = supervised(*job.command(2), calls=("pread64",), folder=folder, env=job.env)
    assert done.result.code == 0, done.result
    return sum(call.path.endswith(SOURCE) for call in done.calls) - 2


def members(group):
    """Living processes of a process group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] not in "ZX":
                found.append(int(entry.name))
    return found


def ends_within(process, seconds):
    began = time.monotonic()
    process.wait(30)
    took = time.monotonic() - began
    assert took < seconds, f"took {took:.1f} s to end"
    while members(process.pid) and time.monotonic() - began < seconds:
        time.sleep(0.01)
    assert not members(process.pid), "processes left behind"


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("job", [ZOOMIFY, COARSEN, BALANCE], ids=str)
def test_a_signal_while_the_disk_hangs(job, name, tmp_path):
    scene = Scene(job, tmp_path, old=True)
    held = Held(job, tmp_path)
    held.run.process.send_signal(getattr(signal, name))
    ends_within(held.run.process, ENDS_WITHIN_S)
    held.let_go()
    result = held.finish()
    assert result.code == -getattr(signal, name), result
    one_line(result)
    scene.check_state(name)
    scene.check_nothing_else(name)


@pytest.mark.parametrize("n", [1, 3, 40])
def test_a_signal_at_every_stage(n, tmp_path):
    """While the source is described, its rows are proven, its pixels are read."""
    scene = Scene(ZOOMIFY, tmp_path)
    held = Held(ZOOMIFY, tmp_path, n)
    held.run.process.send_signal(signal.SIGTERM)
    ends_within(held.run.process, ENDS_WITHIN_S)
    held.let_go()
    assert held.finish().code == -signal.SIGTERM
    scene.check_nothing_else("SIGTERM")


# Calls of the writing process: how it names them, and which of them are held.
STUCK = {
    "fsync": slice(None),
    "pwrite64": slice(-1, None),
    "pread64": slice(-1, None),
    "rename": slice(-1, None),
}


def own_calls(job, folder, names):
    """The files in which a run's writing process makes such calls, in their order."""
    scene = Scene(job, folder)
    run = supervised(*job.command(2), calls=names, folder=folder, env=job.env)
    assert run.result.code == 0
    return scene, [call.path for call in run.calls if is_own(job, call)]


def is_own(job, call):
    return job.in_place or not call.path.endswith(SOURCE)


def stuck_in(job, folder, name, n):
    """A run whose writing process sits in the nth of these calls."""
    held, go, seen = threading.Event(), threading.Event(), []

    def decide(call):
        if is_own(job, call):
            seen.append(call)
            if len(seen) > n:
                held.set()
                go.wait(60)

    run = Supervised(*job.command(2), calls=[name], folder=folder, env=job.env, decide=decide)
    assert held.wait(30), f"{name} {n} was not made"
    return run, go


@pytest.mark.parametrize("name", STUCK)
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCE], ids=str)
def test_a_signal_in_a_call_that_does_not_end(job, name, tmp_path):
    """A sync takes long on a busy server, and all else when it is dead; the signal comes then."""
    scene, calls = own_calls(job, tmp_path, [name])
    assert calls or job.in_place
    for n in list(range(len(calls)))[STUCK[name]]:
        scene.reset()
        run, go = stuck_in(job, tmp_path, name, n)
        run.process.send_signal(signal.SIGTERM)
        ends_within(run.process, ENDS_WITHIN_S)
        go.set()
        result = run.finish().result
        where = f"{name} {n} of {calls[n]}: {result}"
        assert result.code == -signal.SIGTERM, where
        assert "stopped by a signal" in one_line(result), where
        scene.settle()
        scene.check_state(where)
        scene.check_nothing_else(where)


def test_a_checkpoint_is_saved_by_a_slow_sync(tmp_path):
    """A run that can save its work is given the time to do so."""
    Scene(ZOOMIFY, tmp_path)
    (tmp_path / "work").mkdir()
    args = ("--checkpoint", "work", "--checkpoint-interval", "0")
    begun = threading.Event()

    def decide(call):
        begun.set()
        time.sleep(0.5)

    run = Supervised(
        *ZOOMIFY.command(1), *args, calls=["fsync"], folder=tmp_path, env=DATE, decide=decide
    )
    assert begun.wait(30)
    run.process.send_signal(signal.SIGTERM)
    run.process.wait(30)
    result = run.finish().result
    assert result.code == -signal.SIGTERM, result
    assert "did not end" not in result.err


@pytest.mark.parametrize("command", ["ls", "info", "verify"])
def test_a_signal_ends_a_look(command, tmp_path):
    Scene(ZOOMIFY, tmp_path)
    held = Held(Look(command), tmp_path, 1)
    held.run.process.send_signal(signal.SIGTERM)
    ends_within(held.run.process, ENDS_WITHIN_S)
    held.let_go()
    assert held.finish().code == -signal.SIGTERM


@pytest.mark.parametrize("n", [1, 3, 40])
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, BALANCE], ids=str)
def test_a_killed_reader_is_named(job, n, tmp_path):
    scene = Scene(job, tmp_path, old=True)
    held = Held(job, tmp_path, n)
    os.kill(held.reader, signal.SIGKILL)
    ends_within(held.run.process, NOTICED_WITHIN_S)
    held.let_go()
    result = held.finish()
    line = scene.check_failed_cleanly(result, "reader killed", code=OUT_OF_MEMORY)
    assert "reader" in line and "signal 9" in line and SOURCE in line


def held_at_each_read(job, folder, part):
    """A scene, and the run held in each `PARTS`th read that a reader makes of the input."""
    scene = Scene(job, folder, old=True)
    last = reads_of_input(job, folder)
    assert last > PARTS
    for n in range(1 + part, last + 1, PARTS):
        scene.reset()
        held = Held(job, folder, n)
        if held.is_held_in_a_reader():
            yield scene, held, f"{job}: at read {n} of {last}"
        else:
            held.let_go()
            held.finish()


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN, BALANCE], ids=str)
def test_a_reader_killed_at_every_read(job, part, tmp_path):
    for scene, held, where in held_at_each_read(job, tmp_path, part):
        os.kill(held.reader, signal.SIGKILL)
        ends_within(held.run.process, NOTICED_WITHIN_S)
        held.let_go()
        line = scene.check_failed_cleanly(held.finish(), where, code=OUT_OF_MEMORY)
        assert "reader" in line and "signal 9" in line and SOURCE in line, f"{where}: {line}"


@pytest.mark.long
@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN, BALANCE], ids=str)
def test_a_signal_at_every_read(job, name, tmp_path):
    for scene, held, where in held_at_each_read(job, tmp_path, SIGNALS.index(name)):
        held.run.process.send_signal(getattr(signal, name))
        ends_within(held.run.process, ENDS_WITHIN_S)
        held.let_go()
        result = held.finish()
        assert result.code == -getattr(signal, name), f"{where}: {result}"
        scene.check_state(where)
        scene.check_nothing_else(where)


@pytest.mark.long
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN, BALANCE], ids=str)
def test_stopped_at_many_reads(job, tmp_path):
    for scene, held, where in held_at_each_read(job, tmp_path, 1):
        os.kill(held.reader, signal.SIGSTOP)
        held.let_go()
        time.sleep(0.05)
        os.kill(held.reader, signal.SIGCONT)
        result = held.finish()
        assert result.code == 0, f"{where}: {result}"
        scene.check_state(where)
        assert scene.is_complete(), where


@pytest.mark.long
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, COARSEN, BALANCE], ids=str)
def test_no_orphan_of_a_run_killed_at_any_read(job, tmp_path):
    for scene, held, where in held_at_each_read(job, tmp_path, 2):
        held.run.process.kill()
        ends_within(held.run.process, NOTICED_WITHIN_S)
        held.let_go()
        held.finish()
        scene.settle()
        scene.check_state(where)


def test_nothing_outlives_a_killed_run(tmp_path):
    scene = Scene(ZOOMIFY, tmp_path, old=True)
    held = Held(ZOOMIFY, tmp_path)
    held.run.process.kill()
    ends_within(held.run.process, NOTICED_WITHIN_S)
    held.let_go()
    held.finish()
    scene.check_state("main process killed")


@pytest.mark.parametrize("whole", [True, False], ids=["run", "reader"])
@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, BALANCE], ids=str)
def test_stopped_and_continued(job, whole, tmp_path):
    scene = Scene(job, tmp_path)
    held = Held(job, tmp_path)
    send = (
        (lambda number: os.killpg(held.pid, number))
        if whole
        else (lambda number: os.kill(held.reader, number))
    )
    send(signal.SIGSTOP)
    held.let_go()
    time.sleep(1)
    assert held.run.process.poll() is None
    send(signal.SIGCONT)
    result = not_crashed(held.finish())
    assert result.code == 0, result
    assert scene.is_complete()


@pytest.mark.long
def test_a_hanging_disk_is_spoken_of(tmp_path):
    Scene(ZOOMIFY, tmp_path)
    args = [a for a in ZOOMIFY.args if a != "--quiet"]
    job = type(ZOOMIFY)("talking", tuple(args), ZOOMIFY.output)
    held = Held(job, tmp_path)
    os.kill(held.reader, signal.SIGSTOP)
    time.sleep(30)
    os.kill(held.reader, signal.SIGCONT)
    held.let_go()
    result = held.finish()
    assert result.code == 0
    assert "has sent nothing for 25 s" in result.err


def look_until(stop, path, good, seen):
    while not stop.is_set():
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            continue
        seen.append(data in good)


def rewrites(folder, times):
    scene = Scene(ZOOMIFY, folder, old=True)
    stop, seen = threading.Event(), []
    good = (scene.old, result_of(ZOOMIFY))
    watcher = threading.Thread(target=look_until, args=(stop, folder / ZOOMIFY.output, good, seen))
    watcher.start()
    try:
        for n in range(times):
            if n % 2:
                (folder / "next").write_bytes(scene.old)
                os.replace("next", ZOOMIFY.output)
            assert finish(start(*ZOOMIFY.command(), env=DATE)).code == 0
    finally:
        stop.set()
        watcher.join()
    assert len(seen) > 100 * times
    assert all(seen), f"{seen.count(False)} of {len(seen)} looks saw half a file"


def test_others_never_see_half_a_file(tmp_path):
    rewrites(tmp_path, 10)


@pytest.mark.long
def test_others_never_see_half_a_file_in_many_rewrites(tmp_path):
    rewrites(tmp_path, 200)
