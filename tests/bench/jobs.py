"""What is benchmarked: the maps, the jobs, and each program's commands for them."""

import shutil
from dataclasses import dataclass
from pathlib import Path

COARSE_LEVELS = [20_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000]


@dataclass(frozen=True)
class Size:
    name: str
    pixels: float
    resolution: int
    assembly: str = "hg38"
    levels: tuple = ()

    @property
    def all_levels(self):
        """Of the finished pyramid, the base first."""
        if self.levels:
            return list(self.levels)
        fine = [r for r in (5_000, 10_000) if r >= self.resolution]
        return fine + COARSE_LEVELS

    def make_command(self, make_map, path):
        return [
            make_map,
            "--nnz",
            f"{self.pixels:.0f}",
            "--resolution",
            self.resolution,
            "--assembly",
            self.assembly,
            "-o",
            path,
        ]


SIZES = {
    size.name: size
    for size in (
        Size("tiny", 2e4, 50_000, "mini", (50_000, 100_000, 500_000)),
        Size("5M", 5e6, 10_000),
        Size("20M", 20e6, 10_000),
        Size("100M", 100e6, 5_000),
        Size("300M", 300e6, 5_000),
    )
}


def list_of(levels):
    return ",".join(map(str, levels))


class Ziggurat:
    name = "ziggurat"

    def __init__(self, path):
        self.path = path

    def _run(self, *words, processes):
        return [self.path, *words, "-p", processes, "--perf", "--progress", "json"]

    def zoomify(self, base, levels, output, processes, balance=False):
        extra = ["--balance"] if balance else []
        return [
            self._run(
                "zoomify", *extra, "-r", list_of(levels), "-o", output, base, processes=processes
            )
        ]

    def balance(self, pyramid, levels, processes):
        return [self._run("balance", pyramid, processes=processes)]


class Cooler:
    name = "cooler"

    def __init__(self, path):
        self.path = path

    def zoomify(self, base, levels, output, processes, balance=False):
        extra = ["--balance"] if balance else []
        return [
            [
                self.path,
                "zoomify",
                *extra,
                "-p",
                processes,
                "-r",
                list_of(levels),
                "-o",
                output,
                base,
            ]
        ]

    def balance(self, pyramid, levels, processes):
        return [
            [self.path, "balance", "-p", processes, f"{pyramid}::/resolutions/{level}"]
            for level in levels
        ]


class Hictk:
    """Its zoomify has one thread, whatever `processes` is."""

    name = "hictk"

    def __init__(self, path):
        self.path = path

    def zoomify(self, base, levels, output, processes, balance=False):
        made = [[self.path, "zoomify", base, output, "--resolutions", *levels]]
        return made + (self.balance(output, levels, processes) if balance else [])

    def balance(self, pyramid, levels, processes):
        threads = ["--threads", processes] if processes > 1 else []
        return [[self.path, "balance", "ice", "--in-memory", *threads, pyramid]]


PROGRAMS = {program.name: program for program in (Ziggurat, Cooler, Hictk)}


@dataclass
class Inputs:
    base: Path
    pyramid: Path  # without weights


def zoomify(program, size, inputs, output, processes):
    return program.zoomify(inputs.base, size.all_levels, output, processes)


def zoomify_and_balance(program, size, inputs, output, processes):
    return program.zoomify(inputs.base, size.all_levels, output, processes, balance=True)


def balance(program, size, inputs, output, processes):
    """Of all levels of a finished pyramid, which is copied first: weights are added in place."""
    shutil.copyfile(inputs.pyramid, output)
    return program.balance(output, size.all_levels, processes)


JOBS = {"zoomify": zoomify, "balance": balance, "zoomify+balance": zoomify_and_balance}
