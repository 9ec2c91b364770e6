"""What an engine may see of a run that is not over: nothing that it would take for a result."""

import signal
import time
from fnmatch import fnmatch
from pathlib import Path

import pytest

from support.program import finish, run_ok, start
from support.stages import real_map

pytestmark = pytest.mark.ours

WATCHED_S = 1.5


@pytest.fixture
def source():
    """A map in a folder of its own that may not be written to, reached by a link."""
    Path("maps").mkdir()
    (Path("maps") / "base.cool").write_bytes(real_map().read_bytes())
    Path("staged").mkdir()
    (Path("staged") / "in.cool").symlink_to(Path("maps/base.cool").resolve())
    return Path("staged/in.cool")


def names_seen(folders):
    """Every name below the folders, looked at again and again for a while."""
    seen = set()
    end = time.monotonic() + WATCHED_S
    while time.monotonic() < end:
        seen |= {path.name for folder in folders for path in Path(folder).rglob("*")}
        time.sleep(0.02)
    return seen


@pytest.mark.parametrize("tmpdir", [False, True], ids=["beside the output", "--tmpdir"])
def test_no_name_of_work_under_way_looks_like_a_map(tmpdir, source):
    """Engines publish what matches *.cool or *.mcool."""
    for folder in ("out", "work"):
        Path(folder).mkdir()
    process = start(
        "zoomify", "-r", "10000,20000", "--balance", "--balance-args", "--tol 1e-300 --max-iters 100000",
        "-o", "out/result.mcool", *(["--tmpdir", "work"] if tmpdir else []), source,
    )
    seen = names_seen(["out", "work"])
    beside = names_seen(["maps", "staged"])
    process.send_signal(signal.SIGTERM)
    assert finish(process).code == -signal.SIGTERM
    assert seen and not any(fnmatch(name, pattern) for name in seen for pattern in ("*.cool", "*.mcool"))
    assert beside == {"base.cool", "in.cool"}, "nothing is written beside an input"
    assert not list(Path("out").iterdir()) and not list(Path("work").iterdir())


def test_streams(source):
    """Results go to stdout and all else to stderr, which without a terminal is plain lines."""
    done = run_ok("zoomify", "--balance", "-r", "10000,20000", "-o", "result.mcool", source)
    assert done.out == ""
    assert done.err.endswith("\n") and "\r" not in done.err and "\x1b" not in done.err
    weights = run_ok("balance", "--stdout", "result.mcool::/resolutions/20000")
    numbers = weights.out.split("\n")[:-1]
    assert numbers and all(not text.strip() or float(text) > 0 for text in numbers)
