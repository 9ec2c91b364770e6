"""rename-chroms: other names, as cooler's own function gives them, and everything else as it was."""

import gzip
import os
import shutil

import h5py
import numpy as np
import pytest

from support.coolfile import digest, read_map, write_map
from support.maps import example_map, square_map
from support.program import only_files, refused, run, run_ok

pytestmark = pytest.mark.ours

CHROMS = {"chr1": 60_000, "chr2": 25_000, "chrM": 2_500}


@pytest.fixture
def pyramid():
    write_map("in.cool", example_map(811, CHROMS, scale=9, trans=2))
    run_ok("zoomify", "--balance", "-r", "1000,2000,4000", "in.cool")
    os.remove("in.cool")


def contents(path, but=()):
    """Every dataset and attribute of a file, with types, in the order of names."""
    found = {}

    def visit(name, item):
        if name.endswith(tuple(but)) and but:
            return
        found[name] = {k: np.asarray(v).tobytes() for k, v in item.attrs.items()}
        if isinstance(item, h5py.Dataset):
            found[name]["data"] = (item.dtype, item.shape, item[()].tobytes())

    with h5py.File(path) as file:
        file.visititems(visit)
        found["/"] = {k: np.asarray(v).tobytes() for k, v in file.attrs.items()}
    return found


def renamed_by_cooler(source, copy, names):
    import cooler

    shutil.copy(source, copy)
    for group in cooler.fileops.list_coolers(source):
        cooler.rename_chroms(cooler.Cooler(f"{copy}::{group}"), names)


def same_to_cooler(ours, expected):
    import cooler

    for group in cooler.fileops.list_coolers(expected):
        a, b = cooler.Cooler(f"{ours}::{group}"), cooler.Cooler(f"{expected}::{group}")
        assert a.chromnames == b.chromnames and a.chromsizes.equals(b.chromsizes)
        assert a.bins()[:].equals(b.bins()[:]) and a.pixels()[:].equals(b.pixels()[:])
        for name in b.chromnames:
            assert a.extent(name) == b.extent(name)
        for table in ("chroms", "bins"):
            dump = [run_ok("dump", "-t", table, f"{path}::{group}").out for path in (ours, expected)]
            assert dump[0] == dump[1]


@pytest.mark.parametrize(
    "names",
    [
        {"chr1": "1", "chr2": "2", "chrM": "MT"},
        {"chr2": "a rather longer name"},
        {"chr1": "chr2", "chr2": "chr1"},
        {"chrM": "chrM"},
    ],
    ids=["all", "one", "swapped", "none"],
)
def test_as_cooler_does_it(pyramid, tmp_path, names):
    renamed_by_cooler("in.mcool", "cooler.mcool", names)
    before = contents("in.mcool", but=("chroms/name", "bins/chrom"))
    run_ok("rename-chroms", "--quiet", *(f"--map={a}={b}" for a, b in names.items()), "in.mcool")
    same_to_cooler("in.mcool", "cooler.mcool")
    assert contents("in.mcool", but=("chroms/name", "bins/chrom")) == before
    run_ok("verify", "in.mcool")
    only_files(tmp_path, "in.mcool", "cooler.mcool")


def test_one_level_only(pyramid):
    before = {r: read_map("in.mcool", f"/resolutions/{r}").names for r in (1000, 2000, 4000)}
    run_ok("rename-chroms", "in.mcool::/resolutions/2000", "-m", "chr1=one")
    after = {r: read_map("in.mcool", f"/resolutions/{r}").names for r in (1000, 2000, 4000)}
    assert after == {**before, 2000: ["one", "chr2", "chrM"]}


@pytest.mark.parametrize("pack", [lambda text: text, gzip.compress], ids=["plain", "gzip"])
def test_table_of_names(pack, tmp_path):
    write_map("in.cool", example_map(812, CHROMS))
    (tmp_path / "names").write_bytes(pack(b"chr1\tI\r\n\nchr2 II\n"))
    run_ok("rename-chroms", "-f", "names", "-m", "chrM=m=t", "in.cool")
    assert run_ok("dump", "-t", "chroms", "in.cool").out == "I\t60000\nII\t25000\nm=t\t2500\n"


def test_square_map_whose_bins_have_no_enumeration():
    write_map("in.cool", square_map(813), chrom_dtype=np.int32)
    before = contents("in.cool", but=("chroms/name",))
    old = read_map("in.cool").names
    run_ok("rename-chroms", "in.cool", "-m", f"{old[0]}=first")
    assert read_map("in.cool").names == ["first", *old[1:]]
    assert contents("in.cool", but=("chroms/name",)) == before
    run_ok("verify", "in.cool")


def test_names_too_many_for_an_enumeration():
    """A header message of HDF5 holds 64 KiB: these fit, and with longer names they do not."""
    chroms = {f"s{k}": 1000 for k in range(2000)}
    write_map("in.cool", example_map(814, chroms, scale=0.2))
    before = read_map("in.cool")
    with open("names", "w") as table:
        table.writelines(f"s{k}\tscaffold_number_{k:08}\n" for k in range(2000))
    run_ok("rename-chroms", "-f", "names", "in.cool")
    after = read_map("in.cool")
    assert after.names == [f"scaffold_number_{k:08}" for k in range(2000)]
    assert (after.chrom == before.chrom).all() and (after.count == before.count).all()
    with h5py.File("in.cool") as file:
        assert h5py.check_enum_dtype(file["bins/chrom"].dtype) is None
    run_ok("verify", "in.cool")


def test_attributes_of_the_columns_stay():
    write_map("in.cool", example_map(815, CHROMS))
    with h5py.File("in.cool", "r+") as file:
        file["chroms/name"].attrs["about"] = "mine"
        file["bins/chrom"].attrs["also"] = 3
    run_ok("rename-chroms", "in.cool", "-m", "chr1=1")
    with h5py.File("in.cool") as file:
        assert file["chroms/name"].attrs["about"] == "mine" and file["bins/chrom"].attrs["also"] == 3


@pytest.fixture
def cells(tmp_path, monkeypatch):
    import cooler
    import pandas as pd

    bins = cooler.binnify(pd.Series(CHROMS), 1000)
    pixels = pd.DataFrame({"bin1_id": [0, 3], "bin2_id": [1, 70], "count": [4, 5]})
    cooler.create_scool("c.scool", bins, {f"cell{k}": pixels for k in (1, 2, 3)}, ordered=True)


def test_single_cells_go_on_sharing_their_bins(cells):
    run_ok("rename-chroms", "c.scool", "-m", "chr1=1")
    with h5py.File("c.scool") as file:
        assert [n.decode() for n in file["chroms/name"]] == ["1", "chr2", "chrM"]
        for cell in file["cells"].values():
            assert cell["bins/chrom"] == file["bins/chrom"] and cell["chroms/name"] == file["chroms/name"]
            assert cell["bins/start"] == file["bins/start"]
        assert set(h5py.check_enum_dtype(file["bins/chrom"].dtype)) == {"1", "chr2", "chrM"}
    run_ok("verify", "c.scool")
    assert run_ok("dump", "--join", "c.scool::/cells/cell2").out.startswith("1\t0\t1000\t1\t1000\t2000\t4\n")


def test_one_cell_whose_tables_are_shared_is_refused(cells):
    before = digest("c.scool")
    refused(run("rename-chroms", "c.scool::/cells/cell1", "-m", "chr1=1"), "shares .* whole file", code=1)
    assert digest("c.scool") == before


def test_a_map_with_two_names_is_one_map(pyramid):
    run_ok("ln", "in.mcool::/resolutions/2000", "in.mcool::/again")
    run_ok("ln", "-s", "in.mcool::/resolutions/4000", "in.mcool::/soft")
    run_ok("rename-chroms", "in.mcool::/again", "-m", "chr1=one")
    assert read_map("in.mcool", "/resolutions/2000").names == ["one", "chr2", "chrM"]
    run_ok("rename-chroms", "in.mcool::/resolutions/2000", "-m", "one=chr1")
    run_ok("rename-chroms", "in.mcool", "-m", "chr1=1")
    for group in ("/again", "/soft", "/resolutions/1000", "/resolutions/2000", "/resolutions/4000"):
        assert read_map("in.mcool", group).names == ["1", "chr2", "chrM"], group
    with h5py.File("in.mcool") as file:
        assert file["again"] == file["resolutions/2000"]
    run_ok("verify", "in.mcool")


@pytest.mark.parametrize(
    "args, words, code",
    [
        (("-m", "chr1=chr2"), "'chr1' and 'chr2' would both be named 'chr2'", 1),
        (("-m", "chr1=x", "-m", "chr2=x"), "both be named 'x'", 1),
        (("-m", "chr1=x", "-m", "chr1=y"), "'chr1' is to be named 'x' and 'y'", 1),
        (("-m", "chr7=x"), "in.mcool.*no chromosome 'chr7'", 1),
        (("-m", "chr1="), "empty", 1),
        (("-m", "chr1=a\tb"), "tab", 1),
        (("-m", "chr1"), "OLD=NEW", 2),
        ((), "--map", 2),
        (("-f", "names"), "names, line 2: 'chr2'", 1),
        (("-f", "none"), "cannot read none", 1),
    ],
)
def test_mistakes_change_nothing(pyramid, tmp_path, args, words, code):
    (tmp_path / "names").write_text("chr1\tx\nchr2\n")
    before = digest("in.mcool")
    refused(run("rename-chroms", *args, "in.mcool"), words, code=code)
    assert digest("in.mcool") == before
    only_files(tmp_path, "in.mcool", "names")


def test_a_file_that_may_not_be_written(pyramid, tmp_path):
    refused(run("rename-chroms", "missing.cool", "-m", "a=b"), "missing.cool", code=1)
    with h5py.File("broken.cool", "w") as file:
        file["x"] = 1
    refused(run("rename-chroms", "broken.cool", "-m", "a=b"), "no cooler.*broken.cool", code=1)
