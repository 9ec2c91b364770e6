"""Files with several collections, foreign weight columns, and other ways to store the same data."""

import numpy as np
import pytest

from support.balancing import check_balanced, masked_bins
from support.check import check_level, check_pyramid
from support.coolfile import digest, read_map, resolutions, write_map, write_pyramid
from support.maps import coarsened, example_map
from support.program import refused, run, run_ok

CHROMS = {"rt1": 44_000, "rt2": 18_000}
CIS_TRANS = {"hw1": 64_000, "hw2": 29_000}
BALANCE_ARGS = "--min-nnz 2 --mad-max 0"


class TestRootMarkedAsOneMatrix:
    """Some writers mark the root of an .mcool as if it were a collection itself."""

    @pytest.fixture(autouse=True)
    def source(self):
        levels = {size: example_map(size, CHROMS, size) for size in (2000, 6000)}
        marks = {"format": "HDF5::Cooler", "format-version": np.int64(3)}
        write_pyramid("in.mcool", levels, marks)
        self.base = levels[2000]

    @pytest.mark.ours
    def test_the_root_is_not_listed(self):
        lines = run_ok("ls", "in.mcool").out.split()
        assert [line.split("::")[1] for line in lines] == ["/resolutions/2000", "/resolutions/6000"]

    def test_a_level_of_it_is_a_source(self):
        run_ok("zoomify", "-r", "4000,12000", "-o", "o.mcool", "in.mcool::/resolutions/2000")
        check_pyramid("o.mcool", self.base, [4000, 12000])


@pytest.mark.ours
class TestWrongOrMissingGroup:
    @pytest.fixture(autouse=True)
    def source(self):
        self.levels = {size: example_map(size, CHROMS, size) for size in (1000, 2000, 4000)}
        write_pyramid("in.mcool", self.levels)
        self.before = digest("in.mcool")

    def refused(self, words, *command):
        refused(run(*command), words, absent=["out.cool"])
        assert digest("in.mcool") == self.before

    def test_coarsen_wants_a_level(self):
        self.refused(r"resolution|::|group", "coarsen", "-k", "2", "-o", "out.cool", "in.mcool")

    def test_zoomify_wants_a_level_or_takes_the_finest(self):
        result = run("zoomify", "-r", "8000", "-o", "out.cool", "in.mcool")
        if result.code != 0:
            refused(result, r"resolution|::|group", absent=["out.cool"])
        else:
            assert resolutions("out.cool") == [1000, 8000]
            check_level("out.cool", "/resolutions/8000", coarsened(self.levels[1000], 8))

    @pytest.mark.parametrize("group", ["/resolutions/7777", "/nothing"])
    def test_the_missing_group_is_named(self, group):
        self.refused(
            group.split("/")[-1], "coarsen", "-k", "2", "-o", "out.cool", f"in.mcool::{group}"
        )

    @pytest.mark.balance
    def test_balance_names_the_missing_group(self):
        self.refused("nothing", "balance", "in.mcool::/nothing")

    @pytest.mark.balance
    def test_balance_takes_every_level(self):
        run_ok("balance", *BALANCE_ARGS.split(), "in.mcool")
        for size in self.levels:
            level = read_map("in.mcool", f"/resolutions/{size}")
            masked = masked_bins(level, min_nnz=2, mad_max=0)
            check_balanced(level, level.bin_columns["weight"], masked)


class TestWeightsOfOtherFormats:
    """Columns that divide come from .hic files: kept on the base, not invented elsewhere."""

    @pytest.fixture(autouse=True)
    def source(self):
        rng = np.random.default_rng(138)
        m = example_map(138, CIS_TRANS, scale=150, trans=3)
        kr = rng.uniform(0.5, 1.8, m.nbins)
        kr[:3] = np.nan
        vc = rng.uniform(0.2, 3.0, m.nbins)
        m.bin_columns = {"KR": kr, "VC": vc, "VC_SQRT": np.sqrt(vc)}
        self.map = m
        write_map("in.cool", m, column_attrs={"bins/KR": {"divisive_weights": True}})

    def base_keeps_them(self, path, group):
        kept = read_map(path, group).bin_columns
        for name, values in self.map.bin_columns.items():
            assert np.array_equal(kept[name], values, equal_nan=True), name

    def test_only_the_base_has_them(self):
        run_ok("zoomify", "-r", "2000,10000", "-o", "o.mcool", "in.cool")
        self.base_keeps_them("o.mcool", "/resolutions/1000")
        for level in (2000, 10000):
            assert read_map("o.mcool", f"/resolutions/{level}").bin_columns == {}

    @pytest.mark.balance
    def test_weight_is_computed_beside_them(self):
        run_ok(
            "zoomify",
            "-r",
            "1000,2000",
            "--balance",
            "--balance-args",
            BALANCE_ARGS,
            "-o",
            "o.mcool",
            "in.cool",
        )
        self.base_keeps_them("o.mcool", "/resolutions/1000")
        for level in (1000, 2000):
            m = read_map("o.mcool", f"/resolutions/{level}")
            check_balanced(m, m.bin_columns["weight"], masked_bins(m, min_nnz=2, mad_max=0))

    @pytest.mark.balance
    def test_balance_in_place_leaves_them(self):
        run_ok("balance", *BALANCE_ARGS.split(), "in.cool")
        self.base_keeps_them("in.cool", "/")


LAYOUTS = {
    "count_int64": {"count": "i8"},
    "ids_int32": {"id_dtype": "i4"},
    "big_endian": {"count": ">i4", "id_dtype": ">u8", "position_dtype": ">i4"},
    "contiguous": {"filters": {}},
    "positions_int64": {"position_dtype": "i8"},
    "chrom_uint8": {"enum": False, "chrom_dtype": "u1"},
    "tiny_chunks": {"filters": {"chunks": 3, "compression": "gzip", "compression_opts": 1}},
    "fletcher32": {"filters": {"fletcher32": True, "compression": "gzip", "shuffle": True}},
}


@pytest.fixture(params=LAYOUTS)
def stored(request):
    """The same map, stored as another writer might."""
    how = dict(LAYOUTS[request.param])
    m = example_map(154, {"it1": 50_000, "it2": 23_400}, scale=90, trans=2)
    m = m.with_columns(count=m.count.astype(how.pop("count", "i4")))
    write_map("in.cool", m, **how)
    return m


@pytest.mark.ours
def test_what_the_file_describes_is_read(stored):
    run_ok("zoomify", "-r", "2000,8000", "-o", "o.mcool", "in.cool")
    check_pyramid("o.mcool", stored, [2000, 8000])


@pytest.mark.ours
@pytest.mark.balance
def test_what_the_file_describes_is_balanced(stored):
    run_ok(
        "zoomify",
        "-r",
        "1000,2000",
        "--balance",
        "--balance-args",
        BALANCE_ARGS,
        "-o",
        "o.mcool",
        "in.cool",
    )
    m = read_map("o.mcool", "/resolutions/2000")
    check_balanced(m, m.bin_columns["weight"], masked_bins(m, min_nnz=2, mad_max=0))


@pytest.mark.ours
@pytest.mark.dump
def test_what_the_file_describes_is_dumped(stored):
    run_ok("coarsen", "-k", "8", "-o", "o.cool", "in.cool")
    rows = [
        tuple(int(float(v)) for v in line.split("\t")[:3])
        for line in run_ok("dump", "o.cool").out.splitlines()
    ]
    m = coarsened(stored, 8)
    assert rows == list(zip(m.bin1.tolist(), m.bin2.tolist(), m.count.tolist()))


@pytest.mark.ours
def test_a_filter_the_library_lacks_is_named():
    m = example_map(154)
    write_map("in.cool", m, filters={"compression": "lzf"})
    result = run("zoomify", "-r", "2000", "-o", "o.mcool", "in.cool")
    if result.code != 0:
        refused(result, r"lzf|filter|compress", absent=["o.mcool"])
    else:
        check_pyramid("o.mcool", m, [2000])
