"""Reading maps, compared with what cooler reads from the same file."""

import os
import pickle
import subprocess

import cooler
import h5py
import numpy as np
import pandas as pd
import pytest

from support import maps
from support.coolfile import write_map

pytestmark = pytest.mark.ours

CHROMS = {"chr1": 40_500, "chr2": 21_000}
REGIONS = [
    (None, None),
    ("chr1", None),
    ("chr1:3,000-12,000", None),
    ("chr1", "chr2"),
    ("chr2:1000-9000", "chr1:2k-20k"),
    (("chr1", 2000, 9000), ("chr2", None, 5000)),
]


def _weights(n):
    weights = np.random.default_rng(5).uniform(0.5, 2.0, n)
    weights[[0, n // 2]] = np.nan
    return weights


@pytest.fixture(params=["symmetric", "square", "variable"])
def path(request, tmp_path):
    m = {
        "symmetric": lambda: maps.example_map(chroms=CHROMS),
        "square": maps.square_map,
        "variable": lambda: maps.variable_map(chroms=CHROMS),
    }[request.param]()
    name = tmp_path / "map.cool"
    write_map(name, m)
    with h5py.File(name, "r+") as file:
        for column in ("weight", "KR"):
            file["bins"][column] = _weights(m.nbins)
    return name


def _as_cooler_says(region, clr):
    """A region as cooler can parse it."""
    if region is None or isinstance(region, tuple):
        return region and (region[0], region[1] or 0, region[2] or clr.chromsizes[region[0]])
    return region.replace("2k-20k", "2000-20000")


def test_tables(ziggurat, path):
    clr = cooler.Cooler(str(path))
    with ziggurat.open(path) as opened:
        assert opened.chroms == dict(clr.chromsizes)
        assert list(opened.chroms) == clr.chromnames
        assert (opened.n_bins, opened.n_pixels) == (len(clr.bins()), len(clr.pixels()))
        assert opened.bin_size == clr.binsize
        assert opened.is_symmetric == (clr.storage_mode == "symmetric-upper")
        assert opened.fields == ["count"] and opened.field_type() == np.dtype("int32")
        assert opened.bin_columns == ["KR", "weight"]
        expected = clr.bins()[:]
        got = opened.bins(as_="pandas")
        assert got["chrom"].astype(str).tolist() == expected["chrom"].astype(str).tolist()
        for column in ("start", "end", "weight", "KR"):
            assert np.array_equal(got[column], expected[column], equal_nan=column[0] in "wK")
        assert np.array_equal(opened.weights(), expected["weight"], equal_nan=True)
        for key, value in clr.info.items():
            assert opened.info[key] == value, key


def test_bins_of_a_region(ziggurat, path):
    clr = cooler.Cooler(str(path))
    name = clr.chromnames[1]
    opened = ziggurat.open(path)
    first, end = opened.extent(name)
    assert (first, end) == clr.extent(name)
    assert opened.bins(name, columns=["weight"], as_="pandas").index.tolist() == list(
        range(first, end)
    )
    part = opened.bins(range(first, end - 1), columns=())
    assert list(part) == ["chrom", "start", "end"] and part["start"][0] == 0
    assert set(part["chrom"]) == {1}
    assert opened.chrom_offsets.tolist() == [0, first, *opened.chrom_offsets[2:].tolist()]


@pytest.mark.parametrize("balance", [False, True, "KR"])
@pytest.mark.parametrize("regions", REGIONS, ids=str)
def test_fetch(ziggurat, path, regions, balance):
    clr = cooler.Cooler(str(path))
    opened = ziggurat.open(path)
    ours = opened.fetch(*regions, balance=balance)
    selector = clr.matrix(balance=balance)
    if regions[0] is None:
        theirs = selector[:]
    else:
        theirs = selector.fetch(*(_as_cooler_says(region, clr) for region in regions))
    assert ours.dtype == theirs.dtype
    if balance:
        # Division by two weights and multiplication by their inverses differ in the last digit.
        assert np.allclose(ours, theirs, rtol=1e-14, atol=0, equal_nan=True)
        assert (balance == "KR") or np.array_equal(ours, theirs, equal_nan=True)
    else:
        assert np.array_equal(ours, theirs)
    for form in ("coo", "csr"):
        sparse = opened.fetch(*regions, balance=balance, as_=form)
        assert sparse.format == form and sparse.dtype == ours.dtype
        stored = sparse.toarray() != 0
        assert np.array_equal(sparse.toarray()[stored], ours[stored], equal_nan=True)
        assert not ours[~stored].any() or balance


@pytest.mark.parametrize("join", [False, True])
def test_pixels_as_cooler_gives_them(ziggurat, path, join):
    clr = cooler.Cooler(str(path))
    region = clr.chromnames[1]
    theirs = clr.matrix(balance=True, as_pixels=True, join=join).fetch(region)
    ours = ziggurat.open(path).fetch(region, balance=True, as_="pixels", join=join)
    assert list(ours.columns) == list(theirs.columns)
    for column in ours.columns:
        if column.startswith("chrom"):
            assert ours[column].astype(str).tolist() == theirs[column].astype(str).tolist()
        else:
            assert np.array_equal(ours[column], theirs[column], equal_nan=column == "balanced")


def test_blocks_are_the_whole(ziggurat, path):
    opened = ziggurat.open(path)
    for fill_lower in (False, True):
        whole = opened.fetch(balance="weight", as_="numpy", fill_lower=fill_lower)
        blocks = list(opened.pixels(balance="weight", fill_lower=fill_lower))
        for column, values in whole.items():
            joined = np.concatenate([block[column] for block in blocks])
            assert np.array_equal(joined, values, equal_nan=column == "balanced")
    assert whole["bin1_id"].tolist() == sorted(whole["bin1_id"].tolist())


def test_divisive_can_be_said(ziggurat, path):
    opened = ziggurat.open(path)
    weights = opened.weights("weight")
    divided = opened.fetch(balance="weight", divisive=True)
    raw = opened.fetch()
    assert np.allclose(divided, raw / np.outer(weights, weights), rtol=1e-14, equal_nan=True)


def test_wrong_questions(ziggurat, path):
    opened = ziggurat.open(path)
    for ask in (
        lambda: opened.fetch(range(0, 10**6)),
        lambda: opened.fetch(as_="list"),
        lambda: opened.bins(as_="polars"),
        lambda: opened.fetch(field="score"),
        lambda: opened.fetch(balance="ICE"),
    ):
        with pytest.raises(ValueError):
            ask()
    opened.close()
    with pytest.raises(ValueError, match="closed"):
        opened.fetch()
    assert "closed" in repr(opened)


def test_a_map_travels_to_another_process_by_its_name(ziggurat, path):
    opened = ziggurat.open(path)
    again = pickle.loads(pickle.dumps(opened))
    assert np.array_equal(again.fetch(), opened.fetch())


def test_other_types(ziggurat, tmp_path):
    for dtype in ("uint8", "int64", "float32", "float64"):
        m = maps.dense_map({"chr1": 9000}, 1000, seed=1, low=1, high=90, dtype=dtype)
        write_map(tmp_path / "m.cool", m)
        got = ziggurat.open(tmp_path / "m.cool")
        assert got.field_type() == np.dtype(dtype)
        theirs = cooler.Cooler(str(tmp_path / "m.cool")).matrix(balance=False)[:]
        assert np.array_equal(got.fetch(), theirs)


def test_without_pandas_and_scipy(python, ziggurat, path):
    script = """
import sys
for name in ("pandas", "scipy", "tqdm", "cooler", "h5py"):
    sys.modules[name] = None
import ziggurat
opened = ziggurat.open(sys.argv[1])
total = int(opened.fetch(as_="numpy")["count"].sum())
assert len(opened.bins()["start"]) == opened.n_bins
ziggurat.coarsen(sys.argv[1], "half.cool")
for call in (lambda: opened.fetch(as_="csr"), lambda: opened.fetch(as_="pixels"),
             lambda: ziggurat.zoomify(sys.argv[1], progress=True)):
    try:
        call()
    except ImportError:
        continue
    raise SystemExit("must say what is missing")
print(total)
"""
    done = subprocess.run(
        [python, "-c", script, path], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == pd.DataFrame(cooler.Cooler(str(path)).pixels()[:])["count"].sum()


def test_a_file_that_changes_is_noticed(ziggurat, tmp_path):
    m = maps.example_map()
    path = tmp_path / "map.cool"
    write_map(path, m)
    opened = ziggurat.open(path)
    os.replace(path, tmp_path / "old.cool")
    write_map(path, maps.example_map(seed=2))
    stream = opened.pixels()
    next(stream)  # takes the process that has the old file open
    with pytest.raises(ziggurat.InputError, match="changed since"):
        opened.fetch()
