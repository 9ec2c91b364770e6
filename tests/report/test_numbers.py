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

    def marginal(self, values, factors=None):
        """Sums over rows and columns of what balancing counts: no contacts of the first two
        diagonals, nothing twice but what lies on the diagonal."""
        far = self.bin2 - self.bin1 >= 2
        i, j, x = self.bin1[far], self.bin2[far], values[far].astype(float)
        if factors is not None:
            x = x * factors[i] * factors[j]
        n = len(self.chrom)
        return np.bincount(i, x, n) + np.bincount(j, x, n)

    def rules(self, min_nnz=10, mad_max=5):
        """For each bin the first rule that leaves it out: 0 min-nnz, 2 mad-max, 3 none of them."""
        few = self.marginal(self.count != 0) < min_nnz
        sums = self.marginal(self.count)
        for c in range(len(self.lengths)):
            of = slice(self.offsets[c], self.offsets[c + 1])
            positive = sums[of][sums[of] > 0]
            sums[of] = sums[of] / np.median(positive) if len(positive) else np.nan
        logs = np.log(sums[sums > 0])
        cutoff = np.exp(np.median(logs) - mad_max * np.median(np.abs(logs - np.median(logs))))
        return np.where(few, 0, np.where(sums < cutoff, 2, 3))

    def variances(self, tol=1e-5, rounds=200):
        """Of the marginals in each round of iterative correction."""
        factors = (self.rules() == 3).astype(float)
        found = []
        while len(found) < rounds and (not found or found[-1] >= tol):
            sums = self.marginal(self.count, factors)
            touched = sums[sums != 0]
            found.append(touched.var())
            factors /= np.where(sums == 0, 1, sums / touched.mean())
        return found

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
            masked = np.isnan(level.weight[of])
            told = sum(np.array(r or [0] * len(coverage))[first : first + n] for r in row)
            assert np.mean(told) == pytest.approx(masked.mean(), abs=0.02)
            for rule in range(4):
                told = np.array(row[rule] or [0] * len(coverage))[first : first + n]
                want = masked & (level.rules()[of] == rule)
                assert np.mean(told) == pytest.approx(want.mean(), abs=0.02)


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
    for name in ("once.html", "again.html"):
        run_ok("report", "--quiet", folder / "demo.mcool", "-o", name)
    assert Path("once.html").read_bytes() == Path("again.html").read_bytes()
    # The page of the run itself knows more, and nothing else.
    from_run, from_file = page_numbers(text), page_numbers(Path("once.html").read_text())
    for level in from_run["levels"]:
        assert level.pop("variances")
    assert from_run == from_file


def test_bins_left_out_by_rule(made):
    _, text, levels = made
    for told, level in zip(page_numbers(text)["levels"], levels, strict=True):
        masked = np.isnan(level.weight)
        assert told["masked"] == masked.sum()
        assert told["left_out"] == [(masked & (level.rules() == r)).sum() for r in range(4)]
    # Both rules leave something out of this map; none is left unexplained.
    total = np.sum([told["left_out"] for told in page_numbers(text)["levels"]], axis=0)
    assert total[0] > 0 and total[2] > 0 and total[1] == total[3] == 0


def test_limits_and_lists_of_regions_are_told_apart(tmp_path):
    run_ok("coarsen", "-k", "4", DEMO, "-o", "map.cool")
    Path("regions.bed").write_text("chr1\t0\t400000\n")
    said = run_ok(
        "balance", "--min-count", "30", "--min-nnz", "3", "--blacklist", "regions.bed", "--report",
        "page.html", "map.cool",
    )  # fmt: skip
    counts = re.search(r"min-nnz (\d+), min-count (\d+), mad-max (\d+), blacklist (\d+)", said.err)
    (level,) = page_numbers(Path("page.html").read_text())["levels"]
    few, small, low, other = level["left_out"]
    assert [few, small, low] == [int(n) for n in counts.groups()[:3]]
    assert other == int(counts[4]) > 0 and small > 0
    only_files(tmp_path, "map.cool", "page.html", "regions.bed")


def test_the_variance_of_each_round(made):
    _, text, levels = made
    for told, level in zip(page_numbers(text)["levels"], levels, strict=True):
        want = level.variances()
        assert len(told["variances"]) == len(want) > 3
        assert told["variances"] == pytest.approx(want, rel=1e-6, abs=1e-12)
    with h5py.File(made[0] / "demo.mcool") as file:
        for told in page_numbers(text)["levels"]:
            said = file[told["group"]]["bins/weight"].attrs["var"]
            assert told["variances"][-1] == said


def test_chromosomes_balanced_apart_show_the_largest_variance(tmp_path):
    run_ok("coarsen", "-k", "8", DEMO, "-o", "map.cool")
    run_ok("balance", "--quiet", "--cis-only", "--report", "page.html", "map.cool")
    (level,) = page_numbers(Path("page.html").read_text())["levels"]
    with h5py.File("map.cool") as file:
        last = file["bins/weight"].attrs["var"]
    assert len(last) > 1
    assert level["variances"][-1] in last and max(level["variances"]) == level["variances"][0]


def test_what_only_the_run_knows_is_shown_or_said_to_be_unknown(made):
    folder, text, _ = made
    assert "is known to the run" not in text
    assert re.search(r"The run took [\d.]+ (ms|s) and [\d.]+ (ms|s) of processor time", text)
    for stage in ("inflate", "coarsen", "encode", "iterate"):
        assert f"<td>{stage}</td>" in text
    run_ok("report", "--quiet", folder / "demo.mcool", "-o", "later.html")
    later = Path("later.html").read_text()
    assert "How the variance fell from round to round is known to the run" in later
    assert "How long the levels took is known to the run" in later
    assert 'id="variance"' in text and 'id="variance"' not in later
    refused(run("balance", "--stdout", "--report", "x.html", DEMO), "--stdout", code=2)


def test_verdicts_do_not_change_the_exit_code_and_notes_tell_them(made):
    Path("bad.mcool").write_bytes((made[0] / "demo.mcool").read_bytes())
    with h5py.File("bad.mcool", "r+") as file:
        file["resolutions/20000/pixels/count"][0] += 7
    assert "look here" in run_ok("report", "--progress", "json", "bad.mcool").err
    assert run("verify", "bad.mcool").code != 0


def test_numbers_for_multiqc_are_those_of_the_page(made, tmp_path):
    folder, _, levels = made
    run_ok(
        "report", "--quiet", folder / "demo.mcool", "-o", "p.html", "--multiqc", "demo_mqc.json"
    )
    content = json.loads(Path("demo_mqc.json").read_text())
    assert content["plot_type"] == "table"
    (row,) = content["data"].values()
    assert list(content["data"]) == ["demo"] and set(row) <= set(content["headers"])
    finest = levels[0]
    assert row["contacts"] == finest.count.sum() and row["pixels"] == len(finest.bin1)
    assert row["within"] == pytest.approx(100 * finest.count[finest.cis].sum() / finest.count.sum())
    assert row["left_out"] == pytest.approx(100 * np.isnan(finest.weight).mean())
    assert (row["finest"], row["levels"], row["balanced"]) == (10000, 6, 6)
    well = [lv.width for lv in levels if (lv.coverage() >= 1000).mean() >= 0.8]
    assert row.get("good_for") == (well[0] if well else None)
    assert row["look"] == Path("p.html").read_text().count('<li class="look">')
    refused(run("report", DEMO, "--multiqc", "demo.json"), "_mqc.json", code=2)
    only_files(tmp_path, "demo_mqc.json", "p.html")


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
