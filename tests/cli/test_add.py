"""zoomify --add: levels that a file lacks are made, those that it has stay as they are."""

import os
import shutil

import h5py
import numpy as np
import pytest

from support.coolfile import read_map, resolutions, write_map, write_pyramid
from support.maps import example_map, square_map
from support.program import only_files, refused, run, run_ok

pytestmark = pytest.mark.ours

CHROMS = {"chr1": 330_000, "chr2": 120_000, "chr10": 30_000}


@pytest.fixture
def base(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    m = example_map(61, CHROMS, scale=20, trans=1)
    write_map("in.cool", m)
    run_ok("zoomify", "--balance", "-r", "2000,6000", "-o", "part.mcool", "in.cool")
    os.remove("in.cool")
    return m


def everything(path, group):
    """Datasets and attributes below a group."""
    found = {}

    def visit(name, item):
        found[name] = dict(item.attrs)
        if isinstance(item, h5py.Dataset):
            found[name]["", item.dtype] = item[()].tobytes()

    with h5py.File(path) as file:
        found[""] = dict(file[group].attrs)
        file[group].visititems(visit)
    return {k: {a: np.asarray(v).tobytes() for a, v in d.items()} for k, d in found.items()}


def same_pixels(a, b):
    return all(np.array_equal(x, y) for x, y in ((a.bin1, b.bin1), (a.bin2, b.bin2), (a.count, b.count)))


def test_added_levels_are_those_of_one_run(base, tmp_path):
    write_map("again.cool", base)
    run_ok("zoomify", "-r", "2000,3000,6000,12000,24000", "-o", "whole.mcool", "again.cool")
    before = {r: everything("part.mcool", f"resolutions/{r}") for r in resolutions("part.mcool")}
    assert sorted(before) == [1000, 2000, 6000]
    run_ok("zoomify", "--add", "-r", "24000,6000,3000,12000", "part.mcool")
    assert sorted(resolutions("part.mcool")) == [1000, 2000, 3000, 6000, 12000, 24000]
    for level, content in before.items():
        assert everything("part.mcool", f"resolutions/{level}") == content, level
    for level in (3000, 12000, 24000):
        group = f"/resolutions/{level}"
        got = read_map("part.mcool", group)
        assert same_pixels(got, read_map("whole.mcool", group)) and "weight" not in got.bin_columns
    run_ok("verify", "part.mcool")
    only_files(tmp_path, "again.cool", "part.mcool", "whole.mcool")


def test_only_new_levels_are_balanced(base):
    before = everything("part.mcool", "resolutions/6000")
    run_ok("zoomify", "--add", "--balance", "--balance-args", "--max-iters 5", "-r", "6000,12000", "part.mcool")
    assert everything("part.mcool", "resolutions/6000") == before
    assert "weight" in read_map("part.mcool", "/resolutions/12000").bin_columns


def test_what_else_the_file_holds_stays(base):
    with h5py.File("part.mcool", "r+") as file:
        file.attrs["about"] = "mine"
        file.create_dataset("notes", data=np.arange(5))
    run_ok("zoomify", "--add", "-r", "12000", "part.mcool")
    with h5py.File("part.mcool") as file:
        assert file.attrs["about"] == "mine" and file["notes"][:].tolist() == [0, 1, 2, 3, 4]
        assert file.attrs["format"] == "HDF5::MCOOL"


def test_through_a_link_and_from_several_bases(base, tmp_path):
    """2000 does not divide 3000, nor 3000 8000: each new level comes from what divides it."""
    m2, m3 = (example_map(62, CHROMS, size, scale=9) for size in (2000, 3000))
    write_pyramid("two.mcool", {2000: m2, 3000: m3})
    os.symlink("two.mcool", "link.mcool")
    run_ok("zoomify", "--add", "-r", "8000,9000", "link.mcool")
    assert os.path.islink("link.mcool")
    for size, base_map in ((8000, m2), (9000, m3)):
        assert read_map("two.mcool", f"/resolutions/{size}").count.sum() == base_map.count.sum()
    refused(run("zoomify", "--add", "-r", "7000", "two.mcool"), "7000")


def test_refusals_leave_the_file_alone(base, tmp_path):
    content = open("part.mcool", "rb").read()
    for args, words in [
        (("-r", "2000,6000", "part.mcool"), "nothing to add"),
        (("-r", "2500", "part.mcool"), "2500"),
        (("-r", "12000", "-o", "other.mcool", "part.mcool"), "output as well"),
        (("-r", "12000", "--legacy", "part.mcool"), "output as well"),
        (("-r", "12000", "missing.mcool"), "missing.mcool"),
    ]:
        refused(run("zoomify", "--add", *args), words)
        assert open("part.mcool", "rb").read() == content
    write_map("single.cool", base)
    refused(run("zoomify", "--add", "-r", "2000", "single.cool"), "no multi-resolution file")
    only_files(tmp_path, "part.mcool", "single.cool")


def disagreeing(tamper):
    """A pyramid whose level 6000 was changed after it was made."""
    with h5py.File("part.mcool", "r+") as file:
        tamper(file["resolutions/6000"])


def other_sum(level):
    level.attrs["sum"] = level.attrs["sum"] + 1


def real_sum_far_off(level):
    level.attrs["sum"] = float(level.attrs["sum"]) * (1 + 1e-4)


def more_pixels_than_the_base(level):
    """The level of another map: the base of this one has fewer pixels."""
    del level.file["resolutions/2000"], level.file["resolutions/1000"]
    sparse = example_map(64, CHROMS, scale=0.01, trans=0.001)
    write_map("sparse.cool", sparse.with_columns(count=sparse.count))
    with h5py.File("sparse.cool") as source:
        for name in source:
            source.copy(name, level.file.require_group("resolutions/1000"))
        level.file["resolutions/1000"].attrs.update(source.attrs)
    del level.attrs["sum"]


def other_chromosomes(level):
    level["chroms/length"][1] = 119_999
    level["bins/end"][:] = np.minimum(level["bins/end"][:], np.where(level["bins/chrom"][:] == 1, 119_999, 10**9))


def other_width(level):
    level.file.move("resolutions/6000", "resolutions/8000")


@pytest.mark.parametrize(
    "tamper, words",
    [
        (other_sum, "resolutions/1000 has the sum .*resolutions/6000 has .*not of one map"),
        (real_sum_far_off, "has the sum .*not of one map"),
        (more_pixels_than_the_base, "pixels and the finer .*resolutions/1000.*not of one map"),
        (other_chromosomes, "different chromosomes"),
        (other_width, "resolutions/8000 has bins of 6000 bp"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_levels_that_do_not_belong_together(base, tamper, words):
    disagreeing(tamper)
    content = open("part.mcool", "rb").read()
    refused(run("zoomify", "--add", "-r", "12000", "part.mcool"), words, code=1)
    assert open("part.mcool", "rb").read() == content


def test_sums_that_differ_in_their_last_digits_or_are_missing(base):
    disagreeing(lambda level: level.attrs.__setitem__("sum", float(level.attrs["sum"]) * (1 + 1e-9)))
    run_ok("zoomify", "--add", "-r", "12000", "part.mcool")
    disagreeing(lambda level: level.attrs.__delitem__("sum"))
    run_ok("zoomify", "--add", "-r", "24000", "part.mcool")


def test_dry_run_shows_the_new_levels_only(base):
    content = open("part.mcool", "rb").read()
    result = run_ok("zoomify", "--add", "--dry-run", "-r", "12000", "part.mcool")
    assert "12000" in result.out and "6000 " not in result.out.split("12000")[0].splitlines()[-1]
    assert open("part.mcool", "rb").read() == content


def test_square_storage(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    m = square_map(63)
    write_pyramid("s.mcool", {m.bin_size: m})
    shutil.copy("s.mcool", "t.mcool")
    run_ok("zoomify", "--add", "-r", str(4 * m.bin_size), "t.mcool")
    assert read_map("t.mcool", f"/resolutions/{4 * m.bin_size}").count.sum() == m.count.sum()
    run_ok("verify", "t.mcool")
