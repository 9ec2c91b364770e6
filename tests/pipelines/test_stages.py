"""Levels that were made one by one, as on a cluster, are gathered to the bytes of a run in one go."""

import shutil

import pytest

from support.coolfile import write_map
from support.maps import example_map
from support.program import run_ok
from support.stages import LEVELS, plain_pyramid, real_map

pytestmark = pytest.mark.ours


def stage(source, levels, options=()):
    """coarsen, balance and assemble as commands of their own, each with another number of processes."""
    names = {levels[0]: f"{levels[0]}.level"}
    shutil.copyfile(source, names[levels[0]])
    for level in levels[1:]:
        finer = max(r for r in names if level % r == 0)
        names[level] = f"{level}.level"
        run_ok("coarsen", "-p", 1, "-k", level // finer, "-o", names[level], names[finer])
    for name in names.values():
        run_ok("balance", "-p", 2, "--force", *options, name)
    run_ok("assemble", "-p", 1, "staged.mcool", *names.values())
    with open("staged.mcool", "rb") as file:
        return file.read()


def test_a_real_map(tmp_path):
    source = real_map()
    assert stage(source, LEVELS) == plain_pyramid(tmp_path, source)


@pytest.mark.parametrize("options", [(), ("--cis-only",), ("--mad-max", "2.5"), ("--name", "KR")],
                         ids=" ".join)
def test_whatever_the_balancing(options):
    write_map("in.cool", example_map(31))
    levels = [1000, 2000, 6000]
    run_ok("zoomify", "--balance", "--balance-args", " ".join(options), "-r",
           ",".join(map(str, levels)), "-o", "plain.mcool", "in.cool")
    with open("plain.mcool", "rb") as file:
        assert stage("in.cool", levels, options) == file.read()


def test_columns_that_the_base_brought():
    """Weights under other names come along, in the same place, whether or not new ones join them."""
    write_map("in.cool", example_map(32))
    for name in ("KR", "weight", "alpha"):
        run_ok("balance", "--name", name, "in.cool")
    run_ok("zoomify", "--balance", "-r", "1000,2000", "-o", "plain.mcool", "in.cool")
    with open("plain.mcool", "rb") as file:
        assert stage("in.cool", [1000, 2000]) == file.read()
