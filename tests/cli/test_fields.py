"""--field: extra pixel columns and aggregates on every level, with pandas as the oracle."""

import numpy as np
import pytest

from support.check import check_level
from support.coolfile import read_map, write_map
from support.maps import coarsened, example_map, pooled_bins
from support.program import refused, run, run_ok

AGGREGATES = [
    "sum",
    "mean",
    "min",
    "max",
    "median",
    "first",
    "last",
    "count",
    "size",
    "prod",
    "std",
    "var",
    "sem",
    "nunique",
    "any",
    "all",
]


@pytest.fixture
def source():
    rng = np.random.default_rng(61)
    m = example_map(61)
    m = m.with_columns(
        x=rng.normal(0, 2, m.nnz),
        k=rng.integers(-9, 9, m.nnz).astype(np.int16),
        u=rng.integers(0, 100, m.nnz).astype(np.uint8),
    )
    write_map("in.cool", m)
    return m


def by_pandas(m, factor, column, aggregate):
    import pandas

    new_id = pooled_bins(m, factor)[0]
    table = pandas.DataFrame({"a": new_id[m.bin1], "b": new_id[m.bin2], "v": m.columns[column]})
    return table.groupby(["a", "b"])["v"].agg(aggregate).to_numpy().astype(np.float64)


@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_aggregates_of_count(source, aggregate):
    run_ok(
        "coarsen",
        "-k",
        "3",
        "--field",
        f"count:agg={aggregate},dtype=float64",
        "-o",
        "o.cool",
        "in.cool",
    )
    got = read_map("o.cool")
    assert got.count.dtype == np.float64
    assert np.allclose(
        got.count, by_pandas(source, 3, "count", aggregate), rtol=1e-12, equal_nan=True
    )


@pytest.mark.ours
@pytest.mark.parametrize("column", ["x", "k", "u"])
@pytest.mark.parametrize("aggregate", AGGREGATES)
def test_aggregates_of_other_columns(source, aggregate, column):
    run_ok(
        "coarsen",
        "-k",
        "3",
        "--field",
        "count",
        "--field",
        f"{column}:agg={aggregate},dtype=float64",
        "-o",
        "o.cool",
        "in.cool",
    )
    got = read_map("o.cool")
    assert got.columns[column].dtype == np.float64
    assert np.allclose(
        got.columns[column], by_pandas(source, 3, column, aggregate), rtol=1e-9, equal_nan=True
    )
    assert [int(v) for v in got.count] == list(coarsened(source, 3).count)


@pytest.mark.ours
def test_every_field_is_on_every_level(source):
    run_ok(
        "zoomify",
        "-r",
        "2000,6000",
        "--field",
        "count",
        "--field",
        "x",
        "--field",
        "k:agg=max",
        "-o",
        "o.mcool",
        "in.cool",
    )
    for level in (1000, 2000, 6000):
        exact = coarsened(source, level // 1000)
        for extra in ("k", "u"):
            del exact.columns[extra]
        got = check_level("o.mcool", f"/resolutions/{level}", exact, rtol=1e-9)
        assert set(got.columns) == {"count", "x", "k"}
        assert np.array_equal(got.columns["k"], by_pandas(source, level // 1000, "k", "max"))


def test_only_the_fields_asked_for(source):
    run_ok("coarsen", "-k", "2", "-o", "o.cool", "in.cool")
    assert set(read_map("o.cool").columns) == {"count"}


@pytest.mark.parametrize("dtype", ["int64", "float64", "float32", "uint16"])
def test_the_type_asked_for(source, dtype):
    run_ok("coarsen", "-k", "2", "--field", f"count:dtype={dtype}", "-o", "o.cool", "in.cool")
    got = read_map("o.cool")
    assert got.count.dtype == dtype
    assert got.count.astype(np.int64).tolist() == list(coarsened(source, 2).count)


@pytest.mark.parametrize(
    "spec, code, words",
    [
        ("nope", 1, "nope"),
        ("count:size=3", 2, "size"),
        ("count:a:b", 2, "count:a:b|field"),
        pytest.param("count:agg=sideways", 2, "sideways", marks=pytest.mark.ours),
        pytest.param("count:dtype=int999", 2, "int999", marks=pytest.mark.ours),
    ],
)
def test_what_cannot_be_asked_for(source, spec, code, words):
    result = run("coarsen", "-k", "2", "--field", spec, "-o", "o.cool", "in.cool")
    refused(result, words, code=code)
