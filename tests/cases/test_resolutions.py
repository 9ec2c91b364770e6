"""Lists of resolutions: what cannot be made is refused first, shorthands expand as documented."""

import numpy as np
import pytest

from support.check import check_pyramid
from support.coolfile import write_map
from support.maps import example_map, make_map
from support.program import only_files, refused, run, run_ok

LIST_WORDS = r"resol|multipl|divis|deriv|bin.?size|invalid|positive|not a number|integer"


@pytest.fixture
def source(tmp_path):
    m = example_map(101, {"chrP": 41_500, "chrQ": 23_000, "chrR": 9_900})
    write_map("in.cool", m)
    return m


@pytest.mark.parametrize(
    "levels", ["1000,2500", "500", "2000,1500,4000", "0", "-2000", "2000,abc", "2000.5", ""]
)
def test_a_list_that_cannot_be_made_is_refused_before_anything_is_written(source, levels, tmp_path):
    refused(
        run("zoomify", f"--resolutions={levels}", "-o", "bad.mcool", "in.cool"),
        LIST_WORDS,
        absent=["bad.mcool"],
    )
    only_files(tmp_path, "in.cool")


def test_levels_need_to_divide_the_base_only(source):
    run_ok("zoomify", "-r", "2000,3000", "-o", "good.mcool", "in.cool")
    check_pyramid("good.mcool", source, [2000, 3000])


@pytest.fixture(scope="module")
def genome(tmp_path_factory):
    """12.75 Mb: a quarter of a thousand tiles want bins of 49,805 bp, where the ladders end."""
    chroms = {"chrI": 7_400_300, "chrII": 5_349_700}
    rng = np.random.default_rng(103)
    nbins = 7401 + 5350
    i = np.sort(rng.integers(0, nbins, 9000))
    j = np.minimum(nbins - 1, i + rng.geometric(0.02, 9000) - 1)
    key, count = np.unique(i * nbins + j, return_counts=True)
    m = make_map(chroms, 1000, (key // nbins, key % nbins, count.astype(np.int32)))
    return m, write_map(tmp_path_factory.mktemp("genome") / "in.cool", m)


BINARY = [2000, 4000, 8000, 16000, 32000]


@pytest.mark.parametrize(
    "spec, levels",
    [
        ("4DN", [1000, 2000, 5000, 10000, 25000]),
        ("1000N", [1000, 2000, 5000, 10000, 20000]),
        ("2000N", [2000, 4000, 10000, 20000, 40000]),
        ("1000,5000N", [1000, 5000, 10000, 25000]),
        ("n", [1000, 2000, 5000, 10000, 20000]),
        ("B", BINARY),
        (None, BINARY),
        (" 4000 , 2000,4000", [2000, 4000]),
        pytest.param("2000B", BINARY, marks=pytest.mark.ours),
        pytest.param("3000b", [3000, 6000, 12000, 24000, 48000], marks=pytest.mark.ours),
    ],
)
def test_shorthands_expand_as_documented(genome, spec, levels):
    source, path = genome
    run_ok("zoomify", *(["-r", spec] if spec else []), "-o", "o.mcool", path)
    check_pyramid("o.mcool", source, levels)
