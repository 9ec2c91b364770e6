"""Comparing stored levels with maps worked out in memory."""

import h5py
import numpy as np

from support.coolfile import read_indexes, read_map, resolutions, text
from support.maps import coarsened, stored_dtype


def _same_bins(got, expected, where):
    assert got.names == list(expected.names), f"{where}: chromosome names or their order"
    assert np.array_equal(got.lengths, expected.lengths), f"{where}: chromosome lengths"
    for column in ("chrom", "start", "end"):
        assert np.array_equal(getattr(got, column), getattr(expected, column)), (
            f"{where}: bins/{column}"
        )


def _same_positions(got, expected, where):
    assert got.nnz == expected.nnz, f"{where}: number of pixels"
    assert np.array_equal(got.bin1, expected.bin1), f"{where}: bin1_id"
    assert np.array_equal(got.bin2, expected.bin2), f"{where}: bin2_id"


def same_values(got, expected, where, rtol=1e-12):
    """Integer sums exactly, as Python integers; float sums within rtol."""
    if expected.dtype.kind in "O":
        assert [int(v) for v in got] == [int(v) for v in expected], where
    elif expected.dtype.kind in "iu":
        assert np.array_equal(got, expected), where
    else:
        scale = np.abs(expected).max(initial=0)
        assert np.allclose(
            got.astype(np.float64), expected, rtol=rtol, atol=rtol * scale, equal_nan=True
        ), where


def _true_indexes(path, group, got, where):
    chrom_offset, bin1_offset = read_indexes(path, group)
    assert np.array_equal(chrom_offset, got.chrom_offset()), f"{where}: chrom_offset"
    assert np.array_equal(bin1_offset, got.bin1_offset()), f"{where}: bin1_offset"


def _true_attributes(got, expected, where):
    attrs = got.attrs
    wanted = {
        "format": "HDF5::Cooler",
        "nbins": expected.nbins,
        "nnz": expected.nnz,
        "nchroms": len(expected.names),
        "storage-mode": "square" if expected.square else "symmetric-upper",
        "bin-type": "fixed" if expected.said_bin_size() else "variable",
        "bin-size": expected.said_bin_size() or "null",
    }
    for name, value in wanted.items():
        assert attrs.get(name) == value, f"{where}: attribute {name}"
    # A base level keeps its source's version, which some writers stored as text.
    assert str(attrs.get("format-version")) in ("2", "3"), f"{where}: attribute format-version"
    if "count" in expected.columns:
        total = expected.count.sum() if expected.nnz else 0
        tolerance = 1e-6 * np.abs(expected.count).sum() if got.count.dtype.kind == "f" else 0
        assert abs(attrs["sum"] - total) <= tolerance, f"{where}: attribute sum"


def check_level(path, group, expected, *, rtol=1e-12, source_dtypes=None, attributes=True):
    """A stored level is `expected`: bins, pixels, indexes and attributes.

    `source_dtypes` = {column: type in the source} adds the rule on the stored type of sums.
    """
    got = read_map(path, group)
    where = f"{path}::{group}"
    _same_bins(got, expected, where)
    _same_positions(got, expected, where)
    for name, values in expected.columns.items():
        assert name in got.columns, f"{where}: pixel column {name} is missing"
        same_values(got.columns[name], values, f"{where}: {name}", rtol)
    for name, dtype in (source_dtypes or {}).items():
        wanted = stored_dtype(dtype, expected.columns[name])
        # A copied base may keep the byte order of its source.
        assert got.columns[name].dtype.newbyteorder("=") == wanted, f"{where}: type of {name}"
    _true_indexes(path, group, got, where)
    if attributes:
        _true_attributes(got, expected, where)
    return got


def check_root(path):
    with h5py.File(path, "r") as file:
        assert text(file.attrs["format"]) == "HDF5::MCOOL"
        assert file.attrs["format-version"] == 2


def check_pyramid(path, source, levels, **how):
    """The file holds the base and `levels` (resolutions, or factors when bins vary), all exact."""
    base = source.bin_size or 1
    assert resolutions(path) == sorted({base, *levels})
    check_root(path)
    for level in resolutions(path):
        check_level(path, f"/resolutions/{level}", coarsened(source, level // base), **how)
