"""Commands that write text or pictures: what they read is never replaced by what they write."""

import os
import shutil
from pathlib import Path

import pytest

from support.program import refused, run

pytestmark = pytest.mark.ours

DEMO = Path(__file__).parents[2] / "testdata" / "demo.cool"


@pytest.fixture(autouse=True)
def inputs():
    shutil.copy(DEMO, "map.cool")
    shutil.copy("map.cool", "map_mqc.json")
    shutil.copy("map.cool", "map.png")
    Path("sizes").write_text("chr1\t1000\n")
    os.symlink("map.cool", "soft")
    os.link("map.cool", "hard")


@pytest.mark.parametrize("output", ["map.cool", "soft", "hard", "./map.cool"])
@pytest.mark.parametrize("command", ["dump", "info", "report"])
def test_a_map_is_not_replaced(command, output):
    before = Path("map.cool").read_bytes()
    refused(run(command, "-o", output, "map.cool"), "the same file as the input", code=1)
    assert Path("map.cool").read_bytes() == before


@pytest.mark.parametrize(
    "arguments, kept",
    [
        (("dump", "-t", "bins", "-o", "map.cool", "map.cool::/"), "map.cool"),
        (("makebins", "-o", "sizes", "sizes", "10"), "sizes"),
        (("plot", "map.png", "chr1", "-o", "map.png"), "map.png"),
        (("report", "map_mqc.json", "-o", "page.html", "--multiqc", "map_mqc.json"), "map_mqc.json"),
    ],
)
def test_nor_is_any_other_input(arguments, kept):
    before = Path(kept).read_bytes()
    refused(run(*arguments), "the same file as the input", code=1)
    assert Path(kept).read_bytes() == before
    assert not Path("page.html").exists()
