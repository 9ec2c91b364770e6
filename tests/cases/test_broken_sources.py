"""Sources that break the format's promises are refused; what can be derived is not needed."""

import os
from dataclasses import replace

import h5py
import numpy as np
import pytest

from support.balancing import check_balanced, masked_bins
from support.check import check_pyramid
from support.coolfile import digest, put_map, read_map, write_map
from support.maps import example_map
from support.program import only_files, refused, run, run_ok

pytestmark = pytest.mark.ours

MAKERS = {
    "zoomify": ("zoomify", "-r", "2000,8000", "-o", "out.cool"),
    "coarsen": ("coarsen", "-k", "4", "-o", "out.cool"),
}


def refused_by(command, words):
    """`in.cool` is refused by `command`; it stays as it was and alone in its folder."""
    before = digest("in.cool")
    refused(run(*command, "in.cool"), words, absent=["out.cool"])
    assert digest("in.cool") == before
    only_files(".", "in.cool")


def ids_too_high(m):
    bin2 = m.bin2.copy()
    bin2[-3:] = [m.nbins, m.nbins + 4, m.nbins + 900]
    return replace(m, bin2=bin2).sorted()


def ids_one_based(m):
    return replace(m, bin1=m.bin1 + 1, bin2=m.bin2 + 1)


def ids_negative(m):
    bin1 = m.bin1.copy()
    bin1[:4] = -1
    return replace(m, bin1=bin1).sorted()


def lower_triangle(m):
    flip = (m.bin1 != m.bin2) & (np.random.default_rng(20).random(m.nnz) < 0.3)
    return replace(
        m, bin1=np.where(flip, m.bin2, m.bin1), bin2=np.where(flip, m.bin1, m.bin2)
    ).sorted()


def unsorted(m):
    return m.take(np.random.default_rng(21).permutation(m.nnz))


OUT_OF_RANGE = r"bin|out of range|exceed|negative|pixel|index"
BROKEN = {
    "ids_too_high": (ids_too_high, OUT_OF_RANGE),
    "ids_negative": (ids_negative, OUT_OF_RANGE),
    "ids_one_based": (ids_one_based, OUT_OF_RANGE),
    "lower_triangle": (lower_triangle, r"upper|lower|triang|symmetr"),
    "unsorted": (unsorted, r"sort|order|index|offset"),
}


@pytest.mark.parametrize("fault", BROKEN)
class TestPixelTable:
    @pytest.fixture(autouse=True)
    def source(self, fault):
        spoil, self.words = BROKEN[fault]
        write_map("in.cool", spoil(example_map(118, {"or1": 30_000, "or2": 12_000})))

    @pytest.mark.parametrize("command", MAKERS)
    def test_refused(self, command, fault):
        refused_by(MAKERS[command], self.words)

    @pytest.mark.balance
    def test_refused_by_balance(self, fault):
        refused_by(("balance",), self.words)


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(
            {"drop_attrs": ("nnz", "sum", "nbins", "nchroms", "creation-date", "format-url")},
            id="missing",
        ),
        pytest.param({"attrs": {"nnz": np.int64(17), "sum": np.int64(5)}}, id="stale"),
    ],
)
class TestCountsInAttributes:
    """Converters leave nnz or sum out, or forget to renew them: the tables hold the truth."""

    @pytest.fixture(autouse=True)
    def source(self, how):
        self.map = example_map(122, {"at1": 40_000, "at2": 21_000}, trans=2)
        write_map("in.cool", self.map, **how)

    def test_are_right_on_every_level(self, how):
        run_ok("zoomify", "-r", "1000,2000,10000", "-o", "o.mcool", "in.cool")
        check_pyramid("o.mcool", self.map, [1000, 2000, 10000])

    @pytest.mark.balance
    def test_do_not_matter_to_balance(self, how):
        run_ok("balance", "--min-nnz", "1", "--mad-max", "0", "in.cool")
        weight = read_map("in.cool").bin_columns["weight"]
        check_balanced(self.map, weight, masked_bins(self.map, min_nnz=1, mad_max=0))


def whole_file():
    write_map("whole", example_map(146, {"tr1": 70_000, "tr2": 40_000}))
    with open("whole", "rb") as file:
        content = file.read()
    os.remove("whole")
    return content


def put_bytes(content):
    with open("in.cool", "wb") as file:
        file.write(content)


def truncated():
    content = whole_file()
    put_bytes(content[: len(content) * 6 // 10])


def truncated_early():
    put_bytes(whole_file()[:600])


def no_bytes():
    put_bytes(b"")


def plain_text():
    put_bytes(b"chr1\t0\t1000\tchr1\t0\t1000\t17\n" * 40)


def other_hdf5():
    with h5py.File("in.cool", "w") as file:
        file["data"] = np.arange(10)


def half_written():
    with h5py.File("in.cool", "w") as file:
        put_map(file, example_map(146), drop=["indexes", "pixels/count"])


FOREIGN = (
    r"hdf5|truncat|corrupt|damag|not a|no cooler|format|missing|found|doesn't exist|"
    r"does not exist|open|read|count|index"
)


@pytest.mark.parametrize(
    "make", [truncated, truncated_early, no_bytes, plain_text, other_hdf5, half_written]
)
class TestForeignFile:
    """Incomplete downloads and files of another kind get one plain line."""

    @pytest.mark.parametrize("command", MAKERS)
    def test_refused(self, make, command):
        make()
        refused_by(MAKERS[command], FOREIGN)

    @pytest.mark.balance
    def test_refused_by_balance(self, make):
        make()
        refused_by(("balance",), FOREIGN)

    def test_refused_by_info(self, make):
        if make is half_written:
            pytest.skip("its attributes may be shown")
        make()
        refused_by(("info",), FOREIGN)
