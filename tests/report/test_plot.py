"""Plots show the values of the file, in each format and from the level that fits."""

import base64
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest

from support.program import one_line, only_files, refused, run, run_ok

pytestmark = pytest.mark.ours

DEMO = Path(__file__).resolve().parents[2] / "testdata" / "demo.cool"
GREYS = ("--colours", "greys", "--scale", "linear", "--low", "0", "--high", "40")


def colours_of(png):
    """Rows of pixels with their three colours."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert list(png[24:29]) == [8, 2, 0, 0, 0]
    at = png.index(b"IDAT")
    (length,) = struct.unpack(">I", png[at - 4 : at])
    rows = zlib.decompress(png[at + 4 : at + 4 + length])
    return np.frombuffer(rows, np.uint8).reshape(height, 1 + 3 * width)[:, 1:].reshape(
        height, width, 3
    )


def pictures(svg):
    root = ElementTree.fromstring(svg)
    found = []
    for image in root.iter("{http://www.w3.org/2000/svg}image"):
        address = image.get("href").removeprefix("data:image/png;base64,")
        found.append(colours_of(base64.b64decode(address)))
    return found


def dense(first, end, group=None):
    with h5py.File(DEMO) as file:
        bin1, bin2 = file["pixels/bin1_id"][:], file["pixels/bin2_id"][:]
        count = file["pixels/count"][:]
    inside = (bin1 >= first) & (bin2 >= first) & (bin1 < end) & (bin2 < end)
    values = np.zeros((end - first, end - first))
    i, j = bin1[inside] - first, bin2[inside] - first
    values[i, j] = values[j, i] = count[inside]
    return values


def greys(values):
    shade = np.rint(254 * np.clip(values / 40, 0, 1))
    return np.floor(255 - 255 * shade / 254 + 0.5)


def test_a_region_as_svg_has_the_counts_of_its_cells():
    run_ok("plot", DEMO, "chr1:1M-2M", *GREYS, "-o", "x.svg")
    cells, bar = pictures(Path("x.svg").read_text())
    assert np.abs(cells[:, :, 0] - greys(dense(100, 200))).max() <= 1
    assert bar.shape == (255, 1, 3)
    assert "chr1:1,000,000-2,000,000" in Path("x.svg").read_text()


def test_many_bins_are_pooled_to_the_size_asked_for():
    run_ok("plot", DEMO, "chr1:0-2M", *GREYS, "--size", "50", "-o", "x.svg")
    cells, _ = pictures(Path("x.svg").read_text())
    pooled = dense(0, 200).reshape(50, 4, 50, 4).sum(axis=(1, 3))
    assert np.abs(cells[:, :, 0] - greys(pooled)).max() <= 1


def test_png_shows_the_same_cells(tmp_path):
    run_ok("plot", DEMO, "chr1:1M-2M", *GREYS, "--size", "100", "-o", "x.png")
    cells = colours_of(Path("x.png").read_bytes())[:, :, 0]
    want = greys(dense(100, 200))
    # Frame lines cover the outermost cells in part.
    inner = want[2:-2, 2:-2]
    found = [
        (y, x)
        for y in range(cells.shape[0] - 96)
        for x in range(cells.shape[1] - 96)
        if np.abs(cells[y : y + 96, x : x + 96].astype(int) - inner).max() <= 1
    ]
    assert len(found) == 1
    only_files(tmp_path, "x.png")


def test_a_pyramid_is_drawn_from_the_level_that_fits():
    run_ok("zoomify", "--quiet", "-r", "10000,20000,40000", DEMO, "-o", "d.mcool")
    for size, width, n in ((400, 10000, 200), (100, 20000, 100), (60, 40000, 50), (25, 40000, 25)):
        run_ok("plot", "d.mcool", "chr1:0-2M", *GREYS, "--size", size, "-o", "x.svg")
        text = Path("x.svg").read_text()
        assert f"  {width // 1000} kb" in text
        cells = pictures(text)[0]
        assert cells.shape == (n, n, 3)
        k = 200 // n
        pooled = dense(0, 200).reshape(n, k, n, k)
        # The diagonal of a coarser level counts a pair of bins once.
        off = ~np.eye(n, dtype=bool)
        got = np.abs(cells[:, :, 0] - greys(pooled.sum(axis=(1, 3))))
        assert got[off].max() <= 1


def test_triangle_two_regions_and_balanced():
    run_ok("zoomify", "--quiet", "--balance", "-r", "10000", DEMO, "-o", "d.mcool")
    run_ok("plot", "d.mcool", "chr1:1M-2M", "-b", "--triangle", "-o", "t.svg")
    triangle = pictures(Path("t.svg").read_text())[0]
    assert triangle.shape == (400, 800, 3)
    assert (triangle[0, :300] == 255).all() and (triangle[-1] != 255).any()
    run_ok("plot", "d.mcool", "chr1:1M-2M", "-r2", "chr1:1.5M-3M", *GREYS, "-o", "two.svg")
    assert pictures(Path("two.svg").read_text())[0].shape == (100, 150, 3)
    with h5py.File("d.mcool") as file:
        group = file["resolutions/10000"]
        weight = group["bins/weight"][100:200]
    run_ok("plot", "d.mcool", "chr1:1M-2M", "-b", *GREYS[:-1], "1", "-o", "b.svg")
    cells = pictures(Path("b.svg").read_text())[0]
    values = dense(100, 200) * weight[:, None] * weight[None, :]
    seen = ~np.isnan(values)
    assert np.abs(cells[:, :, 0][seen] - greys(40 * values[seen])).max() <= 1
    if not seen.all():
        assert len(np.unique(cells[~seen], axis=0)) == 1


def test_blocks_for_a_terminal():
    out = run_ok("plot", DEMO, "chr1:1M-2M", "--terminal", "blocks", "--size", "50", *GREYS).out
    lines = out.splitlines()
    assert len(lines) == 25 and all(line.count("▀") == 50 for line in lines)
    upper = [int(n) for n in re.findall(r"\[38;2;(\d+);", lines[0])]
    want = greys(dense(100, 200).reshape(50, 2, 50, 2).sum(axis=(1, 3)))
    assert np.abs(np.array(upper) - want[0]).max() <= 1


def test_equal_maps_give_equal_bytes():
    for name in ("a.png", "b.png"):
        run_ok("plot", DEMO, "chr1", "-o", name)
    assert Path("a.png").read_bytes() == Path("b.png").read_bytes()


def test_refusals(tmp_path):
    refused(run("plot", DEMO, "chr1", "-o", "x.gif"), "png or .svg", code=2)
    refused(run("plot", DEMO, "chr1"), "--out", code=2)
    for args in (
        ("chrQ", "-o", "x.png"),
        ("chr1", "-b", "-o", "x.png"),
        ("chr1", "--low", "3", "--high", "2", "-o", "x.png"),
        ("chr1", "--size", "9", "-o", "x.png"),
        ("chr1", "--triangle", "-r2", "chr1", "-o", "x.png"),
    ):
        one_line(refused(run("plot", DEMO, *args), "", code=1))
    only_files(tmp_path)
