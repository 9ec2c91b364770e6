"""Counts: sums that outgrow 32 bits, fractions, and borders of chunks and threads."""

import numpy as np
import pytest

from support.check import check_level, check_pyramid
from support.coolfile import write_map
from support.maps import coarsened, example_map
from support.program import run_ok

CHROMS = {"u1": 24_000, "u2": 11_000}
CHUNKED = {"cb1": 61_500, "cb2": 25_000, "cb3": 3_100}


@pytest.fixture
def huge_counts():
    m = example_map(112, CHROMS)
    rng = np.random.default_rng(112)
    m = m.with_columns(count=rng.integers(1_500_000_000, 2**31 - 1, m.nnz).astype(np.int32))
    write_map("in.cool", m)
    return m


@pytest.mark.ours
def test_sums_beyond_32_bits_are_exact_in_a_pyramid(huge_counts):
    run_ok("zoomify", "-r", "2000,8000", "-o", "o.mcool", "in.cool")
    check_pyramid("o.mcool", huge_counts, [2000, 8000], source_dtypes={"count": "i4"})


@pytest.mark.ours
def test_sums_beyond_32_bits_are_exact_in_one_level(huge_counts):
    run_ok("coarsen", "-k", "4", "-o", "k.cool", "in.cool")
    check_level("k.cool", "/", coarsened(huge_counts, 4), source_dtypes={"count": "i4"})


def test_a_wider_type_may_be_asked_for(huge_counts):
    run_ok("zoomify", "-r", "2000,8000", "--field", "count:dtype=int64", "-o", "o.mcool", "in.cool")
    for level in (2000, 8000):
        got = check_level("o.mcool", f"/resolutions/{level}", coarsened(huge_counts, level // 1000))
        assert got.count.dtype == np.int64


@pytest.fixture(params=[("f8", 1e-9), ("f4", 1e-5)], ids=["float64", "float32"])
def fractions(request):
    dtype, rtol = request.param
    m = example_map(114, {"fl1": 51_000, "fl2": 20_500})
    count = np.round(np.random.default_rng(114).normal(0.35, 0.6, m.nnz), 6)
    m = m.with_columns(count=count.astype(dtype))
    write_map("in.cool", m)
    return m, rtol


def test_fractions_and_negative_counts_stay_floats_in_a_pyramid(fractions):
    m, rtol = fractions
    run_ok("zoomify", "-r", "2000,5000,20000", "-o", "o.mcool", "in.cool")
    check_pyramid(
        "o.mcool", m, [2000, 5000, 20000], rtol=rtol, source_dtypes={"count": m.count.dtype}
    )


def test_fractions_and_negative_counts_stay_floats_in_one_level(fractions):
    m, rtol = fractions
    run_ok("coarsen", "-k", "4", "-o", "k.cool", "in.cool")
    check_level("k.cool", "/", coarsened(m, 4), rtol=rtol, source_dtypes={"count": m.count.dtype})


@pytest.mark.parametrize("factor", [2, 3, 8])
@pytest.mark.parametrize("chunksize", [1, 7, 100])
def test_chunks_do_not_show_in_one_level(factor, chunksize):
    """A coarse row must not be split between two pieces of work: its pixels would appear twice."""
    m = example_map(116, CHUNKED, trans=2)
    m = m.take(np.arange(m.nnz) % 7 == 0)
    write_map("in.cool", m)
    run_ok("coarsen", "-k", factor, "--chunksize", chunksize, "-o", "o.cool", "in.cool")
    check_level("o.cool", "/", coarsened(m, factor))


@pytest.mark.parametrize("processes", [1, 2])
def test_processes_do_not_show_in_a_pyramid(processes):
    m = example_map(116, CHUNKED, trans=2)
    write_map("in.cool", m)
    run_ok(
        "zoomify",
        "-p",
        processes,
        "--chunksize",
        "1300",
        "-r",
        "2000,4000,16000",
        "-o",
        "o.mcool",
        "in.cool",
    )
    check_pyramid("o.mcool", m, [2000, 4000, 16000])
