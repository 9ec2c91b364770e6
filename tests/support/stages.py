"""A real map for the workflow engines, and the plain command's result that theirs must equal."""

import shutil
from pathlib import Path

from support import program, reference

PROJECT = Path(__file__).resolve().parents[2]
PIPELINES = PROJECT / "pipelines"
LEVELS = [10000, 20000, 50000, 100000]


def real_map():
    """A whole genome's map of 10 kb that brought weights; where it is absent, the one in testdata/."""
    real = reference.REAL_MAPS / "yeast.10kb.cool"
    return real if real.exists() else PROJECT / "testdata" / "demo.cool"


def plain_pyramid(folder, source, levels=tuple(LEVELS)):
    """The bytes that `ziggurat zoomify --balance` makes of it."""
    out = Path(folder) / "plain.mcool"
    program.run_ok(
        "zoomify", "--balance", "-r", ",".join(map(str, levels)), "-o", out, source
    )
    content = out.read_bytes()
    out.unlink()
    return content


def copy_folder(name, target):
    """A folder of pipelines/, as a lab copies it into its own workflow."""
    shutil.copytree(PIPELINES / name, target)
    return Path(target)
