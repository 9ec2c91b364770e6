"""Runs commands and measures them: wall time, CPU time, and peak memory of the whole process tree.

CPU time is user + system of every process below, also of those that outlive their parent: this
process adopts them. Memory is the sum of the tree's proportional set sizes, in which a page that n
processes share counts once and not n times. It is sampled, 10 to 100 times a second and with about
2 % of one core, so a peak of a few milliseconds may be missed.
"""

import ctypes
import os
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
SHORTEST_PAUSE_S = 0.01
LONGEST_PAUSE_S = 0.1
PAUSES_A_SAMPLE = 50


@dataclass
class Measured:
    wall_s: float
    cpu_s: float
    peak_bytes: int
    stderr: str


def read(path):
    """Text of a file below /proc; empty when its process is gone."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def tree(pid):
    """A process and all that descend from it."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found += map(int, read(task).split())
    return found


def proportional_bytes(smaps_rollup):
    """Pss of the text of a smaps_rollup."""
    for line in smaps_rollup.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


class PeakMemory(threading.Thread):
    """Samples a process tree until stop()."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.peak_bytes = 0
        self._pid = pid
        self._ended = threading.Event()

    def run(self):
        pause = SHORTEST_PAUSE_S
        while not self._ended.wait(pause):
            begin = time.thread_time()
            sample = sum(
                proportional_bytes(read(f"/proc/{pid}/smaps_rollup")) for pid in tree(self._pid)
            )
            self.peak_bytes = max(self.peak_bytes, sample)
            spent = time.thread_time() - begin
            pause = min(max(SHORTEST_PAUSE_S, PAUSES_A_SAMPLE * spent), LONGEST_PAUSE_S)

    def stop(self):
        self._ended.set()
        self.join()
        return self.peak_bytes


def wait_for_all(pid):
    """Exit status of `pid`, and the CPU seconds of it and of what it left behind."""
    cpu_s, status = 0.0, None
    while True:
        try:
            ended, how, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return status, cpu_s
        cpu_s += usage.ru_utime + usage.ru_stime
        if ended == pid:
            status = os.waitstatus_to_exitcode(how)


def run(command, log):
    """Measures one command, whose stderr goes by way of the file `log`."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with open(log, "w+", encoding="utf-8") as stderr:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr
        )
        memory = PeakMemory(process.pid)
        memory.start()
        status, cpu_s = wait_for_all(process.pid)
        wall_s = time.perf_counter() - begin
        process.returncode = status
        peak_bytes = memory.stop()
        stderr.seek(0)
        text = stderr.read()
    if status != 0:
        raise RuntimeError(f"{' '.join(map(str, command))} ended with {status}: {text[-1000:]}")
    return Measured(wall_s, cpu_s, peak_bytes, text)


def run_in_turn(commands, log):
    """Several commands as one: times add up, the largest peak counts."""
    parts = [run(command, log) for command in commands]
    return Measured(
        sum(part.wall_s for part in parts),
        sum(part.cpu_s for part in parts),
        max(part.peak_bytes for part in parts),
        "".join(part.stderr for part in parts),
    )
