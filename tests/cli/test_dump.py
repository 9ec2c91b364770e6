"""dump prints what the reference prints, byte for byte, and says what the reference cannot."""

import gzip
import os
import shlex
import subprocess
from dataclasses import replace
from random import Random

import h5py
import numpy as np
import pytest

from support import program, reference
from support.coolfile import write_map
from support.dump_mixes import Mixes
from support.maps import example_map, make_map, square_map
from support.program import refused, run, run_ok

pytestmark = pytest.mark.dump


def reference_text(path, uri, options):
    """What cooler dump prints, kept between runs."""
    args = ["dump", *options]
    kept = reference.cached(
        [path], [*args, str(uri).removeprefix(str(path))], lambda out: reference.run(*args, "-o", out, uri)
    )
    return kept.read_text()


def same_text(path, uri, options):
    options = shlex.split(options)
    assert run_ok("dump", *options, uri).out == reference_text(path, uri, options)


def weighted_map():
    m = example_map(201)
    weight = np.random.default_rng(201).random(m.nbins)
    weight[::7] = np.nan
    single = weight.astype(np.float32)
    tags = np.array([b"plain", b'"quoted"', b"a\tb"] * m.nbins)[: m.nbins]
    flags = np.arange(m.nbins) % 3 == 0
    return replace(
        m, bin_columns={"weight": weight, "KR": single, "tag": tags, "flag": flags,
                        "n": np.arange(m.nbins, dtype=np.uint16)}
    )


@pytest.fixture(scope="module")
def maps(tmp_path_factory):
    folder = tmp_path_factory.mktemp("maps")
    write_map(folder / "in.cool", weighted_map())
    write_map(folder / "square.cool", square_map(202))
    m = example_map(203)
    write_map(folder / "float.cool", m.with_columns(count=m.count * np.float32(1.37)))
    write_map(folder / "double.cool", m.with_columns(count=m.count / 7e9))
    edges = np.cumsum([0, 700, 1300, 2000, 400, 900, 3000, 1700])
    bins = (np.repeat([0, 1], 7), np.tile(edges[:-1], 2), np.tile(edges[1:], 2))
    i, j = np.triu_indices(14)
    varying = make_map({"a": 10_000, "b": 10_000}, None, (i, j, np.arange(1, len(i) + 1)), bins)
    write_map(folder / "varying.cool", varying)
    return folder


TABLES = [
    "",
    "-H",
    "-t chroms",
    "-t chroms -H -c length,name",
    "-t bins",
    "-t bins -H --na-rep NA",
    "-t bins -c weight",
    "-t bins -H -c end,tag,weight,flag,n",
    "-t bins --float-format .12g",
    "-b -H",
    "--weight-name KR --na-rep nan",
    "-b --float-format .17g",
    "-b --float-format '+012.4e'",
    "-b --float-format '.2f%%'",
    "--join -H",
    "--join -b --one-based-starts --one-based-ids",
    "--annotate weight,tag,flag,n -H --one-based-ids",
    "--join --annotate start,KR,chrom -b -H --one-based-starts",
]


@pytest.mark.parametrize("options", TABLES)
def test_tables(maps, options):
    same_text(maps / "in.cool", maps / "in.cool", options)


RANGES = [
    "-r chr1",
    "-r chr1:10,000-20,000",
    "-r chr2 --range2 chr1",
    "-r chr1 -r2 chr2",
    "-r chrX:5000-5000",
    "-r chr1:10500-10500",
    "-r chrM -r2 chrX:1k-",
    "-f",
    "-f -k 100",
    "-f -k 1",
    "-f -r chr1 -k 37",
    "-f -r chr2 -r2 chr1 -k 50",
    "-f -r chr1:10000-30000 -r2 chr1:20000-50000 -k 50",
    "-f -r chr1:20000-50000 -r2 chr1:10000-30000 -k 50",
    "-f -r chr1:20000-30000 -r2 chr1 -k 50",
    "-f -r chr1 -r2 chr1:20000-30000 -k 50",
    "-f -r chr1:0-20000 -r2 chr1:0-40000",
    "-f -r chr1:30000-61500 -r2 chr1:50000-61500",
    "-b --join -f -r chrX",
]


@pytest.mark.parametrize("options", RANGES)
def test_ranges(maps, options):
    same_text(maps / "in.cool", maps / "in.cool", options)


@pytest.mark.parametrize("name", ["square", "float", "double", "varying"])
@pytest.mark.parametrize("options", ["", "--join -H", "-f -k 20", "--float-format .9g"])
def test_other_maps(maps, name, options):
    same_text(maps / f"{name}.cool", maps / f"{name}.cool", options)


@pytest.mark.parametrize("options", ["-r a:700-2100", "-r b:1-1 -r2 a", "-f -r a:3000-9000 -r2 a", "-r a:700-700"])
def test_ranges_of_varying_bins(maps, options):
    same_text(maps / "varying.cool", maps / "varying.cool", options)


def weights_of(real):
    with h5py.File(real.path, "r") as file:
        group = file[real.group or "/"]
        return "weight" in group["bins"], reference_nnz(group)


def reference_nnz(group):
    return len(group["pixels/bin1_id"])


@pytest.mark.parametrize("real", [m for m in reference.REAL if m.file not in reference.LARGE], ids=str)
def test_real_maps(real):
    """A table of each kind; of the pixels of a large map those of its first chromosome."""
    has_weight, nnz = weights_of(real)
    with h5py.File(real.path, "r") as file:
        name = file[real.group or "/"]["chroms/name"][0]
    first = name.decode() if isinstance(name, bytes) else name
    part = ["-r", first] if nnz > 100_000 else []
    for options in (
        ["-t", "chroms", "-H"],
        ["-t", "bins", "-H", "--na-rep", "NA"],
        ["-H", "--join", *part, *(["-b"] if has_weight else [])],
        ["-f", "-k", "20000", *part],
    ):
        got = run_ok("dump", *options, real.uri).out
        assert got == reference_text(real.path, real.uri, options), f"options {options}"


# More of them, and others, by ZIGGURAT_DUMP_MIXES=400 and ZIGGURAT_DUMP_SEED=2.
N_MIXES = int(os.environ.get("ZIGGURAT_DUMP_MIXES", "3"))
SEED = os.environ.get("ZIGGURAT_DUMP_SEED", "1")


def same_in_mixes(path, group=""):
    random = Random(f"{SEED} {path.name}")
    mixes = Mixes(random, path, group)
    uri = f"{path}::{group}" if group else path
    for options in [mixes.options() for _ in range(N_MIXES)]:
        got, expected = run_ok("dump", *options, uri).out, reference_text(path, uri, options)
        only_header = "-H" in options and got.count("\n") == 1
        assert got == expected or (only_header and not expected), options


@pytest.mark.parametrize("name", ["in", "square", "float", "double", "varying"])
def test_mixes_of_options(maps, name):
    same_in_mixes(maps / f"{name}.cool")


@pytest.mark.parametrize("real", [m for m in reference.REAL if m.file not in reference.LARGE], ids=str)
def test_mixes_of_options_on_real_maps(real):
    same_in_mixes(real.path, real.group)


def test_whole_numbers_as_weights_stay_whole():
    m = example_map(204)
    write_map("in.cool", replace(m, bin_columns={"size": np.arange(m.nbins, dtype=np.int64) * 1000}))
    same_text("in.cool", "in.cool", "--weight-name size")


def test_output_file_and_gzip(maps, tmp_path):
    plain = run_ok("dump", "--join", maps / "in.cool").out
    run_ok("dump", "--join", "-o", "o.txt", maps / "in.cool")
    run_ok("dump", "--join", "-o", "o.txt.gz", maps / "in.cool")
    assert (tmp_path / "o.txt").read_text() == plain
    assert gzip.decompress((tmp_path / "o.txt.gz").read_bytes()).decode() == plain
    program.only_files(tmp_path, "o.txt", "o.txt.gz")


@pytest.mark.ours
def test_options_do_what_they_say_without_join(maps):
    rows = [line.split("\t") for line in run_ok("dump", maps / "in.cool").out.splitlines()]
    shifted = [[str(int(a) + 1), str(int(b) + 1), c] for a, b, c in rows]
    got = run_ok("dump", "--one-based-ids", maps / "in.cool").out
    assert [line.split("\t") for line in got.splitlines()] == shifted
    got = run_ok("dump", "-c", "count,bin1_id", maps / "in.cool").out
    assert [line.split("\t") for line in got.splitlines()] == [[c, a] for a, _, c in rows]
    empty = run_ok("dump", "-H", "-r", "chrM", "-r2", "chr1", maps / "in.cool").out
    assert empty == "bin1_id\tbin2_id\tcount\n"


def test_a_reader_that_has_enough(maps):
    """head closes the pipe: no message, as for any tool."""
    done = subprocess.run(
        ["bash", "-c", f"{program.PROGRAM} dump -f {maps / 'in.cool'} | head -n 2"],
        capture_output=True, text=True, check=False, timeout=60,
    )
    assert len(done.stdout.splitlines()) == 2
    if not program.IS_REFERENCE:
        assert done.stderr == ""


@pytest.mark.ours
@pytest.mark.parametrize(
    "options, words, code",
    [
        ("-t genes", "TABLE|table", 2),
        ("--float-format q", "format", 2),
        ("-k 0", "chunksize", 2),
        ("-r chr9", "chr9.*no chromosome", 1),
        ("-r chr1:5-3", "chr1:5-3", 1),
        ("-b --weight-name ICE", "ICE", 1),
        ("--annotate nothing", "nothing", 1),
        ("-t bins -c nothing", "nothing", 1),
        ("-o /no/such/folder/x", "/no/such/folder", 1),
    ],
)
def test_refusals(maps, options, words, code):
    result = run("dump", *shlex.split(options), maps / "in.cool")
    refused(result, words, code=code)
    program.one_line(result)
    assert result.out == ""


# What a stored table may be like, and dump must see through or refuse.

def text_of(m):
    return "".join(f"{a}\t{b}\t{c}\n" for a, b, c in zip(m.bin1, m.bin2, m.count))


@pytest.mark.ours
def test_a_missing_or_wrong_index_is_not_believed():
    m = example_map(204)
    write_map("none.cool", m, drop=("indexes/bin1_offset",))
    assert run_ok("dump", "none.cool").out == text_of(m)
    write_map("in.cool", m)
    inside = (m.chrom[m.bin1] == 1) & (m.chrom[m.bin2] == 1)
    for shift, first in ((1, 3), (-1, 3), (40, 20)):
        with h5py.File("in.cool", "r+") as file:
            index = m.bin1_offset()
            index[first:-1] = np.clip(index[first:-1] + shift, 0, m.nnz)
            file["indexes/bin1_offset"][:] = np.maximum.accumulate(index)
        assert run_ok("dump", "in.cool").out == text_of(m)
        assert run_ok("dump", "-r", "chr2", "in.cool").out == text_of(m.take(inside))


@pytest.mark.ours
def test_rows_out_of_order_are_sorted_and_repeats_kept():
    m = example_map(205)
    order = np.lexsort((-m.bin2, m.bin1))
    write_map("backwards.cool", m.take(order))
    assert run_ok("dump", "backwards.cool").out == text_of(m)
    twice = m.take(np.sort(np.r_[np.arange(m.nnz), 17]))
    write_map("twice.cool", twice)
    assert run_ok("dump", "twice.cool").out == text_of(twice)


@pytest.mark.ours
@pytest.mark.parametrize("row, column, words", [(5, 200, "bin2_id"), (5, 2, "below the diagonal")])
def test_pixels_outside_of_the_map_are_refused(row, column, words):
    m = example_map(206)
    at = int(np.flatnonzero(m.bin1 == row)[-1 if column > row else 0])
    bin2 = m.bin2.copy()
    bin2[at] = column
    write_map("in.cool", replace(m, bin2=bin2))
    result = run("dump", "in.cool")
    refused(result, words, code=1)
    assert str(at) in program.one_line(result)
    # What is not read is not judged.
    run_ok("dump", "-r", "chrX", "in.cool")
