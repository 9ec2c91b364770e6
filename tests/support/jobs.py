"""Small jobs for sweeps of faults, and the judgement of what a disturbed run left.

A job gives the same bytes every time (its date is fixed), so after any fault there are three good
states of an output: what was there before, nothing if nothing was, and the bytes of an undisturbed
run, which are proven right once. Everything else is bad.
"""

import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from support.check import check_pyramid
from support.coolfile import write_map, write_pyramid
from support.maps import coarsened, example_map
from support.program import not_crashed, one_line, run, run_ok
from support.tally import judged

SOURCE = "in.cool"
OLD_OUTPUT = b"what was there before"
DATE = {"SOURCE_DATE_EPOCH": "1700000000"}
_SEED = 98


def _map():
    return example_map(_SEED, scale=200, trans=3)


def _write_source():
    write_map(SOURCE, _map())


def _write_pyramid():
    coarse = coarsened(_map(), 2)
    coarse = coarse.with_columns(count=coarse.count.astype(np.int32))
    write_pyramid(SOURCE, {1000: _map(), 2000: coarse})


def _check_two_levels(path):
    check_pyramid(path, _map(), [1000, 2000])


def _check_balanced(path):
    _check_two_levels(path)
    run_ok("balance", "--check", f"{path}::/resolutions/2000")


def _check_weights(path):
    for level in (1000, 2000):
        run_ok("balance", "--check", f"{path}::/resolutions/{level}")


@dataclass(frozen=True)
class Job:
    name: str
    args: tuple
    output: str
    prepare: object = _write_source
    check: object = _check_two_levels
    is_parallel: bool = True

    @property
    def in_place(self):
        return self.output == SOURCE

    @property
    def env(self):
        return DATE

    def __str__(self):
        return self.name

    def command(self, processes=1):
        return [*self.args, "-p", str(processes)] if self.is_parallel else [*self.args]


_LEVELS = ("-r", "1000,2000", "-o", "out.mcool", SOURCE)
ZOOMIFY = Job("zoomify", ("zoomify", "--quiet", *_LEVELS), "out.mcool")
BALANCED = Job(
    "zoomify-balance",
    ("zoomify", "--quiet", "--balance", *_LEVELS),
    "out.mcool",
    check=_check_balanced,
)
COARSEN = Job(
    "coarsen",
    ("coarsen", "--quiet", "-k", "2", "-o", "out.cool", SOURCE),
    "out.cool",
    check=lambda path: run_ok("verify", path),
)
BALANCE = Job(
    "balance", ("balance", "--quiet", SOURCE), SOURCE, prepare=_write_pyramid, check=_check_weights
)
RENAME = Job(
    "rename-chroms",
    ("rename-chroms", "--quiet", "-m", "chr1=one", SOURCE),
    SOURCE,
    prepare=_write_pyramid,
    check=lambda path: run_ok("verify", path),
    is_parallel=False,
)


@cache
def result_of(job):
    """The bytes that an undisturbed run leaves under the output's name, proven right."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            job.prepare()
            run_ok(*job.command(), env=job.env)
            job.check(job.output)
            return Path(job.output).read_bytes()
        finally:
            os.chdir(here)


class Scene:
    """A folder with a job's input, and an older output if asked for; disturbed again and again."""

    def __init__(self, job, folder, *, old=False):
        self.job = job
        self.folder = Path(folder)
        self.old = OLD_OUTPUT if old else None
        job.prepare()
        self.source = Path(SOURCE).read_bytes()
        if job.in_place:
            self.old = self.source
        self.reset()

    def reset(self):
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != SOURCE:
                path.unlink()
        if self.job.in_place or self.now(SOURCE) != self.source:
            (self.folder / SOURCE).write_bytes(self.source)
        if self.old is not None:
            (self.folder / self.job.output).write_bytes(self.old)

    def now(self, name):
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    @property
    def output(self):
        return self.now(self.job.output)

    def settle(self):
        """What an interrupted change in place left is settled by the next look at the file."""
        if self.job.in_place:
            run("ls", self.job.output)

    def is_complete(self):
        return self.output == result_of(self.job)

    def check_state(self, what):
        """The output is old, absent or complete, and the input untouched."""
        judged()
        good = self.output == self.old or self.is_complete()
        assert good, f"{what}: {self.job.output} is neither old nor complete"
        if not self.job.in_place:
            assert self.now(SOURCE) == self.source, f"{what}: the input was changed"

    def check_failed_cleanly(self, result, what, code=1):
        """This exit code, one line, nothing left but what was there."""
        not_crashed(result)
        assert result.code == code, f"{what}: exit code {code} wanted: {result}"
        self.check_state(what)
        self.check_nothing_else(what)
        return one_line(result)

    def check_nothing_else(self, what):
        known = {SOURCE, self.job.output}
        left = sorted(p.name for p in self.folder.iterdir() if p.name not in known)
        assert not left, f"{what}: left {left}"

    def check_rerun(self, what):
        """The same command succeeds, whatever the disturbed run left undone."""
        if self.job.in_place and self.is_complete():
            return
        run_ok(*self.job.command(), env=self.job.env)
        assert self.is_complete(), f"{what}: the next run gives another result"
