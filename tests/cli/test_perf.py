"""--perf: what it counts is what the files hold, and its times fit in the run."""

import json

import h5py
import pytest
from support.coolfile import write_map
from support.maps import example_map
from support.program import run_ok

pytestmark = pytest.mark.ours

COLUMNS = ("bin1_id", "bin2_id", "count")


def perf_of(*args):
    """The report of a run, and its stages added up over processes."""
    result = run_ok(*args, "--perf", "--progress", "json")
    lines = [json.loads(line) for line in result.err.splitlines()]
    reports = [line["perf"] for line in lines if "perf" in line]
    assert len(reports) == 1 and "perf" in lines[-1]
    stages = {}
    for process in reports[0]["processes"]:
        for stage in process["stages"]:
            total = stages.setdefault(stage["stage"], dict.fromkeys(stage, 0))
            for key, value in stage.items():
                if key != "stage":
                    total[key] += value
    return reports[0], stages


def stored_bytes(path, group="/"):
    """Of the chunks of every pixel column below a group."""
    total = 0

    def add(name, item):
        nonlocal total
        if isinstance(item, h5py.Dataset) and name.split("/")[-1] in COLUMNS:
            total += item.id.get_storage_size()

    with h5py.File(path) as file:
        file[group].visititems(add)
    return total


def n_pixels(path, *groups):
    with h5py.File(path) as file:
        return sum(file[f"{group}/pixels/bin1_id"].shape[0] for group in groups)


@pytest.mark.parametrize("processes", [1, 3])
def test_zoomify_counts_what_the_files_hold(processes):
    source = example_map(71)
    write_map("in.cool", source)
    report, stages = perf_of(
        "zoomify", "-p", processes, "-r", "2000,6000", "-o", "out.mcool", "in.cool"
    )
    for stage in ("prove rows", "inflate", "check", "coarsen"):
        assert stages[stage]["pixels"] == source.nnz, stage
    # Row ids are inflated to prove them, and their chunks fetched again to be passed on.
    fetched = stages["prove rows"]["bytes_in"] + stages["inflate"]["bytes_in"]
    assert fetched >= stored_bytes("in.cool", "/pixels")
    assert stages["store"]["bytes_out"] == stored_bytes("out.mcool")
    made = n_pixels("out.mcool", "resolutions/2000", "resolutions/6000")
    assert stages["encode"]["pixels"] in (made, made + source.nnz)
    assert stages["tables"]["items"] == stages["assemble"]["items"] == 3
    assert report["wall_s"] > 0 and report["cpu_s"] > 0


@pytest.mark.parametrize("processes", [1, 3])
def test_times_fit_in_the_run(processes):
    write_map("in.cool", example_map(72))
    report, _ = perf_of("zoomify", "-p", processes, "-r", "2000", "-o", "out.mcool", "in.cool")
    names = [process["process"] for process in report["processes"]]
    assert names[0] == "writer" and "reader 1" in names
    for process in report["processes"]:
        spent = sum(stage["busy_s"] + stage["waiting_s"] for stage in process["stages"])
        assert 0 < spent <= report["wall_s"] * process["threads"] + 1e-4
        if process["process"] != "encoders":
            assert process["peak_bytes"] > 1e6 and process["cpu_s"] > 0
    assert report["cpu_s"] == pytest.approx(sum(p["cpu_s"] for p in report["processes"]), abs=1e-5)


def test_balance_counts_every_round():
    source = example_map(73)
    write_map("in.cool", source)
    _, stages = perf_of(
        "balance",
        "--max-iters",
        "7",
        "--tol",
        "0",
        "--min-nnz",
        "0",
        "--mad-max",
        "0",
        "--ignore-diags",
        "0",
        "in.cool",
    )
    assert stages["iterate"]["items"] == 7
    assert stages["iterate"]["pixels"] == 7 * source.nnz
    assert stages["pack"]["pixels"] == source.nnz
    assert stages["weights"]["items"] == 1


def test_balancing_levels_is_told_with_the_rest():
    write_map("in.cool", example_map(74))
    _, stages = perf_of("zoomify", "--balance", "-r", "2000,6000", "-o", "out.mcool", "in.cool")
    assert stages["iterate"]["items"] > 0 and stages["coarsen"]["pixels"] > 0


@pytest.mark.parametrize("command", ["zoomify", "coarsen"])
def test_it_is_said_only_when_asked_and_last(command):
    write_map("in.cool", example_map(75))
    plain = run_ok(command, "-o", "out.cool", "in.cool")
    assert "busy" not in plain.err
    asked = run_ok(command, "-q", "--perf", "-o", "out.cool", "in.cool")
    lines = asked.err.splitlines()
    assert lines[0].lstrip().startswith("stage ") and lines[0].endswith("bytes out")
    assert lines[1].startswith("writer: CPU ") and lines[-1].startswith("wall ")
