"""What schedulers, containers and workflow engines rely on; docs/scaling.md lists it with its tests."""

import os
import pty
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from support import program
from support.coolfile import write_map
from support.maps import example_map
from support.program import finish, run_ok, start
from support.stages import PROJECT, real_map
from support.surroundings import control_group

pytestmark = pytest.mark.ours

# Rounds that reach no tolerance: a run that is at work until it is stopped.
LONG = ("--balance", "--balance-args", "--tol 1e-300 --max-iters 100000")
GRANTS = ("SLURM_CPUS_PER_TASK", "GALAXY_SLOTS", "NSLOTS", "PBS_NP", "NCPUS", "LSB_DJOB_NUMPROC", "OMP_NUM_THREADS")


@pytest.fixture
def source():
    write_map("in.cool", example_map(61))
    return Path("in.cool")


def processes(source, *options, env=None, prefix=(), before_exec=None):
    """How many a run would use."""
    clean = {name: "" for name in GRANTS}
    plan = run_ok("zoomify", "--dry-run", *options, source, env={**clean, **(env or {})}, prefix=prefix,
                  before_exec=before_exec)
    return int(re.search(r"(\d+) processes", plan.out)[1])


def test_threads_option_then_variable_then_affinity(source):
    one_cpu = ["taskset", "--cpu-list", str(min(os.sched_getaffinity(0)))]
    assert processes(source, "--nproc", 5, env={"SLURM_CPUS_PER_TASK": "3"}) == 5
    for variable in GRANTS:
        assert processes(source, env={variable: "3"}, prefix=one_cpu) == 3, variable
    assert processes(source, prefix=one_cpu) == 1


def test_threads_of_a_cgroup_with_a_quota(source):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one CPU is all there is")
    with control_group("cpu", cfs_period_us=100_000, cfs_quota_us=90_000) as enter:
        assert processes(source, before_exec=enter) == 1


def folder_of_levels(*options, env):
    """Where a run that is at work has its folder; TMPDIR, --tmpdir and the output name one each."""
    for name in ("out", "given", "named", "system"):
        shutil.rmtree(name, ignore_errors=True)
        Path(name).mkdir()
    process = start("zoomify", "-r", "2000", *LONG, "-o", "out/o.mcool", *options, "in.cool",
                    env={"TMPDIR": "system", "ZIGGURAT_TMPDIR": "", **env})
    try:
        end = time.monotonic() + 30
        while time.monotonic() < end and process.poll() is None:
            # The output itself is staged beside its place; levels are where they are to be.
            found = {path.parts[0] for path in Path().glob("*/.*/*") if path.stat().st_size > 1000}
            if found:
                return found
            time.sleep(0.02)
        raise AssertionError(f"no level was seen: {finish(process)}")
    finally:
        process.kill()
        finish(process)


@pytest.mark.parametrize(
    ("options", "env", "folder"),
    [
        ((), {}, "out"),
        ((), {"ZIGGURAT_TMPDIR": "named"}, "named"),
        (("--tmpdir", "given"), {"ZIGGURAT_TMPDIR": "named"}, "given"),
        (("--tmpdir", "-"), {"ZIGGURAT_TMPDIR": "named"}, "system"),
        ((), {"ZIGGURAT_TMPDIR": "-"}, "system"),
    ],
    ids=["beside the output", "variable", "option", "the system's", "variable for the system's"],
)
def test_temporary_folder(options, env, folder, source):
    assert folder_of_levels(*options, env=env) == {folder}


def on_a_terminal(*args, env):
    """What a run shows on a terminal of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([program.PROGRAM, *map(str, args)], stdin=subprocess.DEVNULL, stdout=theirs,
                               stderr=theirs, env={**os.environ, **env})
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # how a terminal tells that nobody is at its other end
            part = b""
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait(60) == 0, shown
    return shown.decode()


ZOOMIFY = ("zoomify", "-r", "10000,20000,50000", "--balance", "-o", "o.mcool")


def test_progress_on_a_terminal_is_one_redrawn_line():
    shown = on_a_terminal(*ZOOMIFY, real_map(), env={"TERM": "xterm"})
    assert "\r" in shown.replace("\r\n", "\n") and "%" in shown
    assert not re.search(r"\x1b\[[0-9;]*m", shown), "no colour"


@pytest.mark.parametrize(
    ("options", "env"),
    [((), {"TERM": "dumb"}), (("--progress", "plain"), {"TERM": "xterm"}), (("--progress", "none"), {"TERM": "xterm"}),
     (("--quiet",), {"TERM": "xterm"})],
    ids=["TERM=dumb", "plain", "none", "quiet"],
)
def test_plain_progress_is_whole_lines(options, env):
    shown = on_a_terminal(*ZOOMIFY, *options, real_map(), env=env).replace("\r\n", "\n")
    assert "\r" not in shown and "\x1b" not in shown
    assert (shown == "") == (options == ("--quiet",))


@pytest.mark.parametrize(("command", "code", "says"), [("dump", 141, ""), ("balance --stdout", 1, "standard output")])
def test_a_closed_pipe(command, code, says):
    """Text ends as that of other programs does; any other result that nobody takes is a failure."""
    line = f"'{program.PROGRAM}' {command} --quiet '{real_map()}' | true; echo ${{PIPESTATUS[0]}}"
    if command == "dump":
        line = line.replace("--quiet", "")
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout == f"{code}\n"
    assert done.stderr.count("\n") == bool(says) and says in done.stderr


def test_every_promise_has_its_test():
    """The table in docs/scaling.md names tests that are there."""
    page = (PROJECT / "docs" / "scaling.md").read_text()
    named = re.findall(r"`(\w+/\w+\.(?:py|cpp))(?:::(\w+))?`", page)
    assert len(named) > 20
    for path, name in named:
        text = (PROJECT / "tests" / path).read_text()
        assert not name or f"def {name}(" in text, f"{path}::{name}"
