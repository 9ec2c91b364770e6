"""cload and load: contacts to a map. The expected pixels are counted here line by line in Python, and
compared with cooler's own result wherever cooler does the same thing.
"""

import gzip
import json
import os
import random
import subprocess
import zlib

import h5py
import numpy as np
import pytest

from support import program, reference
from support.coolfile import digest, read_map
from support.program import only_files, refused, run, run_ok

CHROMS = {"chr1": 100_000, "chr2": 60_000, "chr10": 33_333, "chrM": 900}
SIZE = 5000
FOUR_DN = ("-c1", "2", "-p1", "3", "-c2", "4", "-p2", "5")


@pytest.fixture(autouse=True)
def genome(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open("sizes", "w") as file:
        file.writelines(f"{name}\t{length}\n" for name, length in CHROMS.items())


def contacts(seed, n, chroms=CHROMS):
    """(chromosome, position from 1) twice, anywhere and in any order."""
    rng = random.Random(seed)
    names = list(chroms)

    def place():
        name = rng.choice(names)
        return name, rng.randint(1, chroms[name])

    return [place() + place() for _ in range(n)]


def pairs_text(rows, header="## pairs format v1.0\n#columns: readID chr1 pos1 chr2 pos2\n"):
    return header + "".join(f"r{i}\t{a}\t{p}\t{b}\t{q}\t+\t-\n" for i, (a, p, b, q) in enumerate(rows))


def cell_of(row, size=SIZE, chroms=CHROMS, reflect=True, first=1):
    offset, at = {}, 0
    for name, length in chroms.items():
        offset[name] = at
        at += -(-length // size)
    rank = list(chroms).index
    ends = [(rank(c), p - first, offset[c]) for c, p in (row[:2], row[2:4])]
    if reflect:
        ends.sort()
    return tuple(o + p // size for _, p, o in ends)


def counted(rows, **how):
    cells = {}
    for row in rows:
        cell = cell_of(row, **how)
        cells[cell] = cells.get(cell, 0) + 1
    return cells


def cells_of(path, column="count"):
    m = read_map(path)
    assert (np.lexsort((m.bin2, m.bin1)) == np.arange(m.nnz)).all()
    with h5py.File(path) as file:
        assert (file["indexes/bin1_offset"][:] == m.bin1_offset()).all()
        assert (file["indexes/chrom_offset"][:] == m.chrom_offset()).all()
    return dict(zip(zip(m.bin1.tolist(), m.bin2.tolist()), m.columns[column].tolist()))


def same_as_cooler(path, *args, rtol=0.0):
    """cooler's output for the same command line has the same tables and attributes."""
    reference.run(*args, "cooler.out")
    with h5py.File(path) as ours, h5py.File("cooler.out") as theirs:
        for table in ("chroms", "bins", "pixels", "indexes"):
            assert sorted(ours[table]) == sorted(theirs[table])
            for name, values in theirs[table].items():
                got = ours[table][name]
                assert got.dtype == values.dtype, name
                if rtol and values.dtype.kind == "f":
                    assert np.allclose(got[:], values[:], rtol=rtol, atol=0), name
                else:
                    assert np.array_equal(got[:], values[:]), name
        for name, value in theirs.attrs.items():
            if name in ("creation-date", "generated-by", "format-url"):
                continue
            got = ours.attrs[name]
            assert json.loads(got) == json.loads(value) if name == "metadata" else got == value, name


def write(name, text):
    with open(name, "w", newline="") as file:
        file.write(text)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-N",),
        ("--assembly", "toy1"),
        ("--input-copy-status", "duplex"),
        ("-0",),
        ("-p", "1", "--chunksize", "100"),
        ("--no-symmetric-upper", "--zero-based"),
    ],
    ids=" ".join,
)
def test_options_as_cooler(options):
    rows = [(a, max(p - 1, 1), b, max(q - 1, 1)) for a, p, b, q in contacts(1, 3000)]
    write("in.pairs", pairs_text(rows))
    command = ("cload", "pairs", *FOUR_DN, *options, f"sizes:{SIZE}", "in.pairs")
    run_ok(*command, "out.cool")
    theirs = [o for o in options if o not in ("-p", "1")]
    same_as_cooler("out.cool", "cload", "pairs", *FOUR_DN, *theirs, f"sizes:{SIZE}", "in.pairs")
    if not options or "--assembly" in options:
        assert cells_of("out.cool") == counted(rows)
    if options == ("-N",):
        assert cells_of("out.cool") == counted(rows, reflect=False)


def test_metadata_is_kept():
    write("in.pairs", pairs_text(contacts(2, 50)))
    write("about.json", '{"lab": "us", "n": [1, 2.5, null],\n "ü": true}\n')
    command = ("cload", "pairs", *FOUR_DN, "--metadata", "about.json", f"sizes:{SIZE}", "in.pairs")
    run_ok(*command, "out.cool")
    same_as_cooler("out.cool", *command)
    write("about.json", "{no json}")
    refused(run(*command, "no.cool"), "about.json.*JSON", absent=["no.cool"])


ODD = {
    "flipped and between chromosomes": "a\tchr2\t5\tchr1\t7\nb\tchr10\t1\tchr2\t60000\nc\tchr1\t9000\tchr1\t2\n",
    "order of the sizes and not of names": "a\tchr10\t5\tchr2\t7\na\tchr2\t5\tchr10\t7\n",
    "no end of line at the end": "a\tchr1\t5\tchr1\t7\nb\tchr1\t6\tchr1\t90000",
    "lines end in CR LF": "#x\r\na\tchr1\t5\tchr1\t7\r\nb\tchr1\t6\tchr1\t90000\r\n",
    "more columns in some lines": "a\tchr1\t5\tchr1\t7\tx\tyy\nb\tchr1\t6\tchr2\t90\nc\tchr1\t5\tchr1\t7\tx\tyy\tz\n",
    "the same line again": "a\tchr1\t5\tchr1\t7\n" * 5,
    "empty lines": "\na\tchr1\t5\tchr1\t7\n\n\nb\tchr1\t5\tchr1\t7\n\n",
    "ends of chromosomes": "a\tchr1\t1\tchr1\t100000\nb\tchrM\t900\tchr10\t33333\n",
    "unknown chromosomes": "a\t!\t0\tchr1\t7\nb\tchrUn\t99999999\tchr1\t5\nc\tchr1\t5\tchr1\t5\n",
    "blanks around numbers": "a\tchr1\t 5\tchr1\t7\n",
    "quality strings": "a\tchr1\t5\tchr1\t7\t\tUU\tIIII#,:\n",
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_odd_inputs_as_cooler(text):
    write("in.pairs", "## pairs format v1.0\n#header\n" + text)
    command = ("cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "in.pairs")
    run_ok(*command, "out.cool")
    same_as_cooler("out.cool", *command)


def test_position_just_past_the_end_as_cooler():
    """From 0, cooler takes the length itself; where bins end evenly it goes astray, ziggurat does not."""
    write("in.pairs", "a\tchr10\t33333\tchr10\t0\nb\tchrM\t900\tchrM\t0\n")
    command = ("cload", "pairs", *FOUR_DN, "-0", f"sizes:{SIZE}", "in.pairs")
    result = run_ok(*command, "out.cool")
    same_as_cooler("out.cool", *command)
    if not program.IS_REFERENCE:
        assert "past the end" in result.err
        write("in.pairs", "a\tchr1\t100000\tchr1\t0\n")
        run_ok(*command, "out.cool")
        assert cells_of("out.cool") == {(0, 19): 1}


@pytest.mark.ours
def test_comments_within_the_text():
    write("in.pairs", "#a\nx\tchr1\t5\tchr1\t7\n#SN:chr1\nx\tchr1\t5\tchr1\t7\n")
    run_ok("cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "in.pairs", "out.cool")
    assert cells_of("out.cool") == {(0, 0): 2}
    write("in.pairs", "@SQ\nx\tchr1\t5\tchr1\t7\n")
    run_ok("cload", "pairs", *FOUR_DN, "--comment-char", "@", f"sizes:{SIZE}", "in.pairs", "out.cool")
    assert cells_of("out.cool") == {(0, 0): 1}


@pytest.mark.ours
@pytest.mark.parametrize("text", ["", "## pairs format v1.0\n#columns: readID\n"])
def test_no_contacts_make_an_empty_map(text):
    write("in.pairs", text)
    result = run_ok("cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "in.pairs", "out.cool")
    assert cells_of("out.cool") == {} and "no contacts" in result.err
    run_ok("verify", "out.cool")


def bgzip_member(part, length=None):
    """With its length, or another one, in an extra field."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = packer.compress(part) + packer.flush()
    length = (len(body) + 25 if length is None else length) % 65536
    head = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + length.to_bytes(2, "little")
    return head + body + zlib.crc32(part).to_bytes(4, "little") + len(part).to_bytes(4, "little")


BGZIP_END = bgzip_member(b"")


def bgzipped(data, size=20_000):
    """Members as bgzip makes them, and the empty one at the end."""
    return b"".join(bgzip_member(data[i : i + size]) for i in range(0, len(data), size)) + BGZIP_END


def packed(kind, data):
    if kind == "gzip":
        return gzip.compress(data)
    if kind == "members":
        return gzip.compress(data[:77_777]) + gzip.compress(data[77_777:]) + bytes(512)
    return bgzipped(data) if kind == "bgzip" else data


@pytest.mark.ours
@pytest.mark.parametrize("kind", ["plain", "gzip", "members", "bgzip"])
@pytest.mark.parametrize("stdin", [False, True], ids=["file", "stdin"])
def test_compression_is_seen(kind, stdin):
    rows = contacts(3, 40_000)  # more than a block of text
    with open("in", "wb") as file:
        file.write(packed(kind, pairs_text(rows).encode()))
    command = [program.PROGRAM, "cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "-" if stdin else "in", "out.cool"]
    with open("in", "rb") as file:
        subprocess.run(command, stdin=file if stdin else subprocess.DEVNULL, check=True, timeout=60)
    assert cells_of("out.cool") == counted(rows)


@pytest.mark.ours
@pytest.mark.parametrize(
    "pack, notes_end",
    [
        (lambda a, b: bgzipped(a)[: -len(BGZIP_END)] + 3 * BGZIP_END + bgzipped(b), False),
        (lambda a, b: bgzipped(a) + bgzipped(b), False),
        (lambda a, b: bgzipped(a) + gzip.compress(b) + BGZIP_END, False),
        (lambda a, b: gzip.compress(a) + bgzipped(b), False),
        (lambda a, b: bgzip_member(a + b, length=77) + BGZIP_END, False),
        (lambda a, b: bgzipped(a + b)[: -len(BGZIP_END)], True),
        (lambda a, b: bgzipped(a) + gzip.compress(b), True),
        (lambda a, b: bgzip_member(a + b, length=77), True),
    ],
    ids=["empty members", "two files", "gzip within", "gzip before", "wrong length", "no end mark",
         "gzip behind", "one member"],
)  # fmt: skip
def test_bgzip_of_every_make(pack, notes_end):
    rows = contacts(12, 30_000)
    data = pairs_text(rows).encode()
    cut = data.index(b"\n", 700_000) - 5
    with open("in", "wb") as file:
        file.write(pack(data[:cut], data[cut:]))
    result = run_ok("cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "in", "out.cool")
    assert cells_of("out.cool") == counted(rows)
    assert ("in: bgzip's end mark is missing" in result.err) == notes_end


@pytest.mark.ours
def test_bgzip_that_is_cut_is_refused():
    data = pairs_text(contacts(13, 20_000)).encode()
    whole = bgzipped(data)[: -len(BGZIP_END)]
    for name, content, words in [
        ("within a member", whole[: len(whole) // 2 - 7], "in: the gzip data are cut short"),
        ("within the end mark", whole + BGZIP_END[:-3], "in: the gzip data are cut short"),
        ("between members", bgzipped(data[:-9])[: -len(BGZIP_END)], "in: the bgzip data are cut short.*within a line"),
    ]:
        with open("in", "wb") as file:
            file.write(content)
        result = run("cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "in", "out.cool")
        refused(result, words, code=1, absent=["out.cool"]), name


@pytest.mark.ours
def test_damaged_and_foreign_compression_is_refused():
    data = packed("gzip", pairs_text(contacts(4, 20_000)).encode())
    for name, content, words in [
        ("cut", data[: len(data) // 2], "in.*cut short"),
        ("flipped", data[:5000] + bytes([data[5000] ^ 4]) + data[5001:], "in: .*damaged|in, line"),
        ("bz2", b"BZh91AY&SY" + bytes(50), "bzip2.*bzcat"),
        ("xz", b"\xfd7zXZ\0" + bytes(50), "xz"),
        ("zstd", b"\x28\xb5\x2f\xfd" + bytes(50), "zstd"),
    ]:
        with open("in", "wb") as file:
            file.write(content)
        result = run("cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "in", "out.cool")
        refused(result, words, code=1, absent=["out.cool"]), name


@pytest.mark.ours
def test_result_does_not_depend_on_memory_or_threads(tmp_path):
    """90,000 contacts are 720 kB, of which half a MiB is sorted at a time."""
    rows = contacts(5, 90_000)
    write("in.pairs", pairs_text(rows))
    digests = set()
    env = {"SOURCE_DATE_EPOCH": "1"}
    for i, options in enumerate([(), ("-p", "1"), ("-p", "3", "--memory", "1M"), ("-p", "1", "--memory", "1")]):
        run_ok("cload", "pairs", *FOUR_DN, *options, f"sizes:{SIZE}", "in.pairs", f"{i}.cool", env=env)
        digests.add(digest(f"{i}.cool"))
    assert len(digests) == 1
    assert cells_of("0.cool") == counted(rows)
    run_ok("verify", "0.cool")
    only_files(tmp_path, "sizes", "in.pairs", *(f"{i}.cool" for i in range(4)))


@pytest.mark.ours
def test_many_runs_are_merged_in_tiers(tmp_path):
    """With 70 values a record takes 568 bytes: 60,000 make 65 sorts of two runs each."""
    rows = contacts(6, 60_000)
    text = "".join(
        f"{a}\t{p}\t{b}\t{q}\t" + "\t".join(["1"] * 70) + "\n" for a, p, b, q in rows
    )
    write("in.txt", text)
    fields = [x for i in range(70) for x in ("--field", f"f{i}={5 + i}:dtype=int")]
    run_ok("cload", "pairs", "-c1", "1", "-p1", "2", "-c2", "3", "-p2", "4", *fields, "--memory", "1", "-p", "2",
           f"sizes:{SIZE}", "in.txt", "out.cool")
    expected = counted(rows)
    assert cells_of("out.cool") == expected
    for name in ("f0", "f69"):
        assert cells_of("out.cool", name) == expected
    only_files(tmp_path, "sizes", "in.txt", "out.cool")


FAULTS = {
    "few columns": ("x\tchr1\t5\tchr1\n", "only 4 columns.*column 5"),
    "no number": ("x\tchr1\tfive\tchr1\t7\n", "column 3 should be a position and is 'five'"),
    "a real number": ("x\tchr1\t5.5\tchr1\t7\n", "position and is '5.5'"),
    "a number beyond 64 bits": ("x\tchr1\t99999999999999999999\tchr1\t7\n", "position"),
    "position 0": ("x\tchr1\t0\tchr1\t7\n", "position 0 lies before the first"),
    "beyond the end": ("x\tchr1\t100002\tchr1\t7\n", "100002 lies beyond the end of chr1.*100000"),
    "bytes": ("\x01\x02\x1b[31m\tchr1\t\x07\tchr1\t7\n", "position and is '\\?'"),
}


@pytest.mark.ours
@pytest.mark.parametrize(("line", "words"), FAULTS.values(), ids=FAULTS.keys())
@pytest.mark.parametrize("before", [2, 60_000])
def test_faults_are_told_with_their_line(line, words, before, tmp_path):
    good = "x\tchr1\t5\tchr1\t7\n" * before
    write("in.pairs", "#head\n" + good + line + good)
    result = run("cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "in.pairs", "out.cool")
    refused(result, f"in.pairs, line {before + 2}: .*{words}", code=1)
    only_files(tmp_path, "sizes", "in.pairs")


@pytest.mark.ours
def test_a_line_without_end_is_refused():
    write("in.pairs", "x\tchr1\t5\tchr1\t7\n" + "y" * 3_000_000)
    result = run("cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "in.pairs", "out.cool")
    refused(result, "in.pairs, line 2: .*longer than", absent=["out.cool"])


@pytest.mark.ours
def test_policies():
    write("in.pairs", "x\tchr1\t5\tchr1\t7\nx\tchrX\t5\tchr1\t7\nx\tchr1\t100002\tchr1\t7\nx\tchr1\t0\tchr1\t7\n")
    command = ("cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "in.pairs", "out.cool")
    result = run_ok(*command, "--out-of-range", "drop")
    assert cells_of("out.cool") == {(0, 0): 1}
    assert "1 contacts left out: a chromosome" in result.err
    assert "2 contacts left out: they lie outside" in result.err
    refused(run(*command, "--unknown-chroms", "refuse"), "line 2: chromosome 'chrX'")


def test_values_are_combined_as_cooler():
    rng = random.Random(7)
    lines = [f"{a}\t{p}\t{b}\t{q}\t{rng.randint(1, 60)}\t{rng.random():.4f}\t{rng.random():.4f}\t{rng.random():.4f}\n" for a, p, b, q in contacts(7, 2000)]
    write("in.txt", "".join(lines))
    command = (
        "cload", "pairs", "-c1", "1", "-p1", "2", "-c2", "3", "-p2", "4",
        "--field", "mapq=5:dtype=int,agg=max", "--field", "score=6:dtype=float", "--field", "low=7:agg=min",
        "--field", "mean=8:dtype=float,agg=mean", f"sizes:{SIZE}", "in.txt",
    )  # fmt: skip
    run_ok(*command, "out.cool")
    same_as_cooler("out.cool", *command, rtol=1e-12)
    command = ("cload", "pairs", "-c1", "1", "-p1", "2", "-c2", "3", "-p2", "4", "--field", "count=5", f"sizes:{SIZE}", "in.txt")
    run_ok(*command, "out.cool")
    same_as_cooler("out.cool", *command)


@pytest.mark.ours
def test_fields_that_make_no_sense():
    write("in.pairs", pairs_text(contacts(8, 3)))
    for field, words in [("x", "field number is required"), ("x=0", "start at 1"), ("x=y", "Not a number"),
                         ("x=6:dtype=complex", "number type"), ("x=6:agg=best", "aggregation")]:
        result = run("cload", "pairs", *FOUR_DN, "--field", field, f"sizes:{SIZE}", "in.pairs", "out.cool")
        refused(result, words, code=2, absent=["out.cool"])
    refused(run("cload", "pairs", "-c1", "0", f"sizes:{SIZE}", "in.pairs", "out.cool"), "start at 1", code=2)
    refused(run("cload", "hiclib", f"sizes:{SIZE}", "in.pairs", "out.cool"), "pairs", code=2)


def bed(name, bins):
    write(name, "".join(f"{c}\t{s}\t{e}\n" for c, s, e in bins))


FRAGMENTS = [("chr1", 0, 700), ("chr1", 700, 2500), ("chr1", 2500, 9000), ("chr2", 0, 10), ("chr2", 10, 4000)]


def test_bins_of_a_bed_file():
    bed("fragments.bed", FRAGMENTS)
    rows = contacts(9, 500, {"chr1": 9000, "chr2": 4000})
    write("in.pairs", pairs_text(rows))
    command = ("cload", "pairs", *FOUR_DN, "fragments.bed", "in.pairs")
    run_ok(*command, "out.cool")
    same_as_cooler("out.cool", *command)
    bed("even.bed", [("chr1", i, min(i + 500, 9000)) for i in range(0, 9000, 500)] + [("chr2", i, min(i + 500, 3800)) for i in range(0, 3800, 500)])
    rows = contacts(10, 500, {"chr1": 9000, "chr2": 3800})
    write("in.pairs", pairs_text(rows))
    command = ("cload", "pairs", *FOUR_DN, "even.bed", "in.pairs")
    run_ok(*command, "out.cool")
    same_as_cooler("out.cool", *command)


@pytest.mark.ours
def test_gaps_between_bins_hold_no_contacts():
    bed("gaps.bed", [("chr1", 100, 200), ("chr1", 300, 400)])
    write("in.pairs", "x\tchr1\t101\tchr1\t400\nx\tchr1\t250\tchr1\t150\nx\tchr1\t50\tchr1\t150\n")
    command = ("cload", "pairs", *FOUR_DN, "gaps.bed", "in.pairs", "out.cool")
    refused(run(*command), "line 2: position 250 of chr1 lies in no bin")
    run_ok(*command, "--out-of-range", "drop")
    assert cells_of("out.cool") == {(0, 1): 1}


@pytest.mark.ours
@pytest.mark.parametrize(
    ("bins", "words"),
    [("sizes:0", "no width"), ("sizes:1x", "no width"), ("nothing:10", "nothing"), ("nothing", "cannot read nothing"),
     ("bad.bed", "bad.bed, line 2"), ("split.bed", "line 3: the bins of chr1")],
)  # fmt: skip
def test_bins_that_make_no_sense(bins, words):
    write("bad.bed", "chr1\t0\t10\nchr1\t10\n")
    write("split.bed", "chr1\t0\t10\nchr2\t0\t10\nchr1\t10\t20\n")
    write("in.pairs", "")
    refused(run("cload", "pairs", *FOUR_DN, bins, "in.pairs", "out.cool"), words, absent=["out.cool"])


def pixel_lines(seed, n=300):
    """bg2 and coo lines of the same pixels, each once, shuffled and with ends in any order."""
    rng = random.Random(seed)
    bins = [(c, s, min(s + SIZE, length)) for c, length in CHROMS.items() for s in range(0, length, SIZE)]
    cells = rng.sample([(i, j) for i in range(len(bins)) for j in range(i, len(bins))], n)
    bg2, coo = [], []
    for i, j in cells:
        if rng.random() < 0.3:
            i, j = j, i
        value = rng.randint(1, 100)
        bg2.append("\t".join(map(str, (*bins[i], *bins[j], value))) + "\n")
        coo.append(f"{i}\t{j}\t{value}\n")
    return "".join(bg2), "".join(coo)


@pytest.mark.parametrize("kind", ["bg2", "coo"])
@pytest.mark.parametrize("options", [(), ("-N",), ("--count-as-float",), ("--input-copy-status", "duplex"),
                                     ("--field", "count:dtype=int64"), ("--assembly", "toy1")], ids=" ".join)  # fmt: skip
def test_load_as_cooler(kind, options):
    text = dict(zip(("bg2", "coo"), pixel_lines(11)))[kind]
    write("in.txt", "# comment\n" + text)
    command = ("load", "-f", kind, *options, f"sizes:{SIZE}", "in.txt")
    run_ok(*command, "out.cool")
    same_as_cooler("out.cool", *command)


def test_load_one_based_and_other_columns_as_cooler():
    _, coo = pixel_lines(12)
    lines = [line.split() for line in coo.splitlines()]
    write("in.txt", "".join(f"{int(i) + 1}\t{int(j) + 1}\t{v}\t{int(v) / 8}\n" for i, j, v in lines))
    command = ("load", "-f", "coo", "--one-based", "--field", "count=3", "--field", "half=4:dtype=float32",
               f"sizes:{SIZE}", "in.txt")
    run_ok(*command, "out.cool")
    same_as_cooler("out.cool", *command)


@pytest.mark.ours
def test_load_refuses_what_it_should():
    for text, words in [
        ("0\t1\t5\n3\t3\t1\n1\t0\t2\n", r"pixel \(bin1 0, bin2 1\) is given more than once"),
        ("0\t41\t5\n", "line 1: bin 41 is none of the map"),
        ("-1\t1\t5\n", "line 1: bin -1"),
        ("0\t1\t0.5\n", "line 1: column 3 should be an integer"),
        ("0\t1\n", "line 1: .*2 columns"),
    ]:
        write("in.txt", text)
        refused(run("load", "-f", "coo", f"sizes:{SIZE}", "in.txt", "out.cool"), words, absent=["out.cool"])
    write("in.txt", "0\t1\t5\n3\t3\t1\n1\t0\t2\n")
    run_ok("load", "-f", "coo", "--duplicates", "sum", f"sizes:{SIZE}", "in.txt", "out.cool")
    assert cells_of("out.cool") == {(0, 1): 7, (3, 3): 1}
    write("in.txt", "0\t1\tnan\n")
    refused(run("load", "-f", "coo", "--count-as-float", f"sizes:{SIZE}", "in.txt", "x.cool"), "not finite")


def test_dumped_pixels_come_back(tmp_path):
    write("in.pairs", pairs_text(contacts(13, 2000)))
    run_ok("cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "in.pairs", "a.cool")
    run_ok("dump", "--join", "-o", "a.bg2.gz", "a.cool")
    run_ok("load", "-f", "bg2", f"sizes:{SIZE}", "a.bg2.gz", "b.cool")
    assert cells_of("a.cool") == cells_of("b.cool")


@pytest.mark.ours
def test_pairix_is_pairs_in_its_usual_columns():
    write("in.pairs", pairs_text(contacts(16, 500)))
    run_ok("cload", "pairix", "-p", "2", f"sizes:{SIZE}", "in.pairs", "a.cool")
    assert cells_of("a.cool") == counted(contacts(16, 500))


@pytest.mark.ours
def test_a_waiting_pipe_does_not_hold_up_the_end(tmp_path):
    """SIGTERM while standard input stays silent."""
    import signal
    import time

    read, write_end = os.pipe()
    child = subprocess.Popen(
        [program.PROGRAM, "cload", "pairs", *FOUR_DN, f"sizes:{SIZE}", "-", "out.cool"],
        stdin=read, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(read)
    time.sleep(1)
    child.send_signal(signal.SIGTERM)
    _, err = child.communicate(timeout=20)
    os.close(write_end)
    assert child.returncode == -signal.SIGTERM and "nothing was written" in err
    only_files(tmp_path, "sizes")


@pytest.mark.ours
def test_full_disk_is_told(tmp_path):
    import resource

    write("in.pairs", pairs_text(contacts(14, 90_000)))
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))  # noqa: E731
    result = run("cload", "pairs", *FOUR_DN, "--memory", "1", "sizes:10", "in.pairs", "out.cool", before_exec=limit)
    refused(result, "cannot keep sorted records", code=1)
    only_files(tmp_path, "sizes", "in.pairs")


@pytest.mark.ours
def test_the_whole_way_from_pairs(tmp_path):
    """pairs -> cload -> merge -> zoomify --balance -> verify, and every level counts every contact."""
    chroms = {"chr1": 3_000_000, "chr2": 1_000_000}
    write("sizes", "".join(f"{c}\t{n}\n" for c, n in chroms.items()))
    rng = random.Random(15)
    rows = []
    for _ in range(60_000):
        name = rng.choice(list(chroms))
        at = rng.randint(1, chroms[name])
        other = min(max(1, at + int(rng.gauss(0, 150_000))), chroms[name])
        rows.append((name, at, name, other))
    write("a.pairs", pairs_text(rows[:40_000]))
    write("b.pairs", pairs_text(rows[40_000:]))
    for lane in "ab":
        run_ok("cload", "pairs", *FOUR_DN, "--assembly", "toy1", "sizes:10000", f"{lane}.pairs", f"{lane}.cool")
    run_ok("merge", "all.cool", "a.cool", "b.cool")
    run_ok("zoomify", "--balance", "-r", "10000,50000,100000", "-o", "all.mcool", "all.cool")
    run_ok("verify", "all.mcool")
    for size in (10_000, 50_000, 100_000):
        m = read_map("all.mcool", f"/resolutions/{size}")
        assert dict(zip(zip(m.bin1.tolist(), m.bin2.tolist()), m.count.tolist())) == counted(
            rows, size=size, chroms=chroms
        )
        assert m.attrs["genome-assembly"] == "toy1" and "weight" in m.bin_columns
    same_as_coolers_chain("all.mcool")


@pytest.mark.parametrize("mine", ["pairs", "sizes", "bins.bed"])
def test_what_is_read_is_not_replaced(mine):
    """Neither by its own name nor by another one."""
    with open("pairs", "w") as file:
        file.write(pairs_text(contacts(5, 20)))
    with open("bins.bed", "w") as file:
        file.writelines(f"{name}\t0\t{length}\n" for name, length in CHROMS.items())
    os.symlink(mine, "linked")
    with open(mine, "rb") as file:
        before = file.read()
    bins = mine if mine == "bins.bed" else f"sizes:{SIZE}"
    for output in (mine, f"./{mine}", "linked", f"{mine}::/maps/1"):
        refused(run("cload", "pairs", bins, "pairs", output), "same file as the input", code=1)
        with open(mine, "rb") as file:
            assert file.read() == before
    only_files(".", "sizes", "pairs", "bins.bed", "linked")


def same_as_coolers_chain(path):
    """Ids and counts to the last bit, weights as near as another order of adding up allows."""

    def make(kept):
        for lane in "ab":
            reference.run("cload", "pairs", *FOUR_DN, "sizes:10000", f"{lane}.pairs", f"{kept}.{lane}")
        reference.run("merge", f"{kept}.all", f"{kept}.a", f"{kept}.b")
        reference.run("zoomify", "--balance", "-r", "10000,50000,100000", "-o", kept, f"{kept}.all")
        for part in ("a", "b", "all"):
            os.remove(f"{kept}.{part}")

    with h5py.File(reference.cached(["a.pairs", "b.pairs"], ["chain"], make)) as file, h5py.File(path) as ours:
        assert list(file["resolutions"]) == list(ours["resolutions"])
        for size, level in file["resolutions"].items():
            got = ours["resolutions"][size]
            for name in ("pixels/bin1_id", "pixels/bin2_id", "pixels/count", "bins/start", "bins/end"):
                assert got[name].dtype == level[name].dtype and (got[name][:] == level[name][:]).all(), name
            for name in ("nnz", "sum", "bin-size", "nbins"):
                assert got.attrs[name] == level.attrs[name], name
            np.testing.assert_allclose(got["bins/weight"][:], level["bins/weight"][:], rtol=1e-10, atol=0)
