"""cp, mv and ln: maps keep their content, files stay whole, and nothing goes by mistake."""

import os
import shutil

import h5py
import pytest

from support.coolfile import digest, read_map, write_map
from support.maps import example_map, square_map
from support.program import only_files, refused, run, run_ok


@pytest.fixture
def pyramid():
    write_map("in.cool", example_map(701))
    run_ok("zoomify", "-r", "2000,4000", "-o", "in.mcool", "in.cool")


def same_map(a, group_a, b, group_b):
    one, other = read_map(a, group_a), read_map(b, group_b)
    assert (one.bin1 == other.bin1).all() and (one.bin2 == other.bin2).all()
    assert set(one.columns) == set(other.columns)
    for name in one.columns:
        assert (one.columns[name] == other.columns[name]).all()
        assert one.columns[name].dtype == other.columns[name].dtype
    assert (one.start == other.start).all() and one.names == other.names
    assert one.attrs == other.attrs


def test_copy_out_of_a_pyramid(pyramid):
    run_ok("cp", "in.mcool::/resolutions/2000", "o.cool")
    same_map("in.mcool", "/resolutions/2000", "o.cool", "/")
    run_ok("cp", "in.cool", "o.cool::/more/base")
    same_map("in.cool", "/", "o.cool", "/more/base")
    same_map("in.mcool", "/resolutions/2000", "o.cool", "/")


def test_copy_within_a_file(pyramid):
    run_ok("cp", "in.mcool::/resolutions/2000", "in.mcool::/copies/one")
    same_map("in.mcool", "/resolutions/2000", "in.mcool", "/copies/one")


@pytest.mark.ours
def test_copy_of_a_square_map_with_columns():
    m = square_map(702)
    write_map("in.cool", m.with_columns(half=m.count / 2))
    run_ok("cp", "in.cool", "o.cool")
    same_map("in.cool", "/", "o.cool", "/")
    assert "equal" in run_ok("compare", "in.cool", "o.cool").out


def test_overwrite(pyramid, tmp_path):
    shutil.copy("in.cool", "o.cool")
    assert run("cp", "in.mcool::/resolutions/2000", "o.cool").code != 0
    same_map("in.cool", "/", "o.cool", "/")
    run_ok("cp", "-w", "in.mcool::/resolutions/2000", "o.cool")
    same_map("in.mcool", "/resolutions/2000", "o.cool", "/")
    only_files(tmp_path, "in.cool", "in.mcool", "o.cool")


def test_move(pyramid, tmp_path):
    before = read_map("in.mcool", "/resolutions/2000")
    run_ok("mv", "in.mcool::/resolutions/2000", "in.mcool::/kept/here")
    with h5py.File("in.mcool", "r") as file:
        assert "2000" not in file["resolutions"]
    assert (read_map("in.mcool", "/kept/here").count == before.count).all()
    only_files(tmp_path, "in.cool", "in.mcool")


@pytest.mark.parametrize("options", [(), ("-s",)])
def test_link(pyramid, options):
    run_ok("ln", *options, "in.mcool::/resolutions/2000", "in.mcool::/second")
    same_map("in.mcool", "/resolutions/2000", "in.mcool", "/second")
    with h5py.File("in.mcool", "r") as file:
        link = file.get("/second", getlink=True)
    assert isinstance(link, h5py.SoftLink if options else h5py.HardLink)
    assert os.path.getsize("in.mcool") < 3 * os.path.getsize("in.cool")


@pytest.mark.ours
@pytest.mark.parametrize(
    "args, words",
    [
        (("mv", "in.mcool::/resolutions/2000", "in.mcool::/resolutions/4000"), "already"),
        (("mv", "in.mcool::/resolutions/3000", "in.mcool::/x"), "no map"),
        (("mv", "in.mcool::/resolutions/2000", "o.mcool::/x"), "not in one file"),
        (("ln", "in.mcool::/resolutions/2000", "in.mcool::/resolutions/4000/x"), "inside"),
        (("ln", "in.mcool::/resolutions/2000", "in.mcool::/resolutions/2000"), "same map"),
        (("mv", "in.cool", "in.cool::/x"), "root"),
        (("cp", "in.mcool", "o.cool"), "several resolutions"),
        (("cp", "in.cool", "in.mcool::/resolutions/2000"), "already"),
        (("cp", "in.cool", "in.cool"), "same"),
    ],
)
def test_mistakes_change_nothing(pyramid, tmp_path, args, words):
    before = digest("in.mcool"), digest("in.cool")
    refused(run(*args), words, code=1, absent=["o.mcool", "o.cool"])
    assert (digest("in.mcool"), digest("in.cool")) == before
    only_files(tmp_path, "in.cool", "in.mcool")


@pytest.mark.ours
def test_overwriting_a_name(pyramid):
    run_ok("mv", "-w", "in.mcool::/resolutions/2000", "in.mcool::/resolutions/4000")
    assert run_ok("ls", "in.mcool").out.split() == ["in.mcool::/resolutions/1000", "in.mcool::/resolutions/4000"]
    assert read_map("in.mcool", "/resolutions/4000").bin_size == 2000
