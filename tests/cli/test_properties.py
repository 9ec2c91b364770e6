"""What holds for every pyramid, whatever the map, the processes or the sizes of buffers."""

import os

import h5py
import pytest

from support.check import check_level
from support.coolfile import digest, read_map, resolutions, write_map
from support.maps import coarsened, example_map, square_map, variable_map
from support.program import run_ok

MAPS = {
    "upper": example_map(31),
    "square": square_map(32),
    "variable": variable_map(33),
    "small_chromosomes": example_map(34, {f"s{k}": 400 + 450 * k for k in range(25)}, scale=20),
}


@pytest.fixture(params=MAPS)
def source(request):
    write_map("in.cool", MAPS[request.param])
    return MAPS[request.param]


@pytest.mark.parametrize("a, b", [(2, 3), (3, 2), (4, 5)])
def test_two_steps_equal_one(source, a, b):
    run_ok("coarsen", "-k", a, "-o", "a.cool", "in.cool")
    run_ok("coarsen", "-k", b, "-o", "ab.cool", "a.cool")
    run_ok("coarsen", "-k", a * b, "-o", "one.cool", "in.cool")
    exact = coarsened(source, a * b)
    for path in ("ab.cool", "one.cool"):
        check_level(path, "/", exact, attributes=False)


def test_every_level_keeps_the_sum(source):
    base = source.bin_size or 1
    run_ok(
        "zoomify",
        "-r",
        ",".join(str(base * k) for k in (2, 3, 7, 14, 60)),
        "-o",
        "o.mcool",
        "in.cool",
    )
    total = source.count.sum()
    for level in resolutions("o.mcool"):
        m = read_map("o.mcool", f"/resolutions/{level}")
        assert m.count.sum() == total
        if level != base:
            assert m.attrs["sum"] == total


def bytes_of(*options):
    run_ok("zoomify", "-r", "2000,5000,20000", *options, "-o", "o.mcool", "in.cool")
    return digest("o.mcool")


@pytest.mark.ours
class TestSameBytes:
    """Nothing may differ between runs, the date of creation included."""

    @pytest.fixture(autouse=True)
    def source(self):
        write_map("in.cool", example_map(35, {"c1": 190_000, "c2": 80_000, "c3": 900}, trans=2))
        self.wanted = bytes_of("-p", "1")

    @pytest.mark.parametrize("processes", [1, 2, 3, 8])
    def test_for_any_number_of_processes(self, processes):
        assert bytes_of("-p", processes) == self.wanted

    @pytest.mark.parametrize("slot", ["4K", "64K", "1M"])
    @pytest.mark.parametrize("processes", [1, 3])
    def test_for_any_slot_size(self, slot, processes):
        assert bytes_of("-p", processes, "--slot-size", slot) == self.wanted

    @pytest.mark.parametrize("chunksize", [1, 1000])
    def test_for_any_chunksize(self, chunksize):
        assert bytes_of("-p", "2", "--chunksize", chunksize) == self.wanted

    @pytest.mark.balance
    def test_with_weights(self):
        runs = {bytes_of("-p", p, "--balance", "--balance-args", f"-p {p}") for p in (1, 2, 3)}
        assert len(runs) == 1

    def test_of_one_level(self):
        seen = set()
        for processes in (1, 2, 3, 8):
            run_ok("coarsen", "-k", "4", "-p", processes, "-o", "k.cool", "in.cool")
            seen.add(digest("k.cool"))
        assert len(seen) == 1


@pytest.mark.ours
class TestCreationDate:
    """That of the base, so that equal inputs give equal bytes, unless another was agreed on."""

    def date(self, **env):
        run_ok("coarsen", "-k", "2", "-o", "k.cool", "in.cool", env=env)
        return read_map("k.cool").attrs["creation-date"]

    def test_is_that_of_the_base(self):
        write_map("in.cool", MAPS["upper"])
        assert self.date() == read_map("in.cool").attrs["creation-date"] == "2024-01-01T00:00:00"

    def test_is_that_of_the_file_when_the_base_has_none(self):
        write_map("in.cool", MAPS["upper"])
        with h5py.File("in.cool", "r+") as file:
            del file.attrs["creation-date"]
        os.utime("in.cool", (1_600_000_000, 1_600_000_000))
        assert self.date(TZ="Asia/Tokyo") == "2020-09-13T12:26:40"

    def test_is_the_one_given(self):
        write_map("in.cool", MAPS["upper"])
        assert self.date(SOURCE_DATE_EPOCH="1700000000") == "2023-11-14T22:13:20"
