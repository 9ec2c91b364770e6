"""Every kind of source gives the same pyramid, and is never written to."""

from dataclasses import replace

import h5py
import numpy as np
import pytest

from support.check import check_level, check_pyramid
from support.coolfile import (
    COUNTED_ATTRS,
    DESCRIPTIVE_ATTRS,
    digest,
    read_map,
    write_map,
    write_pyramid,
)
from support.maps import coarsened, example_map, make_map, square_map, variable_map
from support.program import run_ok


def zoomed(m, levels=(2000, 5000), path="in.cool", **check):
    """Zoomify `path`, which holds `m`, and compare; the source stays as it was."""
    file = path.partition("::")[0]
    before = digest(file)
    wanted = [level if m.bin_size else level // 1000 for level in levels]
    run_ok("zoomify", "-r", ",".join(map(str, wanted)), "-o", "out.mcool", path)
    assert digest(file) == before
    check_pyramid("out.mcool", m, wanted, **check)


@pytest.mark.ours
def test_texts_beside_the_bins_are_carried(tmp_path):
    """Their chunks point into a heap of the file they were written to."""
    m = example_map(12)
    labels = [f"bin {i} of {m.nbins}" for i in range(m.nbins)]
    write_map("in.cool", m)
    with h5py.File("in.cool", "r+") as file:
        file["bins/label"] = labels
        file["chroms/alias"] = m.names[::-1]
    run_ok("zoomify", "-r", "1000,2000", "-o", "out.mcool", "in.cool")
    with h5py.File("out.mcool", "r") as file:
        base = file["resolutions/1000"]
        assert base["bins/label"].asstr()[:].tolist() == labels
        assert base["chroms/alias"].asstr()[:].tolist() == m.names[::-1]


INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]


@pytest.mark.ours
@pytest.mark.parametrize("dtype", [order + code for code in INTEGERS for order in "<>"])
def test_integer_counts(dtype):
    """Sums are exact; a level is stored wider when its sums outgrow the type, and only then."""
    m = example_map(7, scale=110)
    m = m.with_columns(count=np.minimum(m.count, 120).astype(dtype))
    write_map("in.cool", m)
    zoomed(m, (2000, 30_000), source_dtypes={"count": dtype})


@pytest.mark.parametrize("dtype, rtol", [("f4", 1e-6), ("f8", 1e-14)])
def test_float_counts(dtype, rtol):
    m = example_map(8)
    m = m.with_columns(count=np.random.default_rng(8).lognormal(0, 3, m.nnz).astype(dtype))
    write_map("in.cool", m)
    zoomed(m, rtol=rtol, source_dtypes={"count": dtype})


@pytest.mark.ours
@pytest.mark.parametrize("dtype, rtol", [("f2", 2e-3), (">f4", 1e-6), (">f8", 1e-14)])
def test_unusual_float_counts(dtype, rtol):
    m = example_map(8)
    m = m.with_columns(count=np.random.default_rng(8).uniform(0.5, 8, m.nnz).astype(dtype))
    write_map("in.cool", m)
    zoomed(m, rtol=rtol, source_dtypes={"count": dtype})


LAYOUTS = {
    "contiguous": {"filters": {}},
    "chunked_without_filters": {"filters": {"chunks": 64}},
    "gzip_without_shuffle": {"filters": {"compression": "gzip", "chunks": 100}},
    "shuffle_without_gzip": {"filters": {"shuffle": True, "chunks": 100}},
    "lzf": {"filters": {"compression": "lzf", "shuffle": True, "chunks": 100}},
    "fletcher32": {"filters": {"fletcher32": True, "shuffle": True, "compression": "gzip"}},
    "tiny_chunks": {"filters": {"chunks": 3, "compression": "gzip", "shuffle": True}},
    "chunk_lengths_that_differ": {
        "chunk_lengths": {"pixels/bin1_id": 100, "pixels/bin2_id": 333, "pixels/count": 1000}
    },
    "one_chunk": {"filters": {"chunks": 10**9, "compression": "gzip", "shuffle": True}},
    "ids_int32": {"id_dtype": "i4"},
    "positions_int64": {"position_dtype": "i8"},
    "no_enum": {"enum": False},
    # The newest that HDF5 1.10 reads.
    "newer_file_format": {"libver": ("v110", "v110")},
}

UNUSUAL_LAYOUTS = {
    "ids_uint64": {"id_dtype": "u8"},
    "ids_big_endian": {"id_dtype": ">i8"},
    "positions_big_endian": {"position_dtype": ">i4"},
    "chrom_uint8": {"enum": False, "chrom_dtype": "u1"},
    "vlen_names": {"vlen_names": True},
}


def layouts():
    for name, how in LAYOUTS.items():
        yield pytest.param(how, id=name)
    for name, how in UNUSUAL_LAYOUTS.items():
        yield pytest.param(how, id=name, marks=pytest.mark.ours)


@pytest.mark.parametrize("how", list(layouts()))
def test_layouts(how):
    m = example_map(9)
    write_map("in.cool", m, **how)
    for level in (2000, 5000):
        run_ok("coarsen", "-k", level // 1000, "-o", "out.cool", "in.cool")
        check_level("out.cool", "/", coarsened(m, level // 1000))


@pytest.mark.ours
@pytest.mark.parametrize("how", list(layouts()))
def test_layouts_of_a_copied_base(how):
    m = example_map(9)
    write_map("in.cool", m, **how)
    zoomed(m)


@pytest.mark.ours
@pytest.mark.parametrize("name", [*COUNTED_ATTRS, *DESCRIPTIVE_ATTRS])
def test_any_optional_attribute_may_be_missing(name):
    m = example_map(10)
    write_map("in.cool", m, drop_attrs=(name,))
    zoomed(m)


@pytest.mark.ours
def test_all_optional_attributes_may_be_missing():
    m = example_map(10)
    write_map("in.cool", m, drop_attrs=(*COUNTED_ATTRS, *DESCRIPTIVE_ATTRS))
    zoomed(m)


def shifted(offsets):
    return np.minimum(offsets + 1, offsets[-1])


M = example_map(11)
WRONG_INDEXES = {
    "bin1_offset_missing": {"drop": ["indexes/bin1_offset"]},
    "chrom_offset_missing": {"drop": ["indexes/chrom_offset"]},
    "both_missing": {"drop": ["indexes"]},
    "bin1_offset_one_short": {"indexes": {"bin1_offset": M.bin1_offset()[:-1]}},
    "chrom_offset_one_short": {"indexes": {"chrom_offset": M.chrom_offset()[:-1]}},
    "bin1_offset_shifted": {"indexes": {"bin1_offset": shifted(M.bin1_offset())}},
    "bin1_offset_zero": {"indexes": {"bin1_offset": np.zeros(M.nbins + 1)}},
    "chrom_offset_wrong": {"indexes": {"chrom_offset": shifted(M.chrom_offset())}},
}


@pytest.mark.ours
@pytest.mark.parametrize("fault", WRONG_INDEXES)
def test_a_wrong_index_is_rebuilt_and_said(fault):
    write_map("in.cool", M, **WRONG_INDEXES[fault])
    result = run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    assert "offset" in result.err
    check_pyramid("out.mcool", M, [2000])


@pytest.mark.ours
def test_rows_beyond_nnz_do_not_count():
    """Empty maps of the reference have zero rows past nnz; other writers leave room to grow."""
    write_map("in.cool", M, surplus_rows=50)
    zoomed(M)


def test_square_storage():
    m = square_map()
    write_map("in.cool", m)
    zoomed(m)


@pytest.mark.ours
def test_variable_bins():
    m = variable_map()
    write_map("in.cool", m)
    zoomed(m)


@pytest.mark.ours
def test_bins_that_do_not_start_at_zero():
    m = example_map(12, {"part": 50_000, "rest": 20_000})
    m = replace(m, start=m.start + 7_000, end=m.end + 7_000, lengths=m.lengths + 7_000)
    write_map("in.cool", m)
    run_ok("coarsen", "-k", "4", "-o", "out.cool", "in.cool")
    check_level("out.cool", "/", coarsened(m, 4))


@pytest.mark.ours
def test_single_bin_chromosomes():
    chroms = {f"s{k:03d}": 300 + 7 * k for k in range(90)}
    m = example_map(13, chroms, scale=20)
    assert m.nbins == len(chroms)
    write_map("in.cool", m)
    zoomed(m, (2000, 4000))


@pytest.mark.ours
@pytest.mark.parametrize("filters", [None, {}], ids=["chunked", "contiguous"])
def test_no_pixels(filters):
    m = make_map({"c1": 100_000, "c2": 7_000}, 1000)
    write_map("in.cool", m, filters=filters)
    zoomed(m)


@pytest.mark.ours
def test_a_single_pixel():
    m = make_map({"c1": 100_000, "c2": 7_000}, 1000, ([3], [105], np.array([7], np.int32)))
    write_map("in.cool", m)
    zoomed(m)


@pytest.mark.ours
def test_more_contigs_than_an_enum_holds():
    chroms = {f"contig{k:09d}": 1500 + k % 900 for k in range(3400)}
    rng = np.random.default_rng(14)
    i, j = np.sort(rng.integers(0, 6000, (2, 2000)), axis=0)
    key = np.unique(i * 10_000 + j)
    m = make_map(chroms, 1000, (key // 10_000, key % 10_000, np.ones(len(key), np.int32)))
    write_map("in.cool", m, enum=False)
    zoomed(m, (2000,))


@pytest.mark.ours
def test_bin2_unsorted_within_rows_is_stored_sorted_and_said():
    m = example_map(15)
    order = np.lexsort((np.random.default_rng(15).random(m.nnz), m.bin1))
    write_map("in.cool", m.take(order))
    result = run_ok("zoomify", "-r", "2000", "-o", "out.mcool", "in.cool")
    assert "sort" in result.err
    check_pyramid("out.mcool", m, [2000])


@pytest.mark.parametrize("value", [0, -5])
def test_zero_and_negative_counts_are_kept(value):
    m = example_map(16)
    count = m.count.copy()
    count[::3] = value
    m = m.with_columns(count=count)
    write_map("in.cool", m)
    zoomed(m)


@pytest.mark.parametrize("uri", ["many.mcool::/resolutions/1000", "many.mcool::resolutions/1000"])
def test_a_level_of_a_pyramid(uri):
    m = example_map(17)
    write_pyramid("many.mcool", {1000: m, 7000: example_map(18, bin_size=7000)})
    zoomed(m, path=uri)


def test_a_level_of_the_old_layout():
    m = example_map(19)
    write_map("old.mcool", example_map(19, bin_size=2000), "/0")
    write_map("old.mcool", m, "/1", mode="r+")
    zoomed(m, path="old.mcool::/1")


@pytest.mark.ours
def test_assembly_and_metadata_are_carried_to_every_level():
    write_map("in.cool", example_map(20))
    run_ok("zoomify", "-r", "2000,6000", "-o", "out.mcool", "in.cool")
    for level in (1000, 2000, 6000):
        attrs = read_map("out.mcool", f"/resolutions/{level}").attrs
        assert attrs["genome-assembly"] == "toy1"
        assert attrs["metadata"] == '{"lab": "test"}'
