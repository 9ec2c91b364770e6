"""One file or map by another name: what would be replaced by itself is refused, and left as it is.

Files go by other paths, symbolic and hard links; maps within a file by soft and hard links.
"""

import os

import h5py
import numpy as np
import pytest

from support.coolfile import digest, read_map, write_pyramid
from support.maps import coarsened, example_map
from support.program import only_files, refused, run, run_ok

pytestmark = pytest.mark.ours

M = example_map(811, scale=30)


def pooled(factor):
    m = coarsened(M, factor)
    return m.with_columns(count=m.count.astype(np.int32))


FILES = ["in.mcool", "./in.mcool", "folder/../in.mcool", "symbolic.mcool", "hard.mcool"]
GROUPS = ["/resolutions/2000", "resolutions/2000", "/resolutions//2000", "/soft", "/hard", "/way/2000"]
SAME = "same map|same file|also an input"


@pytest.fixture(autouse=True)
def pyramid(tmp_path):
    levels = {1000: M, 2000: pooled(2)}
    write_pyramid("in.mcool", levels)
    with h5py.File("in.mcool", "r+") as file:
        file["soft"] = h5py.SoftLink("/resolutions/2000")
        file["hard"] = file["resolutions/2000"]
        file["way"] = h5py.SoftLink("/resolutions")
    os.mkdir("folder")
    os.symlink("in.mcool", "symbolic.mcool")
    os.link("in.mcool", "hard.mcool")
    before = digest("in.mcool")
    yield
    assert os.path.islink("symbolic.mcool")
    only_files(tmp_path, "in.mcool", "folder", "symbolic.mcool", "hard.mcool")
    if before != digest("in.mcool"):
        assert (read_map("in.mcool", "/resolutions/2000").count == levels[2000].count).all()


def refused_and_unchanged(*args, words=SAME):
    before = digest("in.mcool")
    refused(run(*args), words, code=1)
    assert digest("in.mcool") == before
    assert os.path.samefile("in.mcool", "hard.mcool")


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("file", FILES)
def test_a_map_is_not_replaced_by_what_is_made_of_it(file, group):
    source = "in.mcool::/resolutions/2000"
    refused_and_unchanged("coarsen", "-k", "2", "-a", "-o", f"{file}::{group}", source)
    refused_and_unchanged("cp", source, f"{file}::{group}", words=f"{SAME}|already")


@pytest.mark.parametrize("group", GROUPS)
def test_nor_when_the_input_goes_by_another_name(group):
    source = f"symbolic.mcool::{group}"
    target = "in.mcool::/resolutions/2000"
    refused_and_unchanged("coarsen", "-k", "2", "-a", "-o", target, source)
    refused_and_unchanged("merge", "-a", target, source, source, words=f"{SAME}|already")


@pytest.mark.parametrize("file", FILES)
def test_a_file_is_not_replaced_by_what_is_made_of_it(file):
    source = "in.mcool::/resolutions/2000"
    refused_and_unchanged("coarsen", "-k", "2", "-o", file, source)
    refused_and_unchanged("zoomify", "-r", "4000", "-o", file, source)
    refused_and_unchanged("cp", "-w", source, file)
    refused_and_unchanged("merge", file, source, source)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("command", [["mv"], ["mv", "-w"], ["ln", "-w"], ["ln", "-s", "-w"]], ids=" ".join)
def test_a_name_does_not_take_the_place_of_its_own_map(command, group):
    """Making way would remove the map, and leave a link to nothing."""
    source, alias = "in.mcool::/resolutions/2000", f"symbolic.mcool::{group}"
    words = f"{SAME}|already|there is no map"
    refused_and_unchanged(*command, alias, source, words=words)
    refused_and_unchanged(*command, source, alias, words=words)


def test_another_group_of_the_same_file_is_no_alias():
    run_ok("coarsen", "-k", "2", "-a", "-o", "symbolic.mcool::/more", "in.mcool::/resolutions/2000")
    assert (read_map("in.mcool", "/more").count == pooled(4).count).all()
    run_ok("ln", "-s", "in.mcool::/resolutions/2000", "symbolic.mcool::/second")
    assert (read_map("in.mcool", "/second").count == pooled(2).count).all()
