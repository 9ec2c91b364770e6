"""The reference tool as oracle, on real maps, with its results kept between runs.

cooler runs inside this process, by its own command line and with one worker, because starting it
costs more than most of its work here. A result is kept under a name made of the input's content,
cooler's version and the command, so that it can never be stale; ZIGGURAT_REFERENCE_CACHE names the
folder. Files appear in it by rename, so test processes may share it.
"""

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import h5py
import pytest

from support.coolfile import digest

PROJECT = Path(__file__).resolve().parents[2]
REAL_MAPS = Path(os.environ.get("ZIGGURAT_REAL_MAPS", PROJECT.parent / "shared" / "data")).resolve()
CACHE = Path(
    os.environ.get("ZIGGURAT_REFERENCE_CACHE", Path(tempfile.gettempdir()) / "ziggurat-reference")
)


def version():
    import cooler

    return cooler.__version__


def run(*args):
    """Run a command line of cooler in this process; raises what it raises."""
    from cooler.cli import cli

    cli.main(args=[str(a) for a in args], standalone_mode=False)


def cached(inputs, command, make):
    """The file that `make(path)` writes for this command over `inputs`."""
    content = "\n".join([version(), *map(digest, inputs), *map(str, command)])
    kept = CACHE / f"{hashlib.sha256(content.encode()).hexdigest()[:24]}.mcool"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        part = CACHE / f"{kept.name}.{os.getpid()}"
        try:
            make(part)
            part.rename(kept)
        finally:
            part.unlink(missing_ok=True)
    return kept


@dataclass
class RealMap:
    """One map of the shared set: its file, the collection in it, and lists of levels to try."""

    file: str
    group: str = ""
    ladders: tuple = ()

    def __str__(self):
        return self.file

    @property
    def path(self):
        path = REAL_MAPS / self.file
        if not path.exists():
            pytest.skip(f"{path} is absent")
        return path

    @property
    def uri(self):
        return f"{self.path}::{self.group}" if self.group else str(self.path)

    def pyramid(self, ladder=None):
        """What cooler zoomify makes of it, without balancing."""
        args = ["zoomify", *(["-r", ladder] if ladder else [])]
        return cached([self.path], [*args, self.group], lambda out: run(*args, "-o", out, self.uri))

    def balanced_pyramid(self, options):
        """The default pyramid with every level balanced by cooler, its old weights removed first.

        cooler skips levels that bring weights, and the base when the ladder is empty.
        """
        plain = self.pyramid()

        def make(out):
            shutil.copyfile(plain, out)
            with h5py.File(out, "r+") as file:
                groups = [f"/resolutions/{r}" for r in file["resolutions"]]
                for group in groups:
                    if "weight" in file[group]["bins"]:
                        del file[group]["bins/weight"]
            for group in groups:
                run("balance", "-p", 1, *options, f"{out}::{group}")

        return cached([plain], ["balance", *options], make)


REAL = [
    RealMap("toy.symm.upper.2.cool", ladders=("2,4,8,16",)),
    RealMap("toy.asymm.2.cool", ladders=("2,4,8",)),
    RealMap("toy.symm.upper.var.cool", ladders=("1,2,4",)),
    RealMap("odd.1.cool", ladders=("1,4,16",)),
    RealMap("hg19.GM12878-MboI.matrix.2000kb.cool"),
    RealMap("yeast.10kb.cool", ladders=("10000,20000,50000,100000", "20000,40000")),
    RealMap("scool_test_file.scool", "/cells/GSM2687248_41669_ACAGTG-R1-DpnII.100000.cool"),
    RealMap("chromosight.example.1kb.cool"),
    RealMap("scer_w303_g1_2kb_SRR8769554.cool"),
    RealMap("4DNFI8DRD739_bin100kb.cool"),
    RealMap("CALDER2.test.mcool", "/resolutions/50000", ("50000,100000,500000,1000000",)),
    RealMap("docker-4dn-hic.test.multires.cool", "/resolutions/100000"),
    RealMap("hic2cool_0.7.0_multi_res.mcool", "/resolutions/1000000"),
    RealMap("hic2cool_0.4.2_single_res.cool"),
    RealMap("hictkpy.cooler_test_file.mcool", "/resolutions/100000"),
    RealMap("hictkR.interactions.1Mb.cool", ladders=("1000000,2000000,4000000",)),
    RealMap("gm12878_raw_values.cool"),
    RealMap("small_test_matrix_scaled_by_2.cool"),
    RealMap("hicexplorer.matrix.mcool", "/4"),
    RealMap("sin_eigs_mat.cool", ladders=("10,100,200",)),
    RealMap("CN.mm9.10000kb.cool", ladders=("10000000,20000000,50000000",)),
    RealMap("HiCool.R64-1-1.mcool", "/resolutions/1000"),
    RealMap("invalid.missing_format_attr.cool"),
    RealMap("Dixon2012-H1hESC-HindIII.1000kb.cool"),
]

# cooler needs minutes for its ten million bins; numpy is the oracle there.
MANY_CONTIGS = RealMap("manycontigs.1.cool", ladders=("1,10,100,1000",))
CORRUPTED = RealMap("invalid.corrupted_chroms.cool")

# More than a million pixels: balancing them takes cooler too long for every run.
LARGE = {"scer_w303_g1_2kb_SRR8769554.cool", "Dixon2012-H1hESC-HindIII.1000kb.cool"}
