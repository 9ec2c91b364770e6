"""The Galaxy tools: no complaint of Galaxy's linters, and their commands do the work.

`planemo test` starts a whole Galaxy and is not run; the commands are filled in as Galaxy does it, and
run as Galaxy does: in a folder of their own, by files that have no telling names.
"""

import json
import os
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import h5py
import pytest

from support import engines, program
from support.stages import DATE, PIPELINES, PROJECT, Replicates, plain_pyramid, real_map

pytestmark = pytest.mark.ours

TOOLS = PIPELINES / "galaxy"
ZOOMIFY = TOOLS / "ziggurat_zoomify.xml"
NO_OPTIONS = {"balancing.balance": "--balance", "balancing.balance_args": ""}


def galaxy_tool(folder, *arguments):
    return engines.run(
        engines.python_tool("python"), Path(__file__).with_name("galaxy_tool.py"), *arguments,
        cwd=folder, env=engines.environment(folder),
    ).stdout


def test_what_the_linters_say(tmp_path):
    """Of our tools nothing; of one without a command something, or they would find no fault at all."""
    tree = ElementTree.parse(ZOOMIFY)
    tree.getroot().remove(tree.find("command"))
    tree.write(tmp_path / "broken.xml")
    tools = sorted(TOOLS.glob("*.xml"))
    assert len(tools) == 3
    # The linters print, too.
    said = json.loads(galaxy_tool(tmp_path, "lint", *tools, "broken.xml").splitlines()[-1])
    assert "ommand" in " ".join(said.pop("broken.xml"))
    assert said == {str(tool): [] for tool in tools}


def run_tool(folder, tool, output, **values):
    """The output of a job, whose outcome Galaxy tells by the exit code."""
    files = [name for name, value in values.items() if isinstance(value, Path)]
    for i, name in enumerate(files):
        staged = folder / f"dataset_{i}.dat"
        staged.symlink_to(values[name])
        values[name] = staged
    out = folder / f"dataset_{len(files)}.dat"
    values[output] = out
    command = galaxy_tool(folder, "fill", tool, *[f"{name}={value}" for name, value in values.items()])
    work = folder / "working"
    work.mkdir()
    line = " ".join(command.split("\n"))
    done = subprocess.run(
        ["bash", "-c", line], cwd=work, env=engines.environment(folder, GALAXY_SLOTS="2", **DATE),
        capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False,
    )
    assert done.returncode == 0, done.stderr
    said = (done.stdout + done.stderr).lower()
    assert "error:" not in said and "exception:" not in said, "words that fail a Galaxy job"
    assert os.listdir(work) == []
    return out


def test_balanced(tmp_path):
    """To the bytes of the plain command; and the keys that the tool's own test looks for are there."""
    source = real_map()
    out = run_tool(tmp_path, ZOOMIFY, "pyramid", map=source, resolutions="10000,20000", **NO_OPTIONS)
    assert out.read_bytes() == plain_pyramid(tmp_path, source, [10000, 20000], DATE)
    test = ElementTree.parse(ZOOMIFY).find("tests/test")
    assert test.find("param[@name='resolutions']").get("value") == "10000,20000"
    check_keys(test, out)


def check_keys(test, out):
    keys = test.find("output/assert_contents/has_h5_keys").get("keys").split(",")
    with h5py.File(out) as file:
        assert keys and all(key in file for key in keys)


def test_options_of_balancing(tmp_path):
    out = run_tool(
        tmp_path, ZOOMIFY, "pyramid", map=PROJECT / "testdata" / "demo.cool", resolutions="B",
        **{"balancing.balance": "--balance", "balancing.balance_args": "--mad-max 3 --ignore-diags 1"},
    )
    with h5py.File(out) as file:
        for level in file["resolutions"].values():
            assert level["bins/weight"].attrs["mad_max"] == 3
            assert level["bins/weight"].attrs["ignore_diags"] == 1


def test_load(tmp_path):
    tool = TOOLS / "ziggurat_cload.xml"
    replicates = Replicates(tmp_path)
    columns = {"chrom1": 2, "pos1": 3, "chrom2": 4, "pos2": 5, "zero_based": ""}
    out = run_tool(
        tmp_path, tool, "map", contacts=replicates.pairs[1], sizes=replicates.sizes, bin_size=10000,
        assembly="sacCer3", **{f"columns.{name}": value for name, value in columns.items()},
    )
    program.run_ok("cload", "pairs", "--assembly", "sacCer3", f"{replicates.sizes}:10000", replicates.pairs[1],
                   "plain.cool", env=DATE)
    assert out.read_bytes() == Path("plain.cool").read_bytes()
    check_keys(ElementTree.parse(tool).find("tests/test"), out)


def test_report(tmp_path):
    program.run_ok("zoomify", "-r", "10000,20000", "-o", "demo.mcool", PROJECT / "testdata" / "demo.cool")
    tool = TOOLS / "ziggurat_report.xml"
    out = run_tool(tmp_path, tool, "page", map=Path("demo.mcool").resolve(), colours="viridis")
    wanted = ElementTree.parse(tool).find("tests/test/output/assert_contents/has_text").get("text")
    assert wanted in out.read_text()
