"""Chromosomes far beyond any genome: right to the last base pair, or refused with a clear line."""

import h5py
import numpy as np
import pytest

from support.check import check_pyramid
from support.coolfile import read_map, write_map
from support.maps import make_map
from support.program import refused, run, run_ok

pytestmark = pytest.mark.ours

LENGTH = 2**62 + 5
WIDTH = 2**60
# 5 bins of the first, the last of them 5 bp wide, and one of the second.
SIZES = f"a\t{LENGTH}\nb\t1000\n"
BINS = [("a", i * WIDTH, min((i + 1) * WIDTH, LENGTH)) for i in range(5)] + [("b", 0, 1000)]


def put_sizes(text=SIZES):
    with open("sizes", "w") as file:
        file.write(text)


def test_bins():
    put_sizes()
    rows = run_ok("makebins", "sizes", WIDTH).out.splitlines()
    assert [tuple(row.split("\t")) for row in rows] == [(c, str(s), str(e)) for c, s, e in BINS]


def test_contacts():
    put_sizes()
    with open("x.pairs", "w") as file:
        file.write(f"a\t1\ta\t{LENGTH}\na\t{WIDTH}\tb\t1000\na\t{WIDTH + 1}\ta\t{2**62}\n")
    columns = ["-c1", "1", "-p1", "2", "-c2", "3", "-p2", "4"]
    run_ok("cload", "pairs", *columns, f"sizes:{WIDTH}", "x.pairs", "o.cool")
    made = read_map("o.cool")
    assert made.lengths.tolist() == [LENGTH, 1000]
    assert made.end.tolist() == [end for _, _, end in BINS]
    # Positions are counted from 1: WIDTH is the last of the first bin, and 2**62 of the fourth.
    assert (made.bin1.tolist(), made.bin2.tolist()) == ([0, 0, 1], [4, 5, 3])
    dumped = run_ok("dump", "-t", "bins", "o.cool").out.splitlines()
    assert [line.split("\t")[:3] for line in dumped] == [[c, str(s), str(e)] for c, s, e in BINS]


def test_levels():
    bins = [np.array(column) for column in zip(*[("ab".index(c), s, e) for c, s, e in BINS])]
    pixels = ([0, 0, 1, 4], [4, 5, 3, 5], np.array([1, 2, 3, 4]))
    m = make_map({"a": LENGTH, "b": 1000}, WIDTH, pixels, bins)
    write_map("in.cool", m, position_dtype="i8")
    run_ok("zoomify", "-r", f"{WIDTH},{2 * WIDTH}", "-o", "o.mcool", "in.cool")
    check_pyramid("o.mcool", m, [WIDTH, 2 * WIDTH])
    run_ok("verify", "o.mcool")
    # A width that no number holds.
    refused(run("zoomify", "-r", 8 * WIDTH, "-o", "p.mcool", "in.cool"), absent=["p.mcool"])


def test_a_genome_beyond_64_bits_is_refused():
    """As a whole: makebins, which looks at one chromosome at a time, lists its bins."""
    put_sizes(f"a\t{2**62}\nb\t{2**62}\n")
    says = "chromosome b: with its 4611686018427387904 bp the genome is longer"
    columns = ["-c1", "1", "-p1", "2", "-c2", "3", "-p2", "4"]
    command = ["cload", "pairs", *columns, f"sizes:{WIDTH}", "-", "o.cool"]
    refused(run(*command), says, code=1, absent=["o.cool"])
    write_map("in.cool", make_map({"a": 2**62, "b": 1}, WIDTH), position_dtype="i8")
    with h5py.File("in.cool", "r+") as file:
        file["chroms/length"][1] = 2**62
    for command in (["zoomify", "-r", WIDTH, "-o", "o.mcool"], ["verify"]):
        refused(run(*command, "in.cool"), f"in.cool.*{says}", code=1, absent=["o.mcool"])
