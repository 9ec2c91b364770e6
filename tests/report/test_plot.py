"""Plots show the values of the file, in each format and from the level that fits."""

import base64
import os
import pty
import re
import select
import signal
import struct
import time
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest

from support.program import PROGRAM, one_line, only_files, refused, run, run_ok

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


def sixel_colours(text):
    """Rows of pixels, decoded as a terminal does."""
    head, body = re.fullmatch(r'\x1bP0;1;0q"1;1;(\d+;\d+)(.*)\x1b\\\n', text, re.DOTALL).groups()
    width, height = map(int, head.split(";"))
    pixels = np.full((height, width, 3), -1.0)
    colours, colour, x, y = {}, None, 0, 0
    for token in re.findall(r"#\d+(?:;2;\d+;\d+;\d+)?|!\d+[?-~]|[?-~]|\$|-", body):
        if token[0] == "#":
            number, *rest = token[1:].split(";")
            if rest:
                colours[number] = [2.55 * int(n) for n in rest[1:]]
            colour = colours[number]
        elif token == "$":
            x = 0
        elif token == "-":
            x, y = 0, y + 6
        else:
            n = int(token[1:-1]) if token[0] == "!" else 1
            bits = ord(token[-1]) - 63
            for row in range(6):
                if bits >> row & 1:
                    pixels[y + row, x : x + n] = colour
            x += n
    assert len(colours) <= 256
    return pixels


def kitty_colours(text):
    parts = re.findall(r"\x1b_G([^;]*);([A-Za-z0-9+/=]*)\x1b\\", text)
    assert "".join(f"\x1b_G{k};{d}\x1b\\" for k, d in parts) + "\n" == text
    assert parts[0][0].startswith("a=T,f=100,")
    assert [k.endswith("m=1") for k, _ in parts] == [True] * (len(parts) - 1) + [False]
    assert all(len(d) == 4096 for _, d in parts[:-1])
    return colours_of(base64.b64decode("".join(d for _, d in parts)))


@pytest.mark.parametrize("how", [GREYS, ("--colours", "viridis"), ("--triangle",)])
def test_terminals_with_pixels_show_the_picture_of_the_file(how):
    args = ("plot", DEMO, "chr1:1M-2M", *how, "--size", "150")
    run_ok(*args, "-o", "x.png")
    png = colours_of(Path("x.png").read_bytes())
    kitty = kitty_colours(run_ok(*args, "--terminal", "kitty").out)
    assert np.array_equal(kitty, png)
    sixel = sixel_colours(run_ok(*args, "--terminal", "sixel").out)
    assert sixel.shape == png.shape
    # Colours are told in percent; the rarest may be replaced by their like.
    far = np.abs(sixel - png).max(axis=2)
    assert np.mean(far > 1.3) < 0.01 and far.max() < 64


def in_terminal(env, answer, *args):
    """What the program writes to a terminal that answers so to what it is asked."""
    child, leader = pty.fork()
    if child == 0:
        clean = {k: v for k, v in os.environ.items() if k not in ("KITTY_WINDOW_ID", "TERM_PROGRAM")}
        os.execve(PROGRAM, ["ziggurat", *map(str, args)], {**clean, **env})
    out, deadline = b"", time.monotonic() + 20
    while time.monotonic() < deadline:
        if not select.select([leader], [], [], 0.2)[0]:
            continue
        try:
            part = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        if b"\x1b[c" in part:
            os.write(leader, answer)
        out += part
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("it hangs")
    assert os.waitpid(child, 0)[1] == 0
    os.close(leader)
    return out


def test_what_the_terminal_knows_is_found_out():
    plot = ("plot", DEMO, "chr1:1M-2M", "--size", "40", "--quiet", "--terminal", "auto")
    assert b"\x1b_G" in in_terminal({"TERM": "xterm-kitty"}, b"", *plot)
    assert b"\x1b_G" in in_terminal({"TERM": "xterm", "KITTY_WINDOW_ID": "1"}, b"", *plot)
    assert b"\x1bP0;1;0q" in in_terminal({"TERM": "foot"}, b"", *plot)
    asked = {"TERM": "xterm-256color"}
    assert b"\x1bP0;1;0q" in in_terminal(asked, b"\x1b[?62;4;22c", *plot)
    for answer in (b"\x1b[?64;1;22c", b"", b"nonsense"):
        out = in_terminal(asked, answer, *plot)
        assert b"\x1bP0" not in out and "▀".encode() in out
    assert b"\x1b[c" not in in_terminal({"TERM": "dumb"}, b"", *plot)
    # Not a terminal at all.
    assert run_ok(*plot).out.startswith("\x1b[38;2;")


def over_expected(values, weights=None):
    """Each cell over the mean of its diagonal."""
    n = len(values)
    both = np.ones((n, n), bool)
    if weights is not None:
        both = np.outer(~np.isnan(weights), ~np.isnan(weights))
        values = values * np.outer(weights, weights)
    far = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    sums = np.bincount(far.ravel(), np.where(both, values, 0).ravel())
    return values, (sums / np.maximum(1, np.bincount(far.ravel(), both.ravel())))[far]


RATIOS = ("--colours", "greys", "--scale", "linear", "--low", "0", "--high", "4", "--oe")


def test_observed_over_expected():
    with h5py.File(DEMO) as file:
        chrom = file["bins/chrom"][:]
    n = int((chrom == 0).sum())
    whole, expected = over_expected(dense(0, n))
    run_ok("plot", DEMO, "chr1:1M-2M", *RATIOS, "-o", "raw.svg")
    text = Path("raw.svg").read_text()
    assert "observed/expected" in text
    want = greys(10 * (whole[100:200, 100:200] / expected[100:200, 100:200]))
    cells = pictures(text)[0]
    assert np.abs(cells[:, :, 0] - want).max() <= 1
    # Several bins a cell: what is there over what is expected there.
    run_ok("plot", DEMO, "chr1:1M-2M", *RATIOS, "--size", "25", "-o", "pooled.svg")
    pooled = [m[100:200, 100:200].reshape(25, 4, 25, 4).sum(axis=(1, 3)) for m in (whole, expected)]
    cells = pictures(Path("pooled.svg").read_text())[0]
    assert np.abs(cells[:, :, 0] - greys(10 * pooled[0] / pooled[1])).max() <= 1


def test_observed_over_expected_of_balanced_values():
    run_ok("zoomify", "--quiet", "--balance", "-r", "10000", DEMO, "-o", "d.mcool")
    with h5py.File("d.mcool") as file:
        group = file["resolutions/10000"]
        n = int((group["bins/chrom"][:] == 0).sum())
        weights = group["bins/weight"][:n]
    values, expected = over_expected(dense(0, n), weights)
    # Parts of the map far from the diagonal, beside those that have no weights.
    run_ok(
        "plot", "d.mcool", "chr1:1M-2M", "-r2", "chr1:1.5M-3M", "-b", *RATIOS, "-o", "b.svg"
    )  # fmt: skip
    ratio = (values / np.where(expected > 0, expected, np.nan))[100:200, 150:300]
    cells = pictures(Path("b.svg").read_text())[0]
    seen = ~np.isnan(ratio)
    assert seen.any()
    assert np.abs(cells[:, :, 0][seen] - greys(10 * ratio[seen])).max() <= 1
    run_ok("plot", "d.mcool", "chr1:1M-2M", "-b", "--oe", "-o", "c.png")
    red, _, blue = np.moveaxis(colours_of(Path("c.png").read_bytes()).astype(int), 2, 0)
    assert (red - blue > 100).any() and (blue - red > 100).any(), "more and less than expected"
    one_line(refused(run("plot", DEMO, "chr1", "-r2", "chr2", "--oe", "-o", "x.png"), "one chrom"))


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
