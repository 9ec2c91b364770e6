"""Running workflow engines as their users do, with the program under test first on the path.

tests/pipelines/engines installs them, in the folder that ZIGGURAT_ENGINES names. A test of an engine
that is not there is skipped, and the summary says so.
"""

import os
import subprocess
from pathlib import Path

import pytest

from support import program
from support.stages import PROJECT

FOLDER = Path(os.environ.get("ZIGGURAT_ENGINES", PROJECT / "build" / "engines")).resolve()
TIMEOUT_S = 300


def require(path, name):
    if not path.exists():
        pytest.skip(f"{name} is not installed: run tests/pipelines/engines")
    return path


def python_tool(name):
    """A command of the engines' Python environment."""
    return require(FOLDER / "python" / "bin" / name, name)


def nextflow_jars():
    return require(FOLDER / "nextflow", "Nextflow")


def program_folder(folder):
    """A folder with nothing but the program under test, under its own name."""
    tools = Path(folder) / "tools"
    tools.mkdir(exist_ok=True)
    link = tools / "ziggurat"
    if not link.exists():
        link.symlink_to(Path(program.PROGRAM).resolve())
    return tools


def environment(folder, **more):
    """Engines keep settings and caches in the home folder, so that is one of the test's own."""
    home = Path(folder) / "home"
    home.mkdir(exist_ok=True)
    path = f"{program_folder(folder)}:{FOLDER / 'python' / 'bin'}:{os.environ['PATH']}"
    return dict(os.environ, PATH=path, HOME=str(home), XDG_CACHE_HOME=str(home / "cache"), **more)


def run(*command, cwd, env, code=0, timeout_s=TIMEOUT_S):
    """An engine that must end with `code`: what it printed is .stdout and .stderr."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=env, text=True, errors="replace",
        stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout_s, check=False,
    )
    said = f"{done.stderr[-6000:]}\n{done.stdout[-3000:]}"
    assert done.returncode == code, f"exit {done.returncode}\n{said}"
    return done
