"""Every file of the corpus is refused in one line or read right, within a second and a gigabyte.

Each is given to zoomify, and to the other commands that read maps, which must at least end in an
orderly way.
"""

import os
import resource
from functools import partial

import pytest

from support import program
from support.check import check_pyramid
from support.corpus import ACCEPT, REFUSE, VARIANTS
from support.program import ok, only_files, refused, run

pytestmark = pytest.mark.ours

SECONDS = 10
MEMORY_BYTES = 1 << 30  # address space of each process


def _limited():
    if not program.IS_SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


run_limited = partial(run, timeout_s=SECONDS, before_exec=_limited)


def zoomify(levels):
    wanted = ",".join(map(str, levels))
    return run_limited("zoomify", "-p", "1", "-r", wanted, "-o", "out.mcool", "in.cool")


def refused_in_one_line(result, says):
    """The line names the file, and what in it is at fault."""
    refused(result, says, code=1, absent=["out.mcool"])
    line = [line for line in result.err.splitlines() if not line.startswith("note: ")]
    assert len(line) == 1, f"one line wanted: {result}"
    assert "in.cool" in line[0], f"the file is not named: {result}"


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: v.name)
def test_variant(variant):
    m = variant.make("in.cool")
    before = sorted(os.listdir("."))
    width = m.bin_size if m else 1000
    result = zoomify([width, 2 * width])
    if variant.verdict == REFUSE or (variant.verdict != ACCEPT and result.code != 0):
        refused_in_one_line(result, variant.says)
        only_files(".", *before)
    else:
        ok(result)
        check_pyramid("out.mcool", m, [width, 2 * width], rtol=2e-3)
        ok(run_limited("verify", "out.mcool"))


def test_names_are_unique():
    names = [variant.name for variant in VARIANTS]
    assert len(set(names)) == len(names)
