"""The Python package as users have it: built as a wheel and installed in an environment of its own.

Nothing is taken from the source folder. The wheel is made from an installation of the build under
test (see ZIGGURAT_FROM_PREFIX in src/python/CMakeLists.txt), so that only the extension is
compiled. What the tests need besides comes from the environment that pytest runs in.
"""

import fcntl
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from support import program

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(program.PROGRAM).resolve().parents[1]
SECONDS = 600


def _run(*command):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"


def _make(folder):
    prefix, wheels, environment = folder / "prefix", folder / "wheels", folder / "environment"
    # Nothing to do after a whole build, but whoever built the program alone has an old library.
    _run("cmake", "--build", BUILD, "--target", "ziggurat", "ziggurat_shared", "ziggurat_static",
         "ziggurat_described")  # fmt: skip
    _run("cmake", "--install", BUILD, "--prefix", prefix)
    wheels.mkdir(exist_ok=True)
    for old in wheels.glob("*.whl"):
        old.unlink()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    _run(*pip, "wheel", ROOT, "--no-deps", "--no-build-isolation", "--wheel-dir", wheels,
         f"--config-settings=build-dir={folder / 'build'}",
         f"--config-settings=cmake.define.ZIGGURAT_FROM_PREFIX={prefix}")  # fmt: skip
    (wheel,) = wheels.glob("*.whl")
    # The interpreter behind this environment, whose packages are put behind those of the new one.
    _run(sys._base_executable, "-m", "venv", "--clear", "--without-pip", environment)
    _run(*pip, "--python", environment / "bin" / "python", "install", "--no-deps", wheel)
    packages = next(environment.glob("lib/python*/site-packages"))
    (packages / "behind.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment


def environment():
    """Folder of the environment; made once in a test run, whichever worker is first."""
    folder = BUILD / "python"
    folder.mkdir(exist_ok=True)
    this_run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    done = folder / "made_in_run"
    with open(folder / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists() or done.read_text() != this_run:
            done.unlink(missing_ok=True)
            _make(folder)
            done.write_text(this_run)
    return folder / "environment"
