#!/usr/bin/env python3
"""The performance guard: what ziggurat does for a fixed map, in counts that no noise touches.

usage: guard.py --program ziggurat --make-map make_map --build TEXT [--update]

Instructions. Valgrind runs the program and counts the instructions of the writer and of its reader
for each job, to be compared with guard.json; more than TOLERANCE above is a failure. A count does
not depend on load or clock, and not on the processor either: valgrind shows a program the same
processor with AVX2 on every host that has AVX2. It does depend on compiler, flags and libraries, so
guard.json has one record for each such set, and where there is none the check is skipped, aloud.
With --update the record is replaced; do that when a change is meant to cost or to gain.

Operations. From --perf on two maps, one with four times the pixels of the other: batches, chunks
and messages may grow with the pixels and no faster.
"""

import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import results

RECORDS = Path(__file__).with_name("guard.json")
TOLERANCE = 0.03
SKIPPED = 77  # as ctest is told
LEVELS = "50000,100000,200000,500000,1000000"
PIXELS = 150_000
# Rounding up: each stage may have this many items more than the pixels explain, once for every
# level and column.
SPARE_ITEMS = 60


def make_map(program, pixels, path):
    subprocess.run(
        [program, "--nnz", str(pixels), "--resolution", "50000", "--level", "1", "-o", path],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def commands(program, base, pyramid):
    finest = f"{pyramid}::/resolutions/50000"
    return {
        "zoomify": [program, "zoomify", "-q", "-p", "1", "-r", LEVELS, "-o", pyramid, base],
        "balance": [program, "balance", "-q", "-p", "1", "--force", finest],
    }


def instructions_in(log):
    """(command, instructions) of a valgrind log; None for a process that was killed."""
    command, count = "", None
    for line in log.splitlines():
        words = line.split("==")[-1].strip()
        if words.startswith("Command:"):
            command = words
        elif words.startswith(("I   refs:", "I refs:")):
            count = int(words.split(":")[1].replace(",", ""))
    return command, count


def instructions_of(command, folder):
    """Of the writer, and of its readers together."""
    for old in folder.glob("log.*"):
        old.unlink()
    subprocess.run(
        [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            "--cachegrind-out-file=/dev/null",
            "--trace-children=yes",
            f"--log-file={folder}/log.%p",
            *command,
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    counts = {"writer": 0, "readers": 0}
    for log in folder.glob("log.*"):
        name, count = instructions_in(log.read_text())
        counts["readers" if "--ziggurat-reader" in name else "writer"] += count or 0
    return counts


def exceeds(found, recorded):
    return found > recorded * (1 + TOLERANCE)


def why_not_counted():
    """A reason to skip the counting of instructions, or None."""
    if shutil.which("valgrind") is None:
        return "valgrind is not installed"
    if platform.machine() != "x86_64" or " avx2 " not in Path("/proc/cpuinfo").read_text():
        return "this processor has no AVX2, and takes other paths than the record's"
    return None


def system():
    """Distribution and release, whose libraries the program runs."""
    release = dict(
        line.split("=", 1)
        for line in Path("/etc/os-release").read_text().splitlines()
        if "=" in line
    )
    return f"{release.get('ID', '')} {release.get('VERSION_ID', '')}".replace('"', "")


def check_instructions(args, folder):
    """Faults, or None when nothing could be compared."""
    reason = why_not_counted()
    records = json.loads(RECORDS.read_text()) if RECORDS.exists() else {}
    key = f"{system()}, {args.build}"
    if reason is None and key not in records and not args.update:
        reason = f"guard.json has no record for: {key}"
    if reason:
        print(f"guard: instructions not counted: {reason}")
        return None
    base, pyramid = folder / "base.cool", folder / "pyramid.mcool"
    make_map(args.make_map, PIXELS, base)
    found = {
        job: instructions_of(command, folder)
        for job, command in commands(args.program, base, pyramid).items()
    }
    if args.update:
        records[key] = found
        RECORDS.write_text(json.dumps(records, indent=1) + "\n")
    faults = []
    for job, processes in found.items():
        for process, count in processes.items():
            recorded = records[key][job][process]
            line = f"{job}, {process}: {count:,} instructions, recorded {recorded:,}"
            print(f"guard: {line} ({count / recorded - 1:+.1%})")
            if exceeds(count, recorded):
                faults.append(f"{line}: more than {TOLERANCE:.0%} above")
    return faults


def items(program, make, pixels, folder):
    """Items and pixels of each stage of a zoomify."""
    base = folder / f"{pixels}.cool"
    make_map(make, pixels, base)
    command = commands(program, base, folder / "out.mcool")["zoomify"]
    command = [word for word in command if word != "-q"] + ["--perf", "--progress", "json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = {}
    for process in results.perf_of(done.stderr)["processes"]:
        for stage in process["stages"]:
            found[process["process"], stage["stage"]] = stage["items"]
    return found


def faster_than_pixels(small, large, factor):
    """Stages whose items grew by more than `factor` and the spare."""
    return [
        f"{process}, {stage}: {n} items, {small.get((process, stage), 0)} with 1/{factor} of pixels"
        for (process, stage), n in large.items()
        if n > factor * small.get((process, stage), 0) + SPARE_ITEMS
    ]


def check_operations(args, folder):
    factor = 4
    small = items(args.program, args.make_map, 2 * PIXELS, folder)
    large = items(args.program, args.make_map, 2 * PIXELS * factor, folder)
    print(f"guard: items of {len(large)} stages compared")
    return faster_than_pixels(small, large, factor)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", required=True)
    parser.add_argument("--make-map", required=True)
    parser.add_argument("--build", required=True, help="compiler and flags, the key of a record")
    parser.add_argument("--update", action="store_true", help="replace the record of this build")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        faults = check_operations(args, Path(name))
        instruction_faults = check_instructions(args, Path(name))
    faults += instruction_faults or []
    for fault in faults:
        print(f"guard: FAILED: {fault}")
    if faults:
        return 1
    return SKIPPED if instruction_faults is None else 0


if __name__ == "__main__":
    sys.exit(main())
