"""Bin tables: varying widths, short last bins, names that look like something else."""

import numpy as np
import pytest

from support.balancing import check_balanced, masked_bins
from support.check import check_level, check_pyramid
from support.coolfile import read_map, write_map
from support.maps import coarsened, example_map, variable_map
from support.program import run_ok

ARMS = {"armL": 63_999, "armR": 64_001, "mid": 50_250, "plas": 1_001, "mt": 730}
ODD_NAMES = {
    "10": 21_300,
    "2": 30_000,
    "X": 12_100,
    "gi|123456789|gb|ABCD01000001.1|": 9_053,
    "1": 40_050,
    "HLA-A*99:01:01": 3_600,
    "chr1_KI_random": 800,
    "0": 7_700,
}


@pytest.mark.ours
@pytest.mark.parametrize("levels", ["2,6", None])
def test_variable_bins_are_pooled_by_position(levels):
    """Levels are named by how many neighbouring bins they pool, and stay variable."""
    source = variable_map(104)
    write_map("in.cool", source)
    run_ok("zoomify", *(["-r", levels] if levels else []), "-o", "o.mcool", "in.cool")
    check_pyramid("o.mcool", source, [2, 6] if levels else [])


@pytest.mark.ours
def test_the_last_bin_and_the_chromosome_length_survive():
    source = example_map(106, ARMS, scale=30, trans=2.5)
    write_map("in.cool", source)
    levels = [2000, 7000, 14000, 64000]
    run_ok("zoomify", "-r", "2000,7000,14000,64000", "-o", "o.mcool", "in.cool")
    check_pyramid("o.mcool", source, levels)
    for level in levels:
        m = read_map("o.mcool", f"/resolutions/{level}")
        assert m.end[m.chrom_offset()[1:] - 1].tolist() == list(ARMS.values())
        assert m.count.sum() == source.count.sum()


def test_a_factor_that_leaves_a_rest():
    source = example_map(106, ARMS, scale=30, trans=2.5)
    write_map("in.cool", source)
    run_ok("coarsen", "-k", "5", "-o", "k5.cool", "in.cool")
    check_level("k5.cool", "/", coarsened(source, 5))


@pytest.fixture
def oddly_named():
    source = example_map(111, ODD_NAMES, trans=2)
    write_map("in.cool", source)
    return source


def test_names_are_opaque_and_keep_their_order(oddly_named):
    run_ok("coarsen", "-k", "2", "-o", "o.cool", "in.cool")
    check_level("o.cool", "/", coarsened(oddly_named, 2))


@pytest.mark.balance
def test_names_are_opaque_to_balancing(oddly_named):
    run_ok(
        "zoomify",
        "-r",
        "2000,10000",
        "--balance",
        "--balance-args",
        "--min-nnz 2 --mad-max 0",
        "-o",
        "o.mcool",
        "in.cool",
    )
    m = read_map("o.mcool", "/resolutions/2000")
    check_balanced(m, m.bin_columns["weight"], masked_bins(m, min_nnz=2, mad_max=0))


@pytest.mark.dump
def test_a_region_named_like_a_number_is_a_chromosome(oddly_named):
    run_ok("coarsen", "-k", "10", "-o", "o.cool", "in.cool")
    rows = [
        line.split("\t") for line in run_ok("dump", "--join", "-r", "2", "o.cool").out.splitlines()
    ]
    m = coarsened(oddly_named, 10)
    chrom = m.names.index("2")
    inside = (m.chrom[m.bin1] == chrom) & (m.chrom[m.bin2] == chrom)
    assert {(row[0], row[3]) for row in rows} == {("2", "2")}
    assert [int(float(row[6])) for row in rows] == list(m.count[np.flatnonzero(inside)])
