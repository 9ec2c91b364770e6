"""Balancing where little is left: tiny contigs, masked maps, no solution; lists; old weights."""

import h5py
import numpy as np
import pytest

from support.balancing import check_balanced, masked_bins
from support.check import check_pyramid
from support.coolfile import digest, read_map, write_map
from support.maps import example_map, fixed_bins, make_map
from support.program import refused, run, run_ok

pytestmark = pytest.mark.balance

CONTIGS = {
    "big1": 2_010_000,
    "un_0001": 31_000,
    "big2": 1_480_000,
    "un_0002": 49_999,
    "un_0003": 66_673,
    "silent": 400_000,
    "un_0004": 1_200,
}
KEEP_ALL = ("--min-nnz", "2", "--mad-max", "0")


def weight_of(path, group="/", name="weight"):
    m = read_map(path, group)
    assert name in m.bin_columns, f"{path}::{group} has no bins/{name}"
    return m, m.bin_columns[name]


def converged(path, group="/"):
    with h5py.File(path, "r") as file:
        return bool(np.all(file[group]["bins/weight"].attrs["converged"]))


def weighted_in_place(*options, name="weight"):
    run_ok("balance", *options, "in.cool")
    return weight_of("in.cool", name=name)


@pytest.mark.parametrize("processes", [(), ("-p", "2")], ids=["default", "two"])
def test_cis_only_with_contigs_too_small_to_balance(processes):
    m = example_map(108, CONTIGS, 50_000, scale=400, trans=3)
    silent = m.chrom == m.names.index("silent")
    m = m.take(~(silent[m.bin1] | silent[m.bin2]))
    write_map("in.cool", m)
    _, weight = weighted_in_place("--cis-only", "--min-nnz", "5", *processes)
    masked = masked_bins(m, cis=True, min_nnz=5)
    check_balanced(m, weight, masked, mode="cis")
    for name in ("un_0001", "un_0002", "un_0003", "silent", "un_0004"):
        assert np.isnan(weight[m.chrom == m.names.index(name)]).all(), name


SHALLOW = {"am1": 400_000, "am2": 260_000, "am3": 90_000}


def shallow_map():
    rng = np.random.default_rng(129)
    nbins = len(fixed_bins(SHALLOW.values(), 10_000)[0])
    i, j = rng.integers(0, nbins, 60), rng.integers(0, nbins, 60)
    key, count = np.unique(np.minimum(i, j) * nbins + np.maximum(i, j), return_counts=True)
    return make_map(SHALLOW, 10_000, (key // nbins, key % nbins, count.astype(np.int32)))


@pytest.mark.parametrize(
    "m, levels, weighted",
    [
        pytest.param(shallow_map(), [20_000, 100_000], [], id="shallow"),
        pytest.param(make_map(SHALLOW, 10_000), [20_000, 100_000], [], id="empty"),
        pytest.param(
            example_map(129, SHALLOW, 10_000, scale=500, trans=6),
            [10_000, 20_000, 200_000, 1_000_000],
            [10_000, 20_000],
            id="deep",
        ),
    ],
)
def test_levels_where_everything_is_masked(m, levels, weighted):
    """All weights are NaN where the filters leave nothing, and nothing crashes."""
    write_map("in.cool", m)
    run_ok("zoomify", "-r", ",".join(map(str, levels)), "--balance", "-o", "o.mcool", "in.cool")
    for level in levels:
        got, weight = weight_of("o.mcool", f"/resolutions/{level}")
        masked = masked_bins(got)
        assert masked.all() == (level not in weighted), "the case is not what it should be"
        check_balanced(got, weight, masked)


@pytest.mark.parametrize("mode", ["--cis-only", "--trans-only"])
@pytest.mark.parametrize(
    "m",
    [
        pytest.param(shallow_map(), id="shallow"),
        pytest.param(make_map(SHALLOW, 10_000), id="empty"),
    ],
)
def test_masked_maps_in_other_modes(m, mode):
    write_map("in.cool", m)
    _, weight = weighted_in_place(mode)
    assert np.isnan(weight).all()


class TestNoSolution:
    """Contacts between 64 and 24 bins only: no weights can make all rows equal."""

    OPTIONS = ("--min-nnz", "1", "--mad-max", "0", "--max-iters", "20")

    @pytest.fixture(autouse=True)
    def source(self):
        i, j = np.meshgrid(np.arange(64), np.arange(64, 88), indexing="ij")
        count = np.random.default_rng(130).integers(5, 60, i.size).astype(np.int32)
        self.map = make_map({"nc1": 64_000, "nc2": 24_000}, 1000, (i.ravel(), j.ravel(), count))
        write_map("in.cool", self.map)

    def test_the_pyramid_is_finished_and_says_so(self):
        result = run_ok(
            "zoomify",
            "-r",
            "1000,2000,4000",
            "--balance",
            "--balance-args",
            " ".join(self.OPTIONS),
            "-o",
            "o.mcool",
            "in.cool",
        )
        assert "converge" in result.err.lower()
        check_pyramid("o.mcool", self.map, [1000, 2000, 4000])
        for level in (1000, 2000, 4000):
            _, weight = weight_of("o.mcool", f"/resolutions/{level}")
            assert np.isfinite(weight).any()
            assert not converged("o.mcool", f"/resolutions/{level}")

    def test_policy_error_stores_nothing_and_fails(self):
        result = run("balance", *self.OPTIONS, "--convergence-policy", "error", "in.cool")
        refused(result, "converge", code=1)
        assert read_map("in.cool").bin_columns == {}

    def test_policy_discard_stores_nothing(self):
        run_ok("balance", *self.OPTIONS, "--convergence-policy", "discard", "in.cool")
        assert read_map("in.cool").bin_columns == {}

    def test_policy_store_nan(self):
        _, weight = weighted_in_place(*self.OPTIONS, "--convergence-policy", "store_nan")
        assert np.isnan(weight).all()
        assert not converged("in.cool")


# Content of a blacklist and the regions (chromosome number, start, end) that it must mask.
BLACKLISTS = {
    "one_line": ("bl1\t5000\t9000\n", [(0, 5000, 9000)]),
    "no_newline": ("bl2\t100\t200", [(1, 100, 200)]),
    "empty": ("", []),
    "track": (
        'track name=bad description="bad places"\n# a remark\n'
        "bl1\t12500\t13001\tname\t0\t+\nbl2\t29500\t30200\n",
        [(0, 12500, 13001), (1, 29500, 30200)],
    ),
    "crlf": (
        "bl1\t0\t1000\r\nbl1\t60000\t60500\r\nbl2\t4000\t4001\r\n",
        [(0, 0, 1000), (0, 60000, 60500), (1, 4000, 4001)],
    ),
    "header": (
        "chrom\tstart\tend\nbl1\t20000\t22000\nbl2\t0\t500\n",
        [(0, 20000, 22000), (1, 0, 500)],
    ),
    "beyond": ("bl1\t58999\t99000\nbl2\t7000\t8000\n", [(0, 58999, 60500), (1, 7000, 8000)]),
}


@pytest.mark.ours
class TestBlacklist:
    @pytest.fixture(autouse=True)
    def source(self):
        self.map = example_map(133, {"bl1": 60_500, "bl2": 30_200}, scale=200, trans=4)
        write_map("in.cool", self.map)

    @pytest.mark.parametrize("name", BLACKLISTS)
    def test_bins_that_overlap_a_region_are_masked(self, name):
        content, regions = BLACKLISTS[name]
        with open("list.bed", "w", newline="") as file:
            file.write(content)
        m, hit = self.map, []
        for chrom, start, end in regions:
            hit += np.flatnonzero((m.chrom == chrom) & (m.start < end) & (m.end > start)).tolist()
        _, weight = weighted_in_place(*KEEP_ALL, "--blacklist", "list.bed")
        check_balanced(m, weight, masked_bins(m, min_nnz=2, mad_max=0, blacklist=hit))

    def test_a_missing_list_is_named(self):
        refused(run("balance", "--blacklist", "missing.bed", "in.cool"), r"missing\.bed|blacklist")
        assert read_map("in.cool").bin_columns == {}


class TestWeightsAlreadyThere:
    @pytest.fixture(autouse=True)
    def source(self):
        self.map = example_map(134, {"wt1": 52_000, "wt2": 30_000}, scale=150, trans=3)
        self.old = np.random.default_rng(134).uniform(0.1, 0.2, self.map.nbins)
        self.map.bin_columns = {"weight": self.old}
        write_map("in.cool", self.map)
        self.masked = masked_bins(self.map, min_nnz=2, mad_max=0)

    def test_are_not_replaced_unasked(self):
        before = digest("in.cool")
        refused(run("balance", *KEEP_ALL, "in.cool"), r"exist|force", code=1)
        assert digest("in.cool") == before

    def test_stay_beside_a_column_of_another_name(self):
        m, weight = weighted_in_place(*KEEP_ALL, "--name", "mine", name="mine")
        assert np.array_equal(m.bin_columns["weight"], self.old)
        check_balanced(m, weight, self.masked)

    def test_are_replaced_by_force_as_often_as_asked(self):
        for _ in range(2):
            m, weight = weighted_in_place(*KEEP_ALL, "--force")
            check_balanced(m, weight, self.masked)

    def test_printing_changes_nothing(self):
        before = digest("in.cool")
        lines = run_ok("balance", *KEEP_ALL, "--stdout", "in.cool").out.splitlines()
        assert digest("in.cool") == before
        printed = [
            float(line) if line.strip().lower() not in ("", "nan") else np.nan for line in lines
        ]
        check_balanced(self.map, printed, self.masked, tolerance=5e-3)
