"""The command line: options in all their forms, names of outputs, plans, bases, layouts."""

import json
import os
import re
from pathlib import Path

import h5py
import pytest

from support.check import check_level, check_pyramid
from support.coolfile import resolutions, uri, write_map, write_pyramid
from support.maps import coarsened, example_map, make_map
from support.program import one_line, only_files, refused, run, run_ok


@pytest.fixture
def source():
    m = example_map(71)
    write_map("in.cool", m)
    return m


@pytest.mark.ours
def test_version_is_one_line():
    assert re.fullmatch(r"ziggurat, version \d+\.\d+\.\d+\n", run_ok("--version").out)


@pytest.mark.parametrize("command", ["zoomify", "coarsen", "balance", "ls", "info"])
def test_help(command):
    assert command in run_ok(command, "--help").out


@pytest.mark.parametrize(
    "args",
    [
        ("-r", "2000", "-o", "o.mcool", "in.cool"),
        ("in.cool", "-r", "2000", "-o", "o.mcool"),
        ("-n", "2", "--resolutions", "2000", "in.cool", "--out", "o.mcool"),
        ("-p2", "-r2000", "in.cool", "-oo.mcool"),
        ("--nproc=2", "--resolutions=2000", "--out=o.mcool", "in.cool"),
        ("-c", "1000", "-r", "2000", "-o", "o.mcool", "in.cool"),
        ("-r", "2000,2000,1000", "-o", "o.mcool", "in.cool"),
    ],
)
def test_options_in_any_place_and_form(source, args):
    run_ok("zoomify", *args)
    check_pyramid("o.mcool", source, [2000])


@pytest.mark.ours
@pytest.mark.parametrize(
    "option",
    [
        ("--quiet",),
        ("--progress", "plain"),
        ("--progress", "json"),
        ("--progress", "none"),
        ("--compression-level", "1"),
        ("--compression-level", "6"),
        ("--force",),
        ("--tmpdir", "."),
    ],
)
def test_options_of_our_own(source, option, tmp_path):
    run_ok("zoomify", "-r", "2000", *option, "-o", "o.mcool", "in.cool")
    check_pyramid("o.mcool", source, [2000])
    only_files(tmp_path, "in.cool", "o.mcool")


@pytest.mark.ours
def test_quiet_says_nothing(source):
    result = run_ok("zoomify", "--quiet", "-r", "2000", "-o", "o.mcool", "in.cool")
    assert (result.out, result.err) == ("", "")


@pytest.mark.ours
def test_progress_without_a_terminal_is_plain_lines(source):
    result = run_ok("zoomify", "-r", "2000", "-o", "o.mcool", "in.cool")
    assert "\r" not in result.err and "\x1b" not in result.err
    assert not re.search(r"error:|exception:", result.err + result.out, re.I), (
        "some hosts fail on it"
    )


@pytest.mark.ours
def test_progress_as_json_is_json(source):
    lines = run_ok("zoomify", "--progress", "json", "-r", "2000", "-o", "o.mcool", "in.cool").err
    assert lines and all(isinstance(json.loads(line), dict) for line in lines.splitlines())


@pytest.mark.ours
def test_progress_has_the_same_fields_in_every_long_command(source):
    Path("c.txt").write_text("".join(f"chr1\t{i}\tchr1\t{i}\n" for i in range(1, 9)))
    Path("sizes").write_text("chr1\t5000\n")
    jobs = {
        ("zoomify", "-r", "2000", "in.cool"): {"coarsening": "pixels", "assembling": "levels"},
        ("balance", "--force", "in.cool"): {"reading": "pixels", "balancing": "rounds"},
        ("merge", "m.cool", "in.cool", "in.cool"): {"merging": "pixels"},
        ("verify", "in.mcool"): {"verifying": "pixels"},
        ("report", "in.cool"): {"reading": "pixels"},
        ("cload", "pairs", "-c1", "1", "-p1", "2", "-c2", "3", "-p2", "4", "sizes:1000", "c.txt",
         "l.cool"): {"reading": "contacts", "writing": "contacts"},
    }  # fmt: skip
    for (command, *rest), units in jobs.items():
        said = run_ok(command, "--progress", "json", *rest).err
        lines = [json.loads(line) for line in said.splitlines()]
        told = [line for line in lines if "stage" in line]
        for line in told:
            assert list(line) == [
                "stage", "object", "done", "total", "unit", "per_second", "seconds_left",
            ]  # fmt: skip
        assert units.items() <= {line["stage"]: line["unit"] for line in told}.items(), command


class TestOutputName:
    @pytest.mark.parametrize(
        "name, output",
        [
            ("map.cool", "map.mcool"),
            ("folder/map.cool", "folder/map.mcool"),
            pytest.param("a.cool.cool", "a.cool.mcool", marks=pytest.mark.ours),
            pytest.param("x.cool.d/map.cool", "x.cool.d/map.mcool", marks=pytest.mark.ours),
            pytest.param("map.1000.cool", "map.1000.mcool", marks=pytest.mark.ours),
        ],
    )
    def test_stands_beside_the_input(self, name, output):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        m = example_map(72)
        write_map(name, m)
        run_ok("zoomify", "-r", "2000", name)
        check_pyramid(output, m, [2000])

    def test_may_have_any_extension(self, source):
        run_ok("zoomify", "-r", "2000", "-o", "result.dat", "in.cool")
        check_pyramid("result.dat", source, [2000])

    def test_of_coarsen_may_name_a_group(self, source):
        run_ok("coarsen", "-k", "2", "-o", "o.cool::/some/where", "in.cool")
        check_level("o.cool", "/some/where", coarsened(source, 2))

    @pytest.mark.ours
    def test_of_a_level_of_a_pyramid_is_not_the_pyramid(self):
        write_pyramid("in.mcool", {1000: example_map(73)})
        refused(run("zoomify", "-r", "2000", "in.mcool::/resolutions/1000"), "-o|--out|input|same")


@pytest.mark.ours
class TestDryRun:
    def test_writes_nothing_and_prints_the_plan(self, source, tmp_path):
        plan = run_ok(
            "zoomify", "--dry-run", "-r", "2000,5000,10000", "-o", "o.mcool", "in.cool"
        ).out
        only_files(tmp_path, "in.cool")
        for level in ("1000", "2000", "5000", "10000"):
            assert re.search(rf"\b{level}\b", plan)

    def test_refuses_what_the_run_would(self, source):
        refused(run("zoomify", "--dry-run", "-r", "1500", "-o", "o.mcool", "in.cool"), "1500")


@pytest.mark.ours
class TestSeveralBases:
    """Levels are made from the largest level that divides them, and no base is made anew."""

    @pytest.fixture(autouse=True)
    def bases(self):
        self.fine = example_map(74)
        self.other = example_map(75, bin_size=3000)  # not the coarsened fine map
        write_map("fine.cool", self.fine)
        write_map("other.cool", self.other)

    @pytest.mark.parametrize("order", [("fine.cool", "other.cool"), ("other.cool", "fine.cool")])
    def test_both_are_used(self, order):
        run_ok("zoomify", "-i", order[1], "-r", "2000,3000,6000", "-o", "o.mcool", order[0])
        assert resolutions("o.mcool") == [1000, 2000, 3000, 6000]
        check_level("o.mcool", "/resolutions/1000", coarsened(self.fine, 1))
        check_level("o.mcool", "/resolutions/2000", coarsened(self.fine, 2))
        check_level("o.mcool", "/resolutions/3000", coarsened(self.other, 1))
        check_level("o.mcool", "/resolutions/6000", coarsened(self.other, 2))

    def test_of_other_chromosomes_are_refused(self):
        write_map("alien.cool", example_map(76, {"z1": 20_000}, 3000))
        result = run("zoomify", "-i", "alien.cool", "-r", "6000", "-o", "o.mcool", "fine.cool")
        refused(result, "alien.cool", absent=["o.mcool"])


def test_levels_come_from_the_largest_divisor():
    """100 from 100; 500 from 100; 1000 from 500; 3000 from 1000: sums are those of the base."""
    m = example_map(77, {"a": 41_000, "b": 13_500}, 100, scale=8)
    write_map("in.cool", m)
    run_ok("zoomify", "-r", "3000,100,200,500,1000", "-o", "o.mcool", "in.cool")
    check_pyramid("o.mcool", m, [200, 500, 1000, 3000])


def test_the_old_layout_on_request():
    m = make_map({"c1": 900_000, "c2": 300_000}, 1000, ([1, 5, 700], [2, 900, 1100], [1, 2, 3]))
    write_map("in.cool", m)
    run_ok("zoomify", "--legacy", "-o", "o.mcool", "in.cool")
    with h5py.File("o.mcool", "r") as file:
        assert sorted(file) == ["0", "1", "2", "3"]
        assert file.attrs["max-zoom"] == 3
        assert [int(file.attrs[str(i)]) for i in range(4)] == [8000, 4000, 2000, 1000]
    for zoom in range(4):
        check_level("o.mcool", f"/{zoom}", coarsened(m, 2 ** (3 - zoom)))


def test_ls_and_info(source):
    write_pyramid("in.mcool", {1000: source, 2000: coarsened_for_storage(source)})
    lines = run_ok("ls", "in.mcool").out.split()
    assert lines == ["in.mcool::/resolutions/1000", "in.mcool::/resolutions/2000"]
    assert run_ok("ls", "in.cool").out.split() == ["in.cool::/"]
    info = json.loads(run_ok("info", uri("in.mcool", 1000)).out)
    assert (info["nnz"], info["bin-size"], info["nbins"]) == (source.nnz, 1000, source.nbins)


def coarsened_for_storage(m):
    """Exact sums as a type that can be written."""
    coarse = coarsened(m, 2)
    return coarse.with_columns(count=coarse.count.astype("i4"))


@pytest.mark.parametrize(
    "args, words",
    [
        ((), ""),
        (("frobnicate",), "frobnicate"),
        (("zoomify",), ""),
        (("zoomify", "--nope", "x"), "nope"),
        (("coarsen", "-k", "2", "in.cool"), "out"),
        (("coarsen", "-k", "two", "-o", "o", "in.cool"), "two|-k|factor"),
        pytest.param(("zoomify", "-p", "many", "in.cool"), "many|nproc|-p", id="nproc"),
    ],
)
def test_usage_faults_end_with_two(source, args, words):
    result = run(*args)
    if args:
        refused(result, words, code=2)
    else:
        assert result.code in (0, 2)


@pytest.mark.ours
def test_a_usage_fault_is_one_line(source):
    one_line(refused(run("zoomify", "--nope", "in.cool"), "nope", code=2))


@pytest.mark.ours
def test_bad_balance_options_are_found_before_any_work(source, tmp_path):
    result = run(
        "zoomify",
        "-r",
        "2000",
        "--balance",
        "--balance-args",
        "--no-such-option",
        "-o",
        "o.mcool",
        "in.cool",
    )
    refused(result, "no-such-option", code=2)
    only_files(tmp_path, "in.cool")
