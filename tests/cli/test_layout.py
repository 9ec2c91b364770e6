"""How a result is laid out, down to types, filters and attributes, for readers that are picky."""

import h5py
import numpy as np
import pytest

from support.coolfile import write_map
from support.maps import example_map
from support.program import run_ok

pytestmark = pytest.mark.ours

PIXEL_CHUNK = 16384

TYPES = {
    "chroms/length": "<i4",
    "bins/start": "<i4",
    "bins/end": "<i4",
    "pixels/bin1_id": "<i8",
    "pixels/bin2_id": "<i8",
    "pixels/count": "<i4",
    "indexes/bin1_offset": "<i8",
    "indexes/chrom_offset": "<i8",
}

INTEGER_ATTRS = ("nbins", "nchroms", "nnz", "sum", "format-version")
TEXT_ATTRS = (
    "format",
    "format-url",
    "generated-by",
    "creation-date",
    "bin-type",
    "storage-mode",
    "genome-assembly",
    "metadata",
)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("layout")
    # Over two chunks of pixels on every level.
    m = example_map(51, {"chr1": 330_000, "chr2": 120_000, "chr10": 30_000}, scale=90, trans=2)
    assert m.nnz > 2 * PIXEL_CHUNK
    write_map(folder / "in.cool", m)
    run_ok("zoomify", "-r", "2000,6000", "-o", folder / "out.mcool", folder / "in.cool")
    return folder / "out.mcool"


@pytest.fixture(params=[2000, 6000])
def level(result, request):
    with h5py.File(result, "r") as file:
        yield file[f"resolutions/{request.param}"]


def test_nothing_but_resolutions_at_the_root(result):
    with h5py.File(result, "r") as file:
        assert list(file) == ["resolutions"]
        assert set(file.attrs) == {"format", "format-version"}
        assert sorted(file["resolutions"], key=int) == ["1000", "2000", "6000"]
        assert dict(file["resolutions"].attrs) == {}


def test_superblock_of_the_oldest_version(result):
    with open(result, "rb") as file:
        head = file.read(9)
    assert head == b"\x89HDF\r\n\x1a\n" + b"\0"


def test_groups_and_columns(level):
    assert sorted(level) == ["bins", "chroms", "indexes", "pixels"]
    assert sorted(level["pixels"]) == ["bin1_id", "bin2_id", "count"]
    assert sorted(level["bins"]) == ["chrom", "end", "start"]
    assert sorted(level["chroms"]) == ["length", "name"]
    assert sorted(level["indexes"]) == ["bin1_offset", "chrom_offset"]


def test_types(level):
    assert {name: level[name].dtype.str for name in TYPES} == TYPES


def test_chromosome_names_are_fixed_length_ascii(level):
    stored = level["chroms/name"].id.get_type()
    assert not stored.is_variable_str()
    assert stored.get_cset() == h5py.h5t.CSET_ASCII
    assert stored.get_strpad() == h5py.h5t.STR_NULLPAD
    assert stored.get_size() == len("chr10")


def test_chrom_is_an_enum_of_the_names(level):
    stored = level["bins/chrom"].dtype
    assert stored == np.int32
    assert h5py.check_enum_dtype(stored) == {"chr1": 0, "chr2": 1, "chr10": 2}


def test_filters(level):
    for part in level.values():
        for dataset in part.values():
            assert dataset.compression == "gzip" and dataset.shuffle, dataset.name
            assert not dataset.fletcher32, dataset.name


def test_pixel_chunks_and_growth(level):
    for name, dataset in level["pixels"].items():
        assert dataset.chunks == (PIXEL_CHUNK,), name
        assert len(dataset) == level.attrs["nnz"]
        assert dataset.maxshape[0] is None or dataset.maxshape[0] >= len(dataset)


def test_attribute_types(level):
    def stored(name):
        return h5py.h5a.open(level.id, name.encode())

    for name in INTEGER_ATTRS:
        assert stored(name).get_type().dtype == np.dtype("<i8"), name
        assert stored(name).shape == ()
    assert stored("bin-size").get_type().dtype.kind == "i"
    for name in TEXT_ATTRS:
        kind = stored(name).get_type()
        assert kind.is_variable_str() and kind.get_cset() == h5py.h5t.CSET_UTF8, name
        assert stored(name).shape == ()


def test_the_writer_signs_with_name_and_version(level):
    name, _, version = level.attrs["generated-by"].partition("-")
    assert name == "ziggurat"
    assert [part.isdigit() for part in version.split(".")] == [True] * 3


@pytest.mark.balance
def test_weight_column(tmp_path):
    write_map("in.cool", example_map(52, scale=200, trans=3))
    run_ok("zoomify", "-r", "1000,2000", "--balance", "-o", "out.mcool", "in.cool")
    with h5py.File("out.mcool", "r") as file:
        for level in file["resolutions"].values():
            weight = level["bins/weight"]
            assert weight.dtype == np.dtype("<f8") and weight.compression == "gzip"
            for name in ("min_nnz", "min_count", "mad_max", "ignore_diags"):
                assert weight.attrs[name].dtype == np.int64, name
            for name in ("tol", "scale", "var"):
                assert weight.attrs[name].dtype == np.float64, name
            for name in ("cis_only", "converged", "divisive_weights"):
                kind = h5py.h5a.open(weight.id, name.encode()).get_type()
                assert kind.get_class() == h5py.h5t.ENUM and kind.get_size() == 1, name
