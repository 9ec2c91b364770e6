"""Running out of address space or descriptors ends a run in one line, or does not matter.

No crash, no hang, no half output: whatever the limit and wherever it strikes.
"""

import os
import resource
import subprocess

import pytest

from support import program
from support.check import check_pyramid
from support.coolfile import write_map
from support.maps import example_map
from support.program import OUT_OF_MEMORY, one_line, only_files, refused, run

pytestmark = pytest.mark.ours

SECONDS = 20
LEVELS = [1000, 2000, 10000]
MAP = example_map(311)
ZOOMIFY = ("zoomify", "--quiet", "-r", ",".join(map(str, LEVELS)), "-o", "out.mcool")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return write_map(tmp_path_factory.mktemp("source") / "in.cool", MAP)


def clean_end(result):
    """Done right or refused in a line; returns whether it was done."""
    if result.code == 0:
        check_pyramid("out.mcool", MAP, LEVELS)
        os.remove("out.mcool")
        only_files(".")
        return True
    line = one_line(refused(result))
    # HDF5 says in other words that it got none.
    assert result.code == (OUT_OF_MEMORY if "out of memory" in line else 1), result
    only_files(".")
    return False


def limited(kind, value):
    return lambda: resource.setrlimit(kind, (value, value))


def starts_at_all(prepare):
    """Below some limit the loader itself fails, before a line of ours runs."""
    try:
        return run("--version", before_exec=prepare).code == 0
    except subprocess.SubprocessError:
        return False


@pytest.mark.skipif(program.IS_SANITIZED, reason="sanitizers reserve terabytes of address space")
@pytest.mark.parametrize("processes", ["1", "4"])
def test_address_space(source, processes):
    """From too little to start up to enough, in steps that no allocation is larger than."""
    ends = []
    for megabytes in [*range(20, 260, 12), *range(260, 900, 60)]:
        prepare = limited(resource.RLIMIT_AS, megabytes << 20)
        if not starts_at_all(prepare):
            continue
        result = run(*ZOOMIFY, "-p", processes, source, before_exec=prepare, timeout_s=SECONDS)
        ends.append(clean_end(result))
    assert {False, True} == set(ends), f"the sweep does not reach both ends: {ends}"


def test_descriptors(source):
    ends = []
    for n in range(4, 64, 2):
        prepare = limited(resource.RLIMIT_NOFILE, n)
        if not starts_at_all(prepare):
            continue
        result = run(*ZOOMIFY, "-p", "4", source, before_exec=prepare, timeout_s=SECONDS)
        ends.append(clean_end(result))
    assert {False, True} == set(ends), f"the sweep does not reach both ends: {ends}"
