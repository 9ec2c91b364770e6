"""The numbers and pictures of a report equal those that NumPy makes of the file."""

import base64
import html
import json
import math
import re
import struct
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest

from support import program
from support.program import one_line, only_files, refused, run, run_ok

pytestmark = pytest.mark.ours

DEMO = Path(__file__).resolve().parents[2] / "testdata" / "demo.cool"


class Level:
    """One level of a file, read with h5py."""

    def __init__(self, group):
        self.width = int(group.attrs["bin-size"])
        self.bin1 = group["pixels/bin1_id"][:]
        self.bin2 = group["pixels/bin2_id"][:]
        self.count = group["pixels/count"][:].astype(np.int64)
        self.chrom = group["bins/chrom"][:]
        self.weight = group["bins/weight"][:] if "weight" in group["bins"] else None
        self.lengths = group["chroms/length"][:]
        self.offsets = np.searchsorted(self.chrom, np.arange(len(self.lengths) + 1))
        self.cis = self.chrom[self.bin1] == self.chrom[self.bin2]

    def coverage(self):
        off = self.bin1 != self.bin2
        n = len(self.chrom)
        return np.bincount(self.bin1, self.count, n) + np.bincount(
            self.bin2[off], self.count[off], n
        )

    def decay(self):
        """[(distance, density, contacts)]: ten classes for each factor of ten."""
        far = (self.bin2 - self.bin1)[self.cis]
        found = np.bincount(far, self.count[self.cis])
        sizes = np.diff(self.offsets)
        classes = {}
        for d in range(2, int(sizes.max())):
            pairs = int(np.clip(sizes - d, 0, None).sum())
            contacts = found[d] if d < len(found) else 0
            k = math.floor(10 * math.log10(d * self.width))
            n, weighted, total = classes.get(k, (0, 0, 0))
            classes[k] = (n + pairs, weighted + pairs * d * self.width, total + contacts)
        area = (self.width / 1e6) ** 2
        return [(w / n, t / (n * area), t) for n, w, t in classes.values() if n and t]

    def square(self, chromosome=None):
        """(raw, balanced) as dense matrices of one chromosome or of all."""
        first, end = (
            (0, len(self.chrom))
            if chromosome is None
            else (self.offsets[chromosome], self.offsets[chromosome + 1])
        )
        raw = np.zeros((end - first, end - first))
        inside = (self.bin1 >= first) & (self.bin2 >= first) & (self.bin1 < end) & (self.bin2 < end)
        i, j = self.bin1[inside] - first, self.bin2[inside] - first
        raw[i, j] = raw[j, i] = self.count[inside]
        weight = self.weight[first:end]
        return raw, raw * weight[:, None] * weight[None, :]


def page_numbers(text):
    return json.loads(re.search(r'id="numbers">(.*?)</script>', text, re.DOTALL)[1])


def png_shades(address):
    data = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        (crc,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert crc == zlib.crc32(kind + content)
        chunks[kind] = content
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
    width, height, *form = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert form == [8, 3, 0, 0, 0]
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)
    assert not rows[:, 0].any()
    assert len({chunks[b"PLTE"][i : i + 3] for i in range(0, 768, 3)}) == 256
    return rows[:, 1:]


def heatmaps(text):
    """[(aria-label, {"raw": (low, high, shades), ...})]."""
    found = []
    for svg in re.findall(r'<svg class="heatmap".*?</svg>', text, re.DOTALL):
        layers = {}
        for kind, body in re.findall(r'<g class="(raw|balanced)">(<image.*?/>)', svg):
            attribute = dict(re.findall(r'([\w-]+)="(.*?)"', body))
            layers[kind] = (
                float(attribute["data-low"]),
                float(attribute["data-high"]),
                png_shades(attribute["href"]),
            )
        found.append((html.unescape(re.search(r'aria-label="(.*?)"', svg)[1]), layers))
    return found


def same_picture(layer, values):
    low, high, shades = layer
    assert np.array_equal(shades == 255, np.isnan(values))
    with np.errstate(divide="ignore", invalid="ignore"):
        want = np.rint(254 * np.clip(np.log(values / low) / np.log(high / low), 0, 1))
    want[values <= low] = 0
    seen = ~np.isnan(values)
    # Values are drawn from single precision: one on the border of two shades may fall to either.
    assert np.abs(shades[seen].astype(int) - want[seen].astype(int)).max() <= 1
    assert np.mean(shades[seen] != want[seen]) < 0.001


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    run_ok(
        "zoomify", "--balance", "--resolutions", "10000,20000,40000,80000,160000,320000",
        DEMO, "--out", folder / "demo.mcool", "--report", folder / "page.html",
    )  # fmt: skip
    with h5py.File(folder / "demo.mcool") as file:
        levels = [Level(g) for _, g in sorted(file["resolutions"].items(), key=lambda i: int(i[0]))]
    return folder, (folder / "page.html").read_text(), levels


def test_levels_have_the_numbers_of_the_file(made):
    _, text, levels = made
    told = page_numbers(text)["levels"]
    assert [n["bins"] for n in told] == [len(level.chrom) for level in levels]
    assert [n["pixels"] for n in told] == [len(level.bin1) for level in levels]
    assert [n["contacts"] for n in told] == [level.count.sum() for level in levels]
    assert [n["cis"] for n in told] == [level.count[level.cis].sum() for level in levels]
    assert "272,246" in text


def test_contacts_by_distance(made):
    _, text, levels = made
    for told, level in zip(page_numbers(text)["levels"], levels, strict=True):
        want = level.decay()
        assert len(told["decay"]) == len(want)
        assert [p[2] for p in told["decay"]] == [w[2] for w in want]
        assert np.allclose([p[:2] for p in told["decay"]], [w[:2] for w in want], rtol=1e-12)


def test_coverage_and_masked_bins_along_the_genome(made):
    _, text, levels = made
    track = page_numbers(text)["track"]
    finest = levels[0]
    coverage, starts = np.array(track["coverage"]), np.concatenate([[0], np.cumsum(finest.lengths)])
    for name, first, n, length in track["spans"]:
        c = int(name.removeprefix("chr")) - 1 if name[3:].isdigit() else None
        if c is None:
            continue
        assert length == finest.lengths[c] and starts[c + 1] - starts[c] == length
        inside = slice(finest.offsets[c], finest.offsets[c + 1])
        total = (coverage[first : first + n] * length / n / 1e6).sum()
        assert total == pytest.approx(finest.coverage()[inside].sum(), rel=1e-4)
        for row, level in zip(track["masked"], levels, strict=True):
            of = slice(level.offsets[c], level.offsets[c + 1])
            want = np.isnan(level.weight[of]).mean()
            assert np.mean(row[first : first + n]) == pytest.approx(want, abs=0.02)


def test_pictures_hold_the_values_of_the_file(made):
    _, text, levels = made
    by_title = dict(heatmaps(text))
    whole = by_title.pop("Heatmap of contacts between all chromosomes of demo.mcool")
    assert by_title
    fitting = [level for level in levels if len(level.chrom) <= 800]
    with h5py.File(DEMO) as file:
        names = [name.decode() for name in file["chroms/name"]]
    drawn = [span[0] for span in page_numbers(text)["track"]["spans"]]
    if drawn == names:
        for kind, values in zip(("raw", "balanced"), fitting[0].square(), strict=True):
            same_picture(whole[kind], values)
    for title, layers in by_title.items():
        c = names.index(title.removeprefix("Heatmap of contacts within "))
        level = next(v for v in levels if np.diff(v.offsets)[c] <= 400)
        for kind, values in zip(("raw", "balanced"), level.square(c), strict=True):
            same_picture(layers[kind], values)


def test_a_map_too_fine_is_pooled_in_its_picture(tmp_path):
    run_ok("report", "--quiet", DEMO, "--out", "page.html")
    with h5py.File(DEMO) as file:
        level = Level(file)
        names = [name.decode() for name in file["chroms/name"]]
    level.weight = np.ones(len(level.chrom))
    for title, layers in heatmaps(Path("page.html").read_text()):
        assert list(layers) == ["raw"]
        if "within" not in title:
            continue
        c = names.index(title.removeprefix("Heatmap of contacts within "))
        raw = np.triu(level.square(c)[0])
        k = next(k for k in range(1, 100) if -(-len(raw) // k) <= 400)
        edge = np.arange(0, len(raw), k)
        pooled = np.add.reduceat(np.add.reduceat(raw, edge, axis=0), edge, axis=1)
        same_picture(layers["raw"], pooled + np.triu(pooled, 1).T)
    only_files(tmp_path, "page.html")


def test_equal_maps_give_equal_bytes(made):
    folder, text, _ = made
    run_ok("report", "--quiet", folder / "demo.mcool", "-o", "again.html")
    assert Path("again.html").read_text() == text


def test_the_page_names_no_other_address(made):
    _, text, _ = made
    assert not re.findall(r'(?:src|href)="(?!data:|#)', text)
    assert "http" not in re.sub(r"http-equiv", "", text)


def test_what_is_wrong_is_said(made, tmp_path):
    folder, _, _ = made
    Path("bad.mcool").write_bytes((folder / "demo.mcool").read_bytes())
    with h5py.File("bad.mcool", "r+") as file:
        file["resolutions/20000/pixels/count"][0] += 7
        file["resolutions/40000/bins/weight"].attrs["converged"] = False
    result = run_ok("report", "bad.mcool")
    assert "look here: The levels do not hold the same contacts. 20 kb" in result.err
    assert "look here: Balancing did not converge. At 40 kb" in result.err
    assert "The attributes sum and nnz do not fit the pixels of 20 kb" in result.err
    assert "Look here" in Path("bad.html").read_text()
    only_files(tmp_path, "bad.html", "bad.mcool")


def test_names_are_text_and_never_markup(tmp_path):
    run_ok("dump", "-t", "chroms", DEMO)
    Path("odd.cool").write_bytes(DEMO.read_bytes())
    with h5py.File("odd.cool", "r+") as file:
        file.attrs["genome-assembly"] = "<script>alert(1)</script>&"
    run_ok("report", "odd.cool", "-o", "odd.html")
    text = Path("odd.html").read_text()
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&amp;" in text


def test_refusals_leave_nothing(tmp_path):
    one_line(refused(run("report", "absent.cool"), "absent.cool", code=1))
    one_line(refused(run("report", DEMO, "-o", "no/page.html"), "no", code=1))
    one_line(refused(run("report", "--weight-name", "odd", DEMO, "-o", "p.html"), "odd", code=1))
    refused(run("report", "--colours", "pink", DEMO), "pink", code=2)
    only_files(tmp_path)


def test_single_cells_are_not_levels_of_one_map(tmp_path):
    with h5py.File(DEMO) as source, h5py.File("cells.scool", "w") as file:
        for name in ("a", "b"):
            source.copy(source["/"], file.require_group("cells"), name)
    one_line(refused(run("report", "cells.scool"), "name one", code=1))
    run_ok("report", "--quiet", "cells.scool::/cells/a", "-o", "a.html")


def test_the_program_lists_the_command():
    assert program.has_command("report")


def test_a_base_that_was_not_balanced_is_shown_as_it_is(tmp_path):
    run_ok("zoomify", "--quiet", "--balance", "-r", "20000,40000", DEMO, "-o", "two.mcool")
    with h5py.File("two.mcool") as file:
        without = [int(r) for r, g in file["resolutions"].items() if "weight" not in g["bins"]]
    run_ok("report", "--quiet", "two.mcool")
    text = Path("two.html").read_text()
    assert ("There is no column weight at" in text) == bool(without)
    kinds = {tuple(layers) for _, layers in heatmaps(text)}
    assert ("raw", "balanced") in kinds
