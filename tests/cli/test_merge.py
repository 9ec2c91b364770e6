"""merge adds maps up exactly, refuses what does not fit together, and is deterministic."""

from dataclasses import replace

import h5py
import numpy as np
import pytest

from support import program, reference
from support.coolfile import digest, read_map, write_map
from support.maps import Map, example_map, make_map, square_map
from support.program import IS_REFERENCE, only_files, refused, run, run_ok


def added(maps):
    """Sum of maps with Python integers."""
    cells = {}
    for m in maps:
        for i, j, v in zip(m.bin1.tolist(), m.bin2.tolist(), m.count.tolist()):
            cells[i, j] = cells.get((i, j), 0) + v
    return cells


def cells_of(m: Map):
    return dict(zip(zip(m.bin1.tolist(), m.bin2.tolist()), m.count.tolist()))


def check_merged(path, maps, group="/"):
    got = read_map(path, group)
    assert cells_of(got) == added(maps)
    assert got.nnz == len(cells_of(got)), "a cell is stored twice"
    assert (np.lexsort((got.bin2, got.bin1)) == np.arange(got.nnz)).all()
    assert (got.start == maps[0].start).all() and (got.end == maps[0].end).all()
    assert got.names == maps[0].names
    with h5py.File(path, "r") as file:
        assert (file[group]["indexes/bin1_offset"][:] == got.bin1_offset()).all()
        assert int(file[group].attrs["sum"]) == sum(added(maps).values())
        assert int(file[group].attrs["nnz"]) == got.nnz
    return got


def write_maps(maps):
    names = [f"in{i}.cool" for i in range(len(maps))]
    for name, m in zip(names, maps):
        write_map(name, m)
    return names


@pytest.mark.parametrize("n", [1, 2, 5])
def test_sums(n):
    maps = [example_map(300 + i, scale=5.0 + i) for i in range(n)]
    run_ok("merge", "o.cool", *write_maps(maps))
    got = check_merged("o.cool", maps)
    assert got.count.dtype == np.int32
    assert got.attrs["genome-assembly"] == "toy1"


@pytest.mark.ours
def test_is_sound_and_leaves_nothing_else(tmp_path):
    names = write_maps([example_map(311), example_map(312)])
    run_ok("merge", "o.cool", *names)
    run_ok("verify", "o.cool")
    only_files(tmp_path, "o.cool", *names)


@pytest.mark.ours
def test_sums_beyond_the_type_are_widened():
    i, j = np.triu_indices(30)
    big = np.full(len(i), 2**31 - 1, dtype=np.int32)
    maps = [make_map({"a": 30_000}, 1000, (i, j, big)) for _ in range(3)]
    result = run_ok("merge", "o.cool", *write_maps(maps))
    assert check_merged("o.cool", maps).count.dtype == np.int64
    assert "int64" in result.err


@pytest.mark.ours
def test_sums_beyond_int64_are_refused():
    m = make_map({"a": 3000}, 1000, ([0], [1], np.array([2**62])))
    result = run("merge", "o.cool", *write_maps([m, m]))
    refused(result, "beyond int64", absent=["o.cool"])


@pytest.mark.parametrize("types", [("i4", "i8"), ("u2", "i4"), ("i2", "f4"), ("i4", "f4"), ("u4", "i4"), ("f4", "f8")])
def test_types_are_those_of_numpy(types):
    maps = [example_map(320 + i) for i in range(2)]
    maps = [m.with_columns(count=m.count.astype(t)) for m, t in zip(maps, types)]
    run_ok("merge", "o.cool", *write_maps(maps))
    got = read_map("o.cool")
    assert got.count.dtype == np.result_type(*types)
    assert cells_of(got) == added(maps)


def test_floats_as_the_reference():
    maps = [example_map(330 + i) for i in range(4)]
    maps = [m.with_columns(count=m.count / (7.1 + i)) for i, m in enumerate(maps)]
    names = write_maps(maps)
    run_ok("merge", "o.cool", *names)
    reference.run("merge", "r.cool", *names)
    got, want = read_map("o.cool"), read_map("r.cool")
    assert (got.bin1 == want.bin1).all() and (got.bin2 == want.bin2).all()
    assert (got.count == want.count).all()


def test_square_maps():
    maps = [square_map(341), square_map(342)]
    run_ok("merge", "o.cool", *write_maps(maps))
    check_merged("o.cool", maps)


@pytest.mark.parametrize("spec, combine", [("count:agg=max", np.maximum), ("count:agg=min", np.minimum)])
def test_other_aggregations(spec, combine):
    maps = [example_map(351), example_map(352)]
    run_ok("merge", "--field", spec, "o.cool", *write_maps(maps))
    a, b = (cells_of(m) for m in maps)
    want = {k: int(combine(a.get(k, b.get(k)), b.get(k, a.get(k)))) for k in {*a, *b}}
    assert cells_of(read_map("o.cool")) == want


def test_several_fields_and_a_type():
    maps = [example_map(361), example_map(362)]
    maps = [m.with_columns(half=m.count / 2) for m in maps]
    run_ok("merge", "--field", "count:dtype=int64", "--field", "half", "o.cool", *write_maps(maps))
    got = read_map("o.cool")
    assert got.count.dtype == np.int64 and cells_of(got) == added(maps)
    assert (got.columns["half"] == got.count / 2).all()


def test_append_keeps_what_is_there():
    maps = [example_map(371), example_map(372)]
    names = write_maps(maps)
    run_ok("merge", "o.cool::/one", *names)
    run_ok("merge", "-a", "o.cool::/two", names[1], names[1])
    check_merged("o.cool", maps, "/one")
    check_merged("o.cool", [maps[1], maps[1]], "/two")


@pytest.mark.ours
def test_many_maps_are_added_in_groups():
    small = {"a": 9000, "b": 4000}
    maps = [example_map(400 + i, chroms=small, scale=2.0) for i in range(70)]
    run_ok("merge", "o.cool", *write_maps(maps))
    check_merged("o.cool", maps)
    refused(run("merge", "--field", "count:agg=mean", "p.cool", *[f"in{i}.cool" for i in range(33)]),
            "mean", absent=["p.cool"])


@pytest.mark.ours
def test_the_same_bytes_whatever_the_means():
    names = write_maps([example_map(381), example_map(382), example_map(383)])
    date = {"SOURCE_DATE_EPOCH": "1700000000"}
    run_ok("merge", "-p", 1, "one.cool", *names, env=date)
    run_ok("merge", "-p", 3, "--slot-size", "4096", "three.cool", *names, env=date)
    assert digest("one.cool") == digest("three.cool")


def unlike(m, what):
    if what == "bin size":
        return example_map(391, bin_size=2000)
    if what == "chromosome":
        return replace(m, names=["chr1", "chr2", "chrM", "chrY"])
    if what == "length":
        return example_map(391, chroms={"chr1": 61_500, "chr2": 25_100, "chrM": 900, "chrX": 33_333})
    return square_map(391)


@pytest.mark.parametrize(
    "what, words",
    [
        ("bin size", "1000 bp.*2000 bp"),
        ("chromosome", "chromosome 4 is chrX.*chrY"),
        ("length", "chromosome 2 is chr2 of 25000 bp.*25100"),
        ("square", "symmetric"),
    ],
)
def test_maps_that_do_not_fit_are_refused(what, words):
    m = example_map(390)
    names = write_maps([m, unlike(m, what)])
    result = run("merge", "o.cool", *names)
    assert result.code != 0
    if not IS_REFERENCE:
        refused(result, words, code=1, absent=["o.cool"])
        assert names[0] in program.one_line(result) and names[1] in result.err


@pytest.mark.ours
def test_the_output_is_no_input(tmp_path):
    names = write_maps([example_map(395), example_map(396)])
    before = [digest(n) for n in names]
    refused(run("merge", names[0], *names), "also an input")
    assert [digest(n) for n in names] == before
    only_files(tmp_path, *names)


@pytest.mark.ours
def test_duplicates_are_refused_or_summed():
    m = example_map(397)
    twice = m.take(np.sort(np.r_[np.arange(m.nnz), 17]))
    names = write_maps([m, twice])
    refused(run("merge", "o.cool", *names), "--duplicates sum", absent=["o.cool"])
    run_ok("merge", "--duplicates", "sum", "o.cool", *names)
    check_merged("o.cool", [m, twice])


@pytest.mark.ours
def test_a_source_that_is_damaged_leaves_nothing(tmp_path):
    names = write_maps([example_map(398), example_map(399)])
    with h5py.File(names[1], "r+") as file:
        offset = file["pixels/count"].id.get_chunk_info(0).byte_offset
    with open(names[1], "r+b") as file:
        file.seek(offset + 4)
        file.write(b"\xff" * 64)
    refused(run("merge", "o.cool", *names), names[1], absent=["o.cool"])
    only_files(tmp_path, *names)
