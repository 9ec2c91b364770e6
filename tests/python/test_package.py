"""What is in the wheel, its types, its command, and the page of documentation as a notebook."""

import ast
import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import program, wheel

pytestmark = pytest.mark.ours

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python.md"


def test_the_command(environment, tmp_path):
    command = environment / "bin" / "ziggurat"
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == program.run_ok("--version").out
    subprocess.run(
        [command, "zoomify", "-q", ROOT / "testdata" / "demo.cool", "-o", "a.mcool"], check=True
    )
    assert (tmp_path / "a.mcool").exists()


def test_the_wheel_carries_its_program(environment, python, tmp_path):
    """Nothing of the build is needed, and nothing on PATH is used."""
    package = next(environment.glob("lib/python*/site-packages/ziggurat"))
    script = "import ziggurat, sys; print(ziggurat.ls(sys.argv[1]))"
    demo = str(ROOT / "testdata" / "demo.cool")
    bare = {"PATH": "/nonexistent"}
    done = subprocess.run([python, "-c", script, demo], env=bare, capture_output=True, text=True,
                          check=True)  # fmt: skip
    assert done.stdout == f"['{demo}::/']\n"
    moved = tmp_path / "elsewhere"
    shutil.copytree(package, moved / "ziggurat")
    (moved / "ziggurat" / "bin" / "ziggurat").unlink()
    done = subprocess.run([python, "-c", script, demo], env={**bare, "PYTHONPATH": str(moved)},
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert "cannot find the program that reads maps" in done.stderr
    real = package / "bin" / "ziggurat"
    named = {**bare, "PYTHONPATH": str(moved), "ZIGGURAT_READER": str(real)}
    subprocess.run([python, "-c", script, demo], env=named, check=True, capture_output=True)


def test_the_version_is_the_projects(ziggurat):
    pyproject = (ROOT / "pyproject.toml").read_text()
    cmake = (ROOT / "CMakeLists.txt").read_text()
    version = re.search(r"project\(ziggurat VERSION ([\d.]+)", cmake)[1]
    assert re.search(r'^version = "(.*)"', pyproject, re.MULTILINE)[1] == version
    assert ziggurat.__version__ == version


def test_the_tree_can_be_built_into_a_wheel(tmp_path):
    """What `pip install .` configures, without compiling it: the tests' wheel is made otherwise."""
    subprocess.run(
        ["cmake", "-S", ROOT / "src" / "python", "-B", tmp_path / "build", "-G", "Ninja",
         f"-DPython_EXECUTABLE={sys.executable}"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    plan = subprocess.run(
        ["ninja", "-C", tmp_path / "build", "-t", "commands", "ziggurat_python"], check=True,
        capture_output=True, text=True,
    ).stdout  # fmt: skip
    for made in ("libziggurat.so", "bin/ziggurat", "_native."):
        assert made in plan
    assert "tests/" not in plan


def test_types(python, tmp_path):
    """The package is typed without gaps, and what callers get is what the page says."""
    (tmp_path / "caller.py").write_text(
        """
from pathlib import Path
from typing import assert_type
import numpy as np
import numpy.typing as npt
import ziggurat
from ziggurat import compat

def use(path: Path) -> None:
    report = ziggurat.zoomify(path, resolutions=[1000], balance=True, nproc=2)
    assert_type(report, ziggurat.BuildReport)
    assert_type(report.levels[0].n_pixels, int)
    opened = ziggurat.open(path)
    assert_type(opened.weights("weight"), npt.NDArray[np.float64])
    assert_type(opened.bin_size, int | None)
    bias, stats = compat.balance_cooler(opened)
    ziggurat.zoomify(path, duplicates="add")  # type: ignore[arg-type]
    opened.fetch(as_="list")  # type: ignore[call-overload]
"""
    )
    done = subprocess.run(
        [python, "-m", "mypy", "--strict",
         # pandas, scipy and tqdm have their types in packages of their own.
         "--disable-error-code", "import-untyped", "--cache-dir", wheel.BUILD / "python" / "mypy",
         "--python-executable", python, "-p", "ziggurat", "-m", "caller"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def _cells():
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_page_as_a_notebook(ziggurat, tmp_path, capsys):
    """Cell after cell in one namespace within a running event loop, as Jupyter does it."""
    shutil.copytree(ROOT / "testdata", tmp_path / "testdata")
    cells = _cells()
    assert len(cells) > 5
    names = {"__name__": "__main__"}

    async def notebook():
        for cell in cells:
            code = compile(cell, "<cell>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            result = eval(code, names)
            if asyncio.iscoroutine(result):
                await result

    asyncio.run(notebook())
    printed = capsys.readouterr().out.splitlines()
    promised = [
        line.split("# prints: ")[1] for cell in cells for line in cell.splitlines()
        if "# prints: " in line
    ]  # fmt: skip
    assert promised and printed == promised
    assert not [name for name in os.listdir(".") if name.startswith(".")]
