"""cooler's functions: the same calls to cooler and to ziggurat.compat, the same results.

The last part has the calls of three packages as they make them (hicstuff, HiCool, FAN-C), with
`cooler` or `compat` in the place of their import.
"""

import inspect
import shutil
import warnings
from pathlib import Path

import cooler
import h5py
import numpy as np
import pytest

from support import maps
from support.coolfile import digest, read_map, write_map

# cooler divides by nothing on a chromosome without contacts.
pytestmark = [pytest.mark.ours, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

DEMO = Path(__file__).resolve().parents[2] / "testdata" / "demo.cool"


def same_map(a, b, group):
    """Tables of two files; types too. Attributes and weights are looked at where they matter."""
    with h5py.File(a) as first, h5py.File(b) as second:
        for table in ("chroms", "bins", "pixels", "indexes"):
            ours, theirs = first[group][table], second[group][table]
            assert set(ours) == set(theirs), (group, table)
            for column in ours:
                assert ours[column].dtype == theirs[column].dtype, (group, table, column)
                values = ours[column][:], theirs[column][:]
                floats = values[0].dtype.kind == "f"
                assert np.array_equal(*values, equal_nan=floats), (group, table, column)


def same_pyramid(a, b):
    with h5py.File(a) as first, h5py.File(b) as second:
        groups = sorted(first["resolutions"])
        assert groups == sorted(second["resolutions"])
        assert dict(first.attrs)["format"] == dict(second.attrs)["format"]
    for group in groups:
        same_map(a, b, f"resolutions/{group}")


@pytest.fixture
def small():
    """A map that cooler balances quickly, with a chromosome that has no contacts that count."""
    chroms = {"chr1": 200_500, "chr2": 90_000, "chr3": 41_000, "chrM": 900}
    write_map("small.cool", maps.example_map(chroms=chroms))
    return "small.cool"


@pytest.fixture
def both(compat):
    """Runs call(module, path) for both and gives the two paths."""

    def run(call):
        for module, path in ((compat, "ours"), (cooler, "theirs")):
            call(module, path)
        return "ours", "theirs"

    return run


@pytest.mark.parametrize(
    "name",
    ["zoomify_cooler", "coarsen_cooler", "merge_coolers", "balance_cooler", "iterative_correction"],
)
def test_signatures(compat, name):
    def shape(module):
        function = getattr(module, name, None) or getattr(module.balance, name)
        return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]

    assert shape(compat) == shape(cooler if name != "iterative_correction" else cooler._balance)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"nproc": 2, "columns": ["count"], "dtypes": {"count": "float64"}},
        {"columns": ["count"], "agg": {"count": "max"}},
        {"columns": None, "dtypes": None, "agg": None, "lock": None},
    ],
    ids=str,
)
def test_zoomify(both, options):
    def call(module, path):
        module.zoomify_cooler(str(DEMO), path, [20000, 100000], 10_000_000, **options)

    same_pyramid(*both(call))


def test_coarsen_into_a_file_that_exists(both):
    def call(module, path):
        shutil.copy(DEMO, path)
        module.coarsen_cooler(f"{path}::/", f"{path}::/coarse", 3, chunksize=10**6)

    ours, theirs = both(call)
    same_map(ours, theirs, "coarse")
    assert read_map(ours).nnz == read_map(DEMO).nnz


@pytest.mark.parametrize("options", [{}, {"agg": {"count": "min"}, "columns": ["count"]}], ids=str)
def test_merge(both, tmp_path, options):
    for seed in (1, 2, 3):
        write_map(f"in{seed}.cool", maps.example_map(seed))
    inputs = [f"in{seed}.cool" for seed in (1, 2, 3)]

    def call(module, path):
        module.merge_coolers(path, inputs, mergebuf=20_000_000, **options)

    same_map(*both(call), "/")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cis_only": True},
        {"trans_only": True, "ignore_diags": 5},
        {"mad_max": 3, "min_nnz": 5, "min_count": 20, "tol": 1e-4},
        {"blacklist": [3, 4, 300], "chunksize": None},
        {"rescale_marginals": False},
        {"cis_only": True, "rescale_marginals": False},
        {"max_iters": 3},
    ],
    ids=str,
)
def test_balance(compat, small, options):
    clr = cooler.Cooler(small)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bias, stats = compat.balance_cooler(clr, **options)
        their_bias, their_stats = cooler.balance_cooler(clr, **options)
    if options.get("rescale_marginals", True):
        assert np.array_equal(bias, their_bias, equal_nan=True)
    else:  # scaled back, which may change the last digit
        assert np.allclose(bias, their_bias, rtol=1e-15, atol=0, equal_nan=True)
    assert list(stats) == list(their_stats)
    for name, value in their_stats.items():
        floats = np.asarray(value).dtype.kind == "f"
        assert np.array_equal(stats[name], value, equal_nan=floats), name
        assert np.ndim(stats[name]) == np.ndim(value), name


def test_balance_stores_what_cooler_does(both, small):
    def call(module, path):
        shutil.copy(small, path)
        for _ in range(2):  # an existing column is replaced
            module.balance_cooler(cooler.Cooler(path), store=True, store_name="w", cis_only=True)

    ours, theirs = both(call)
    with h5py.File(ours) as first, h5py.File(theirs) as second:
        a, b = first["bins/w"], second["bins/w"]
        assert np.array_equal(a[:], b[:], equal_nan=True)
        assert set(b.attrs) <= set(a.attrs)
        for name, value in b.attrs.items():
            floats = np.asarray(value).dtype.kind == "f"
            assert np.array_equal(a.attrs[name], value, equal_nan=floats), name


def test_balance_warns_at_the_limit(compat):
    with pytest.warns(compat.ConvergenceWarning):
        compat.balance_cooler(str(DEMO), max_iters=2)


def test_what_cannot_be_done_is_refused(compat):
    before = digest(DEMO)
    for call in (
        lambda: compat.balance_cooler(str(DEMO), x0=np.ones(3)),
        lambda: compat.zoomify_cooler(str(DEMO), "x.mcool", [20000], 1, h5opts={"shuffle": False}),
        lambda: compat.zoomify_cooler(str(DEMO), "x.mcool", [20000], 1, metadata={"a": 1}),
        lambda: compat.zoomify_cooler(str(DEMO), "x.mcool", [20000], 1, unheard_of=1),
        lambda: compat.coarsen_cooler(str(DEMO), "x.cool", 2, 1, agg={"count": np.ptp}),
    ):
        with pytest.raises(ValueError):
            call()
    assert not Path("x.mcool").exists() and digest(DEMO) == before


# What packages do


def hicstuff(module, source, path):
    """hicstuff/pipeline.py: a pyramid at multiples of the resolution, then the command."""
    resolution = 1000
    multiples = [resolution * factor for factor in (1, 2, 5, 10, 20, 50, 100)]
    module.zoomify_cooler(source, path, multiples, chunksize=10_000_000)


def hicool(module, source, path):
    """HiCool (R, through reticulate): every argument by name, numbers as R has them."""
    module.zoomify_cooler(
        base_uris=source,
        outfile=path,
        resolutions=[1000, 5000, 25000],
        chunksize=1e7,
        nproc=2,
        columns=None,
        dtypes=None,
        agg=None,
    )
    invoke = (
        module.invoke_balance
        if hasattr(module, "invoke_balance")
        else __import__("cooler.cli.zoomify").cli.zoomify.invoke_balance
    )
    invoke(args="--cis-only --min-nnz 3", resolutions=[5000, 25000], outfile=path)


def fan_c(module, source, path):
    """FAN-C compatibility/cooler.py: ten levels of a factor of two, then each balanced."""
    resolutions = [1000 * 2**i for i in range(10)]
    module.zoomify_cooler(source, path, resolutions, 1_000_000, nproc=2)
    for resolution in resolutions:
        uri = f"{path}::resolutions/{resolution}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bias, stats = module.balance_cooler(cooler.Cooler(uri), store=True)
        assert len(bias) == cooler.Cooler(uri).info["nbins"] and "var" in stats


@pytest.mark.parametrize("package", [hicstuff, hicool, fan_c], ids=lambda call: call.__name__)
def test_calls_of_a_package(both, small, package):
    same_pyramid(*both(lambda module, path: package(module, small, path)))


def test_a_failing_command_ends_as_in_cooler(compat, small):
    hicstuff(compat, small, "a.mcool")
    with pytest.raises(SystemExit) as caught:
        compat.invoke_balance("--no-such-option", [2000], "a.mcool")
    assert caught.value.code == 2
