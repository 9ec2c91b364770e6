"""The Galaxy tool: no complaint of Galaxy's linters, and its command does the work.

`planemo test` starts a whole Galaxy and is not run; the command is filled in as Galaxy does it, and
run as Galaxy does: in a folder of its own, by files that have no telling names.
"""

import os
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import h5py
import pytest

from support import engines
from support.stages import PIPELINES, PROJECT, plain_pyramid, real_map

pytestmark = pytest.mark.ours

TOOL = PIPELINES / "galaxy" / "ziggurat_zoomify.xml"


def galaxy_tool(folder, *arguments, **how):
    return engines.run(
        engines.python_tool("python"), Path(__file__).with_name("galaxy_tool.py"), *arguments,
        cwd=folder, env=engines.environment(folder), **how,
    ).stdout


def test_no_complaint_of_the_linters(tmp_path):
    assert galaxy_tool(tmp_path, TOOL).strip() == ""


def test_the_linters_complain(tmp_path):
    """Of a tool without a command, say: a linter that found nothing to do would find no fault."""
    tree = ElementTree.parse(TOOL)
    tree.getroot().remove(tree.find("command"))
    tree.write(tmp_path / "broken.xml")
    assert "ommand" in galaxy_tool(tmp_path, "broken.xml", code=1)


def run_tool(folder, source, **values):
    """The output of a job, whose outcome Galaxy tells by the exit code."""
    (folder / "dataset_0.dat").symlink_to(source)
    out = folder / "dataset_1.dat"
    pairs = {"map": folder / "dataset_0.dat", "pyramid": out, **values}
    command = galaxy_tool(folder, TOOL, *[f"{name}={value}" for name, value in pairs.items()])
    work = folder / "working"
    work.mkdir()
    line = " ".join(command.split("\n"))
    done = subprocess.run(
        ["bash", "-c", line], cwd=work, env=engines.environment(folder, GALAXY_SLOTS="2"),
        capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False,
    )
    assert done.returncode == 0, done.stderr
    said = (done.stdout + done.stderr).lower()
    assert "error:" not in said and "exception:" not in said, "words that fail a Galaxy job"
    assert os.listdir(work) == []
    return out


def test_balanced(tmp_path):
    source = real_map()
    out = run_tool(tmp_path, source, resolutions="10000,20000",
                   **{"balancing.balance": "--balance", "balancing.balance_args": ""})
    assert out.read_bytes() == plain_pyramid(tmp_path, source, [10000, 20000])


def test_options_of_balancing(tmp_path):
    out = run_tool(tmp_path, PROJECT / "testdata" / "demo.cool", resolutions="B",
                   **{"balancing.balance": "--balance",
                      "balancing.balance_args": "--mad-max 3 --ignore-diags 1"})
    with h5py.File(out) as file:
        for level in file["resolutions"].values():
            assert level["bins/weight"].attrs["mad_max"] == 3
            assert level["bins/weight"].attrs["ignore_diags"] == 1


def test_its_own_test_asks_for_what_is_there(tmp_path):
    """The keys that the tool's own test looks for are in the output for its parameters."""
    test = ElementTree.parse(TOOL).find("tests/test")
    resolutions = test.find("param[@name='resolutions']").get("value")
    out = run_tool(tmp_path, PROJECT / "testdata" / test.find("param[@name='map']").get("value"),
                   resolutions=resolutions,
                   **{"balancing.balance": "--balance", "balancing.balance_args": ""})
    keys = test.find("output/assert_contents/has_h5_keys").get("keys").split(",")
    with h5py.File(out) as file:
        assert keys and all(key in file for key in keys)
