"""verify: good files pass, and each single fault is found and its place named."""

import json

import h5py
import numpy as np
import pytest

from support import reference
from support.coolfile import digest, uri, write_map, write_pyramid
from support.check import check_pyramid
from support.maps import (
    coarsened,
    dense_map,
    example_map,
    square_map,
    variable_map,
    without_bins,
)
from support.program import refused, run, run_ok

pytestmark = pytest.mark.ours

# Sparse enough that the coarsest level still has gaps between its pixels.
M = example_map(91, scale=30, trans=0.02)


def with_stored_counts(m, dtype="i4"):
    return m.with_columns(count=m.count.astype(dtype))


@pytest.mark.parametrize(
    "source", [M, square_map(92), variable_map(93)], ids=["upper", "square", "variable"]
)
def test_what_is_made_passes(source):
    write_map("in.cool", source)
    base = source.bin_size or 1
    run_ok("zoomify", "-r", f"{2 * base},{6 * base}", "-o", "o.mcool", "in.cool")
    before = digest("o.mcool")
    run_ok("verify", "o.mcool")
    run_ok("verify", "in.cool")
    assert digest("o.mcool") == before


# Bins of M: 62 of chr1, 25 of chr2, one of chrM, 34 of chrX.
GAPS = {
    "one_bin": [5],
    "within_a_group": [6, 7, 8],
    "several_groups": range(10, 31),
    "every_other_bin": range(1, 122, 2),
    "first_bins": [0, 1, 2, 62],
    "last_bins": [58, 59, 60, 61, 121],
    "whole_chromosome": range(62, 87),
    "all_but_one_bin": range(1, 62),
}


@pytest.mark.parametrize("dropped", GAPS.values(), ids=GAPS)
def test_a_map_with_gaps_passes_at_every_level(dropped):
    source = without_bins(M, list(dropped))
    write_map("in.cool", source)
    run_ok("zoomify", "-r", "1000,2000,6000", "--balance", "-o", "o.mcool", "in.cool")
    check_pyramid("o.mcool", source, [1000, 2000, 6000])
    run_ok("verify", "in.cool")
    verdict = json.loads(run_ok("verify", "--json", "o.mcool").out)
    assert [level["resolution"] for level in verdict["levels"]] == [1000, 2000, 6000]
    assert all(level["compared_with"] for level in verdict["levels"][1:])


@pytest.mark.parametrize("source", [without_bins(M, [7]), variable_map(93)], ids=["gap", "variable"])
def test_faults_of_levels_without_one_width_are_found(source):
    write_map("in.cool", source)
    base = source.bin_size or 1
    run_ok("zoomify", "-r", f"{base},{2 * base}", "-o", "o.mcool", "in.cool")
    run_ok("verify", "o.mcool")
    with h5py.File("o.mcool", "r+") as file:
        level = file[f"resolutions/{2 * base}"]
        assert level.attrs["bin-type"] == "variable"
        one_count_moved(level)
    refused(run("verify", "o.mcool"), "not what .* pools to")


def test_files_of_others_pass():
    levels = {
        1000: M,
        2000: with_stored_counts(coarsened(M, 2)),
        6000: with_stored_counts(coarsened(M, 6)),
    }
    write_pyramid("in.mcool", levels)
    run_ok("verify", "in.mcool")
    run_ok("verify", uri("in.mcool", 2000))


@pytest.mark.balance
def test_a_balanced_pyramid_passes():
    write_map("in.cool", M)
    run_ok("zoomify", "-r", "1000,2000", "--balance", "-o", "o.mcool", "in.cool")
    run_ok("verify", "o.mcool")


@pytest.fixture
def pyramid():
    write_pyramid(
        "bad.mcool",
        {
            1000: M,
            2000: with_stored_counts(coarsened(M, 2)),
            6000: with_stored_counts(coarsened(M, 6)),
        },
    )
    return "bad.mcool"


def one_count_changed(level):
    level["pixels/count"][100] += 1


def one_count_moved(level):
    """The sum stays right, so only the comparison of levels can find it."""
    level["pixels/count"][100] += 1
    level["pixels/count"][101] -= 1


def one_pixel_moved(level):
    b2 = level["pixels/bin2_id"]
    gap = int(np.flatnonzero((np.diff(b2[:]) > 1) & (np.diff(level["pixels/bin1_id"][:]) == 0))[0])
    b2[gap] += 1


def ids_swapped(level):
    b2 = level["pixels/bin2_id"][:]
    b2[[0, 1]] = b2[[1, 0]]
    level["pixels/bin2_id"][:] = b2


def index_shifted(level):
    level["indexes/bin1_offset"][1:-1] = level["indexes/bin1_offset"][1:-1] + 1


def chrom_offset_shifted(level):
    level["indexes/chrom_offset"][1] += 1


def wrong_sum(level):
    level.attrs["sum"] = level.attrs["sum"] + 1


def wrong_nnz(level):
    level.attrs["nnz"] = level.attrs["nnz"] - 1


def wrong_bin_size(level):
    level.attrs["bin-size"] = np.int64(1234)


def bin_end_changed(level):
    level["bins/end"][3] -= 10


def no_format(level):
    del level.attrs["format"]


FAULTS = {
    one_count_changed: "count|sum",
    one_count_moved: "count",
    one_pixel_moved: "pixel|bin2|coars",
    ids_swapped: "bin2|order|sort|pixel",
    index_shifted: "bin1_offset",
    chrom_offset_shifted: "chrom_offset",
    wrong_sum: "sum",
    wrong_nnz: "nnz",
    wrong_bin_size: "bin-size|bin size",
    bin_end_changed: "bins|end",
    no_format: "format",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("level", [2000, 6000])
def test_a_single_fault_is_found_and_named(pyramid, fault, level):
    with h5py.File(pyramid, "r+") as file:
        fault(file[f"resolutions/{level}"])
    before = digest(pyramid)
    message = refused(run("verify", pyramid), FAULTS[fault], code=1).err
    assert "bad.mcool" in message and str(level) in message
    assert digest(pyramid) == before


def test_a_level_of_another_map_is_found():
    write_pyramid("bad.mcool", {1000: M, 2000: example_map(94, bin_size=2000)})
    assert "2000" in refused(run("verify", "bad.mcool"), code=1).err


def test_a_pyramid_without_its_mark_is_found(pyramid):
    with h5py.File(pyramid, "r+") as file:
        del file.attrs["format"]
    refused(run("verify", pyramid), "format|MCOOL", code=1)


def test_a_truncated_file_is_found(pyramid):
    with open(pyramid, "r+b") as file:
        file.truncate(20_000)
    refused(run("verify", pyramid), r"bad\.mcool", code=1)


def test_a_missing_file_is_named():
    refused(run("verify", "absent.mcool"), r"absent\.mcool", code=1)


def test_json_says_the_same(pyramid):
    result = run_ok("verify", "--json", "bad.mcool")
    said = json.loads(result.out)
    assert said["sound"] and said["target"] == "bad.mcool" and not said["quick"] and said["faults"] == []
    assert [level["resolution"] for level in said["levels"]] == [1000, 2000, 6000]
    assert [level["compared_with"] for level in said["levels"]] == [None, "/resolutions/1000", "/resolutions/2000"]
    assert all(level["sum"] == int(M.count.sum()) and level["faults"] == [] for level in said["levels"])
    with h5py.File("bad.mcool", "r+") as file:
        file["resolutions/2000/pixels/count"][7] += 1
    result = run("verify", "--json", "bad.mcool")
    assert result.code == 1
    said = json.loads(result.out)
    assert not said["sound"]
    assert [bool(level["faults"]) for level in said["levels"]] == [False, True, False]


def test_quick_looks_at_the_structure_only(pyramid):
    assert "no pixel was read" in run_ok("verify", "--quick", "bad.mcool").out
    with h5py.File("bad.mcool", "r+") as file:
        file["resolutions/2000/pixels/count"][7] += 1
    run_ok("verify", "--quick", "bad.mcool")
    refused(run("verify", "bad.mcool"), "resolutions/2000", code=1)
    with h5py.File("bad.mcool", "r+") as file:
        file["resolutions/6000"].attrs["nbins"] = 5
    refused(run("verify", "--quick", "bad.mcool"), "resolutions/6000.*nbins", code=1)
    with h5py.File("bad.mcool", "r+") as file:
        del file["resolutions/6000/pixels/bin2_id"]
    refused(run("verify", "--quick", "bad.mcool"), "resolutions/6000", code=1)


@pytest.mark.balance
@pytest.mark.parametrize("options", [(), ("--cis-only",), ("--ignore-diags", "0")], ids=" ".join)
@pytest.mark.parametrize("by", ["ziggurat", "cooler"])
def test_weights_that_converged_must_balance_the_map(options, by):
    write_map("w.cool", dense_map({"chr1": 50000, "chr2": 40000}, 1000, 4, 50, 100, np.int32))
    if by == "cooler":
        reference.run("balance", *options, "w.cool")
    else:
        run_ok("balance", *options, "w.cool")
    with h5py.File("w.cool") as file:
        weight = file["bins/weight"]
        assert np.all(weight.attrs["converged"]), "or nothing is to be proven"
        usable = np.flatnonzero(np.isfinite(weight[:]))
    run_ok("verify", "w.cool")
    with h5py.File("w.cool", "r+") as file:
        file["bins/weight"][usable[len(usable) // 2]] *= 1.5
    refused(run("verify", "w.cool"), "bins/weight says it converged", code=1)
    run_ok("verify", "--quick", "w.cool")
