"""Command lines that look into maps or rearrange them, with the program's name in place of cooler's.

Each runs in a shell under the name ziggurat and under the name cooler (a link), and prints to the
byte what cooler prints, or leaves the same maps under the same names.
"""

import contextlib
import io
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from support import program, reference
from support.coolfile import write_map
from support.maps import example_map
from support.program import run_ok

NAMES = ("ziggurat", "cooler")
CHROMS = {"chr1": 300_000, "chr2": 120_000, "chrM": 16_000}

PRINTING = [
    "dump a.cool",
    "dump -t chroms a.cool",
    "dump -t bins -H m.mcool::/resolutions/2000",
    "dump --one-based-ids --balanced --na-rep 0 m.mcool::/resolutions/2000",
    "dump --join -b -r chr1:10,000-90,000 -r2 chr2 m.mcool::resolutions/2000",
    "dump -f -k 500 -r chr2 --float-format .6f -b m.mcool::/resolutions/4000",
    "info a.cool",
    "info -f nbins a.cool",
    "info --metadata m.mcool::/resolutions/2000",
    "ls m.mcool",
    "ls -l m.mcool",
    "tree m.mcool",
    "tree -L 2 m.mcool",
    "attrs a.cool",
    "attrs -L 2 m.mcool",
    "makebins chrom.sizes 7000",
    "makebins -H --rel-ids 1 chrom.sizes 7000",
]

# What is looked at afterwards.
REARRANGING = [
    ("cp a.cool b.cool", ["b.cool"]),
    ("cp m.mcool::/resolutions/2000 b.cool::/some/where", ["b.cool::/some/where"]),
    ("cp a.cool m.mcool::/more/base", ["m.mcool::/more/base", "m.mcool::/resolutions/2000"]),
    ("cp -w m.mcool::/resolutions/2000 a.cool", ["a.cool"]),
    ("mv m.mcool::/resolutions/2000 m.mcool::/moved", ["m.mcool::/moved", "m.mcool::/resolutions/4000"]),
    ("ln m.mcool::/resolutions/2000 m.mcool::/again", ["m.mcool::/again", "m.mcool::/resolutions/2000"]),
    ("ln -s m.mcool::/resolutions/2000 m.mcool::/again", ["m.mcool::/again"]),
]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    write_map(folder / "a.cool", example_map(21, CHROMS, scale=12, trans=1))
    run_ok("zoomify", "--balance", "-r", "2000,4000", "-o", folder / "m.mcool", folder / "a.cool")
    (folder / "chrom.sizes").write_text("".join(f"{c}\t{n}\n" for c, n in CHROMS.items()))
    return folder


def by_shell(name, line, folder):
    tools = folder.parent / f"{folder.name}.tools"
    tools.mkdir(exist_ok=True)
    link = tools / name
    if not link.exists():
        link.symlink_to(Path(program.PROGRAM).resolve())
    done = subprocess.run(
        ["bash", "-ue", "-c", f"{name} {line}"],
        cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120,
        env=dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}"), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def by_cooler(line, folder):
    out = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out):
        reference.run(*shlex.split(line))
    return out.getvalue()


@pytest.mark.parametrize("line", PRINTING)
def test_line_prints_what_cooler_prints(line, inputs):
    expected = by_cooler(line, inputs)
    assert expected
    for name in NAMES:
        assert by_shell(name, line, inputs) == expected, name


@pytest.mark.parametrize("line, left", REARRANGING, ids=[line for line, _ in REARRANGING])
def test_line_leaves_what_cooler_leaves(line, left, inputs, tmp_path):
    folders = [tmp_path / name for name in ("by cooler", *NAMES)]
    for folder in folders:
        shutil.copytree(inputs, folder)
    by_cooler(line, folders[0])
    for folder in folders[1:]:
        by_shell(folder.name, line, folder)
    for folder in folders[1:]:
        for uri in left:
            run_ok("compare", folders[0] / uri, folder / uri)
        file = left[0].split("::")[0]
        maps = [run_ok("ls", place / file).out.replace(str(place), "") for place in (folders[0], folder)]
        assert maps[0] == maps[1]
