"""A real map and contacts of it for the workflow engines, and what the plain commands make of them."""

import gzip
import shutil
from pathlib import Path

import h5py
import numpy as np

from support import program, reference

PROJECT = Path(__file__).resolve().parents[2]
PIPELINES = PROJECT / "pipelines"
LEVELS = [10000, 20000, 50000, 100000]
# A map that is loaded says when; a pyramid of a map says when that was made.
DATE = {"SOURCE_DATE_EPOCH": "1700000000"}


def real_map():
    """A whole genome's map of 10 kb that brought weights; where it is absent, the one in testdata/."""
    real = reference.REAL_MAPS / "yeast.10kb.cool"
    return real if real.exists() else PROJECT / "testdata" / "demo.cool"


def plain_pyramid(folder, source, levels=tuple(LEVELS), env=None):
    """The bytes that `ziggurat zoomify --balance` makes of it."""
    out = Path(folder) / "plain.mcool"
    program.run_ok(
        "zoomify", "--balance", "-r", ",".join(map(str, levels)), "-o", out, source, env=env
    )
    content = out.read_bytes()
    out.unlink()
    return content


class Replicates:
    """Contacts of a real map as two files of pairs, one of them compressed, and its chromosomes."""

    N_CONTACTS = 60_000
    ASSEMBLY = "sacCer3"

    def __init__(self, folder):
        self.sizes = Path(folder) / "chrom.sizes"
        self.pairs = [Path(folder) / "first.pairs", Path(folder) / "second.pairs.gz"]
        with h5py.File(real_map()) as file:
            names = file["chroms/name"].asstr()[:]
            lengths = file["chroms/length"][:]
            chrom, start, end = (file["bins"][name][:] for name in ("chrom", "start", "end"))
            pixels = [file["pixels"][name][:] for name in ("bin1_id", "bin2_id", "count")]
        self.sizes.write_text("".join(f"{n}\t{size}\n" for n, size in zip(names, lengths)))
        random = np.random.default_rng(17)
        share = pixels[2] / pixels[2].sum()
        picked = random.choice(len(share), 2 * self.N_CONTACTS, p=share)
        ends = []
        for bins in (pixels[0][picked], pixels[1][picked]):
            ends += [names[chrom[bins]], random.integers(start[bins], end[bins]) + 1]
        lines = [f".\t{a}\t{p}\t{b}\t{q}\t+\t-\n" for a, p, b, q in zip(*ends)]
        self.pairs[0].write_text("".join(lines[: self.N_CONTACTS]))
        with gzip.open(self.pairs[1], "wt", compresslevel=1) as file:
            file.writelines(lines[self.N_CONTACTS :])

    def plain_pyramid(self, folder, levels=tuple(LEVELS)):
        """The bytes that cload pairs, merge and zoomify --balance make of them, one after another."""
        maps = [Path(folder) / f"plain.{i}.cool" for i in range(len(self.pairs))]
        for pairs, made in zip(self.pairs, maps):
            program.run_ok("cload", "pairs", "--assembly", self.ASSEMBLY, f"{self.sizes}:{levels[0]}", pairs,
                           made, env=DATE)
        merged = Path(folder) / "plain.cool"
        program.run_ok("merge", merged, *maps, env=DATE)
        content = plain_pyramid(folder, merged, levels, DATE)
        for path in (merged, *maps):
            path.unlink()
        return content


def copy_folder(name, target):
    """A folder of pipelines/, as a lab copies it into its own workflow."""
    shutil.copytree(PIPELINES / name, target)
    return Path(target)
