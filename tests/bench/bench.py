#!/usr/bin/env python3
"""Compares the time and memory of ziggurat with those of cooler and hictk on synthetic maps.

Makes the maps with make_map, runs the programs in turn on the same input, checks that their
results hold the same pixels, prints medians and ratios, and writes every run as JSON.
"""

import argparse
import itertools
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import jobs
import measuring
import results

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release/bin"


def names(known):
    """An argument that is a comma-separated list of known names."""

    def parse(text):
        chosen = text.split(",")
        unknown = [name for name in chosen if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(known)}")
        return chosen

    return parse


def numbers(text):
    return [int(part) for part in text.split(",")]


def beside_python(name):
    """A program of this Python environment, else one on PATH, else None."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--sizes",
        type=names(jobs.SIZES),
        default=["20M"],
        help=f"pixels of the maps: {', '.join(jobs.SIZES)} [default: 20M]",
    )
    add(
        "--jobs",
        type=names(jobs.JOBS),
        default=list(jobs.JOBS),
        help="zoomify; balance (all levels of a finished file); zoomify+balance [default: all]",
    )
    add(
        "--programs",
        type=names(jobs.PROGRAMS),
        default=None,
        help="ziggurat, cooler, hictk; the others are compared with the first [default: those "
        "that are there]",
    )
    add("--processes", type=numbers, default=[2], help="of each program [default: 2]")
    add("--repeats", type=int, default=3, help="runs of ziggurat [default: 3]")
    add("--peer-repeats", type=int, default=1, help="runs of the others [default: 1]")
    add(
        "--ziggurat",
        default=os.environ.get("ZIGGURAT", str(BUILD / "ziggurat")),
        help="program [default: $ZIGGURAT, else build/release/bin/ziggurat]",
    )
    add("--make-map", default=None, help="generator [default: beside ziggurat]")
    add("--cooler", default=beside_python("cooler"), help="[default: of this Python, or on PATH]")
    add("--hictk", default=shutil.which("hictk"), help="[default: on PATH]")
    add(
        "--folder",
        type=Path,
        default=ROOT / "build/bench",
        help="for maps, which are kept, and outputs [default: build/bench]",
    )
    add("--json", type=Path, default=None, help="[default: results.json in the folder]")
    return parser.parse_args()


def chosen_programs(args):
    paths = {"ziggurat": args.ziggurat, "cooler": args.cooler, "hictk": args.hictk}
    wanted = args.programs or [name for name, path in paths.items() if path]
    missing = [name for name in wanted if not paths[name] or not shutil.which(paths[name])]
    if missing:
        sys.exit(f"bench: {missing[0]} is not there: {paths[missing[0]] or 'not on PATH'}")
    return [jobs.PROGRAMS[name](paths[name]) for name in wanted]


def version(path):
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip()


def machine(programs):
    cpu = [
        line.split(":", 1)[1].strip()
        for line in measuring.read("/proc/cpuinfo").splitlines()
        if line.startswith("model name")
    ]
    return {
        "cpu": cpu[0] if cpu else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "load_before": os.getloadavg()[0],
        "versions": {program.name: version(program.path) for program in programs},
    }


def inputs_of(size, args):
    """The base map and its pyramid, made when they are not there yet."""
    made = jobs.Inputs(args.folder / f"{size.name}.cool", args.folder / f"{size.name}.mcool")
    make_map = args.make_map or Path(args.ziggurat).parent / "make_map"
    commands = {
        made.base: size.make_command(make_map, made.base),
        made.pyramid: jobs.Ziggurat(args.ziggurat).zoomify(
            made.base, size.all_levels, made.pyramid, len(os.sched_getaffinity(0))
        )[0],
    }
    for path, command in commands.items():
        if path.exists():
            continue
        print(f"making {path}", flush=True)
        subprocess.run(
            list(map(str, command)),
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return made


def content(pyramid):
    """What must be the same whoever made a file: pixels and sum of each level."""
    with h5py.File(pyramid) as file:
        return {
            level: (int(group.attrs["nnz"]), int(group.attrs["sum"]))
            for level, group in file["resolutions"].items()
        }


def warm(path):
    """Into the page cache, so that no program pays for the first reading."""
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def run_once(program, job, size, inputs, processes, folder):
    output = folder / "output.mcool"
    output.unlink(missing_ok=True)
    commands = jobs.JOBS[job](program, size, inputs, output, processes)
    warm(inputs.base)
    commands = [list(map(str, command)) for command in commands]
    measured = measuring.run_in_turn(commands, folder / "stderr.txt")
    if content(output) != content(inputs.pyramid):
        sys.exit(f"bench: {program.name} made other pixels than were expected: {output}")
    run = results.Run(
        size.name,
        job,
        processes,
        program.name,
        measured.wall_s,
        measured.cpu_s,
        measured.peak_bytes,
        output.stat().st_size,
        results.perf_of(measured.stderr),
    )
    output.unlink()
    return run


def runs_of(args, programs):
    """Every run that was asked for, one program after the other on the same input."""
    for size in (jobs.SIZES[name] for name in args.sizes):
        inputs = inputs_of(size, args)
        for job, processes, program in itertools.product(args.jobs, args.processes, programs):
            repeats = args.repeats if program.name == "ziggurat" else args.peer_repeats
            for _ in range(repeats):
                yield run_once(program, job, size, inputs, processes, args.folder)


def main():
    args = arguments()
    programs = chosen_programs(args)
    args.folder.mkdir(parents=True, exist_ok=True)
    about = machine(programs)
    if about["load_before"] > 0.5:
        print(
            f"bench: the machine is busy (load {about['load_before']:.1f}): times will be off",
            file=sys.stderr,
        )
    runs = []
    for run in runs_of(args, programs):
        runs.append(run)
        print(
            f"{run.job} {run.size}: {run.program} {run.wall_s:.2f} s wall, {run.cpu_s:.2f} s CPU",
            flush=True,
        )
        # Written after every run: what took an hour must not be lost to what fails after it.
        path = args.json or args.folder / "results.json"
        path.write_text(results.as_json(about, runs), encoding="utf-8")
    print(results.table(results.summaries(runs)))


if __name__ == "__main__":
    main()
