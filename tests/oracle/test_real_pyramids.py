"""Real maps: the pyramid equals cooler's, pixel for pixel, type for type.

Where the reference saturates, mislabels or loses something, what is right is worked out from the
source instead: sums that outgrow their type, labels of levels, attributes that must be carried.
"""

import h5py
import numpy as np
import pytest

from support.check import check_pyramid, check_root, same_values
from support.coolfile import digest, read_map, resolutions, text
from support.maps import coarsened, stored_dtype
from support.program import refused, run, run_ok
from support.reference import CORRUPTED, MANY_CONTIGS, REAL

# Judged apart, or signed by the writer; every other attribute of the source stays on the base.
_OWN = {
    "creation-date",
    "generated-by",
    "bin-type",
    "bin-size",
    "nnz",
    "sum",
    "nbins",
    "nchroms",
    "format",
    "format-version",
    "format-url",
    "storage-mode",
    "genome-assembly",
    "metadata",
}


def runs():
    for real in REAL:
        for ladder in (None, *real.ladders):
            yield pytest.param(real, ladder, id=f"{real}-{ladder or 'default'}")


def datasets(path, group):
    with h5py.File(path, "r") as file:
        return {
            f"{part}/{name}": dataset.dtype
            for part in ("chroms", "bins", "pixels", "indexes")
            for name, dataset in file[group][part].items()
        }


def saturated(values):
    return values.dtype.kind in "iu" and len(values) and values.max() == np.iinfo(values.dtype).max


def same_pixels(got, theirs, exact, where):
    theirs = theirs.sorted()  # a source may store bin2_id unsorted within its rows
    assert np.array_equal(got.bin1, theirs.bin1), f"{where}: bin1_id"
    assert np.array_equal(got.bin2, theirs.bin2), f"{where}: bin2_id"
    assert set(got.columns) == set(theirs.columns), f"{where}: pixel columns"
    if saturated(theirs.count):
        same_values(got.count, exact.count, f"{where}: count")
        assert got.count.dtype == stored_dtype(theirs.count.dtype, exact.count), f"{where}: type"
    else:
        assert got.count.dtype == theirs.count.dtype, f"{where}: type of count"
        assert np.array_equal(got.count, theirs.count), f"{where}: count"


def same_bins(got, theirs, where):
    assert got.names == theirs.names, f"{where}: chromosome names"
    for part in ("lengths", "chrom", "start", "end"):
        assert np.array_equal(getattr(got, part), getattr(theirs, part)), f"{where}: {part}"
    assert set(got.bin_columns) == set(theirs.bin_columns), f"{where}: bin columns"
    for name, values in theirs.bin_columns.items():
        assert np.array_equal(got.bin_columns[name], values, equal_nan=values.dtype.kind == "f")


NEW_TYPES = {
    "chroms/length": np.dtype(np.int32),
    "bins/start": np.dtype(np.int32),
    "bins/end": np.dtype(np.int32),
    "indexes/chrom_offset": np.dtype(np.int64),
    "indexes/bin1_offset": np.dtype(np.int64),
}


def same_types(path, theirs_path, group, is_base, where):
    ours, theirs = datasets(path, group), datasets(theirs_path, group)
    assert set(ours) == set(theirs), f"{where}: datasets"
    for name, dtype in theirs.items():
        if name == "pixels/count":
            continue  # judged with the sums
        # The reference copies the base's tables as they are. Ours writes ids as they were or in 64
        # bits, and every other table of every level in the types that new files have.
        ids = name.endswith("_id") and ours[name] in (dtype, np.int64)
        if is_base and not ids:
            dtype = NEW_TYPES.get(name, dtype)
        names = dtype.kind == "S" and ours[name].kind == "S"
        assert ids or names or ours[name] == dtype, f"{where}: type of {name}"


def true_attributes(got, source, level, where):
    attrs = got.attrs
    # The base is a copy and keeps the version of its schema, which old writers stored as text.
    is_base = level == (source.bin_size or 1)
    version = source.attrs.get("format-version", 3) if is_base else 3
    assert attrs["format"] == "HDF5::Cooler" and str(attrs["format-version"]) == str(version), where
    assert attrs["storage-mode"] == ("square" if source.square else "symmetric-upper"), where
    labels = ("fixed", level) if source.bin_size else ("variable", "null")
    assert (attrs["bin-type"], attrs["bin-size"]) == labels, where
    assert (attrs["nbins"], attrs["nchroms"], attrs["nnz"]) == (
        got.nbins,
        len(got.names),
        got.nnz,
    ), where
    if got.count.dtype.kind == "f":
        assert np.isclose(attrs["sum"], got.count.sum(dtype=np.float64), rtol=1e-6), where
    else:
        assert attrs["sum"] == int(source.count.astype(object).sum()), where
    for carried in ("genome-assembly", "metadata"):
        if carried in source.attrs:
            assert attrs[carried] == source.attrs[carried], f"{where}: {carried}"


def zoomify(real, ladder, out):
    run_ok("zoomify", *(["-r", ladder] if ladder else []), "-o", out, real.uri)
    return out


@pytest.mark.parametrize("real, ladder", list(runs()))
def test_as_cooler(real, ladder, tmp_path):
    before = digest(real.path)
    theirs_path, ours_path = real.pyramid(ladder), zoomify(real, ladder, tmp_path / "ours.mcool")
    assert digest(real.path) == before
    assert resolutions(ours_path) == resolutions(theirs_path)
    check_root(ours_path)
    source = read_map(real.path, real.group or "/")
    base = source.bin_size or 1
    for level in resolutions(theirs_path):
        group, where = f"/resolutions/{level}", f"{real} at {level}"
        got, theirs = read_map(ours_path, group), read_map(theirs_path, group)
        same_bins(got, theirs, where)
        exact = coarsened(source, level // base) if saturated(theirs.count) else None
        same_pixels(got, theirs, exact, where)
        same_types(ours_path, theirs_path, group, level == base, where)


@pytest.mark.ours
@pytest.mark.parametrize("real", REAL, ids=str)
def test_attributes_are_true_and_carried(real, tmp_path):
    path = zoomify(real, None, tmp_path / "ours.mcool")
    source = read_map(real.path, real.group or "/")
    for level in resolutions(path):
        true_attributes(
            read_map(path, f"/resolutions/{level}"), source, level, f"{real} at {level}"
        )
    base = read_map(path, f"/resolutions/{source.bin_size or 1}")
    for name, value in source.attrs.items():
        if name not in _OWN:
            assert name in base.attrs and np.array_equal(base.attrs[name], value), name


@pytest.mark.ours
@pytest.mark.parametrize(
    "ladder", [pytest.param(None, id="default", marks=pytest.mark.long), MANY_CONTIGS.ladders[0]]
)
def test_ten_thousand_contigs(ladder, tmp_path):
    out = tmp_path / "ours.mcool"
    uri = MANY_CONTIGS.uri
    run_ok("zoomify", *(["-r", ladder] if ladder else []), "-o", out, uri, timeout_s=600)
    levels = [int(r) for r in ladder.split(",")] if ladder else [2**k for k in range(16)]
    check_pyramid(out, read_map(uri), levels)
    with h5py.File(out, "r") as file:
        chrom = file["resolutions/1000/bins/chrom"]
        assert h5py.check_enum_dtype(chrom.dtype) is None, "too many names for an enum"
        assert text(chrom.attrs["enum_path"]) == "/chroms/name"


def test_chromosome_tables_of_unequal_length_are_refused(tmp_path):
    out = tmp_path / "ours.mcool"
    refused(run("zoomify", "-o", out, CORRUPTED.uri), r"chroms", code=1, absent=[out])


def test_level_that_no_level_divides_into_is_refused(tmp_path):
    real = next(r for r in REAL if r.file == "yeast.10kb.cool")
    out = tmp_path / "ours.mcool"
    refused(run("zoomify", "-r", "10000,25000", "-o", out, real.uri), "25000", absent=[out])
