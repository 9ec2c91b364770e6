"""assemble: finished levels become one pyramid, their stored chunks untouched."""

import os

import h5py
import pytest

from support.check import check_pyramid
from support.coolfile import digest, read_map, resolutions, write_map
from support.maps import example_map
from support.program import only_files, refused, run, run_ok

pytestmark = pytest.mark.ours


@pytest.fixture
def source():
    m = example_map(95)
    write_map("in.cool", m)
    run_ok("coarsen", "-k", "2", "-o", "two.cool", "in.cool")
    run_ok("coarsen", "-k", "6", "-o", "six.cool", "in.cool")
    return m


def test_levels_in_any_order(source, tmp_path):
    before = [digest(p) for p in ("in.cool", "two.cool", "six.cool")]
    run_ok("assemble", "o.mcool", "six.cool", "in.cool", "two.cool")
    check_pyramid("o.mcool", source, [2000, 6000])
    assert [digest(p) for p in ("in.cool", "two.cool", "six.cool")] == before
    only_files(tmp_path, "in.cool", "two.cool", "six.cool", "o.mcool")


def test_equals_the_run_in_one_go(source):
    for factor, name in ((2, "two.cool"), (6, "six.cool")):
        run_ok("coarsen", "-k", factor, "-o", name, "in.cool")
    run_ok("assemble", "gathered.mcool", "in.cool", "two.cool", "six.cool")
    run_ok("zoomify", "-r", "2000,6000", "-o", "whole.mcool", "in.cool")
    for level in resolutions("whole.mcool"):
        a, b = (read_map(p, f"/resolutions/{level}") for p in ("gathered.mcool", "whole.mcool"))
        assert (a.bin1 == b.bin1).all() and (a.bin2 == b.bin2).all() and (a.count == b.count).all()
        assert a.attrs == b.attrs


def stored_chunks(path, group):
    with h5py.File(path, "r") as file:
        dataset = file[group]["pixels/count"].id
        return [
            dataset.read_direct_chunk(dataset.get_chunk_info(i).chunk_offset)
            for i in range(dataset.get_num_chunks())
        ]


def test_chunks_are_copied_as_they_are(source):
    run_ok("assemble", "o.mcool", "in.cool", "two.cool")
    assert stored_chunks("o.mcool", "/resolutions/2000") == stored_chunks("two.cool", "/")
    assert stored_chunks("o.mcool", "/resolutions/1000") == stored_chunks("in.cool", "/")


def test_levels_of_pyramids(source):
    run_ok("zoomify", "-r", "2000,6000", "-o", "whole.mcool", "in.cool")
    run_ok(
        "assemble", "o.mcool", "whole.mcool::/resolutions/6000", "whole.mcool::/resolutions/1000"
    )
    check_pyramid("o.mcool", source, [6000])


def test_one_resolution_twice_is_refused(source):
    refused(
        run("assemble", "o.mcool", "in.cool", "two.cool", "two.cool"), "2000", absent=["o.mcool"]
    )


def test_levels_of_different_genomes_are_refused(source):
    write_map("alien.cool", example_map(96, {"z1": 50_000}, 3000))
    refused(
        run("assemble", "o.mcool", "in.cool", "alien.cool"),
        r"alien\.cool",
        code=1,
        absent=["o.mcool"],
    )


def test_a_missing_level_is_named(source):
    refused(
        run("assemble", "o.mcool", "in.cool", "absent.cool"),
        r"absent\.cool",
        code=1,
        absent=["o.mcool"],
    )


def test_an_output_among_the_levels_is_refused(source):
    before = digest("two.cool")
    refused(run("assemble", "two.cool", "in.cool", "two.cool"), r"two\.cool")
    assert digest("two.cool") == before


def test_no_levels_is_a_usage_fault(source):
    assert run("assemble", "o.mcool").code == 2
    assert not os.path.exists("o.mcool")
