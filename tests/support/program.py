"""Running the program under test and judging how a command ended.

The program is named by the environment variable ZIGGURAT. It takes the reference tool's command
lines, so the reference tool itself may be named to check the tests (leave out those marked "ours").
"""

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

PROGRAM = shutil.which(os.environ.get("ZIGGURAT", "ziggurat")) or os.environ.get(
    "ZIGGURAT", "ziggurat"
)
TIMEOUT_S = float(os.environ.get("ZIGGURAT_TEST_TIMEOUT", "120"))

# What a run that is short of memory ends with by itself, as if the kernel had killed it.
OUT_OF_MEMORY = 137

IS_REFERENCE = Path(PROGRAM).name == "cooler"


def _is_sanitized():
    """Sanitizers reserve terabytes of address space, which then cannot be limited."""
    content = Path(PROGRAM).read_bytes() if os.path.isfile(PROGRAM) else b""
    return b"__asan_init" in content or b"__tsan_init" in content


IS_SANITIZED = _is_sanitized()

_CRASH = re.compile(
    r"Traceback \(most recent|terminate called|Assertion .*failed|HDF5-DIAG|Segmentation fault|"
    r"core dumped|AddressSanitizer|runtime error:|ThreadSanitizer|std::bad_alloc|double free",
    re.I,
)


@dataclass
class Result:
    args: list
    code: int | None  # None: did not end in time; negative: ended by that signal
    out: str
    err: str

    def __str__(self):
        shown = " ".join(map(str, self.args))
        return (
            f"exit {self.code} of: {shown}\nstderr: {self.err[-1500:]}\nstdout: {self.out[-500:]}"
        )


def _environment(extra):
    env = {k: v for k, v in os.environ.items() if k != "HDF5_USE_FILE_LOCKING"}
    env.update(extra or {})
    return env


def _default_signals():
    # A background shell may have left these ignored, and ignored signals are inherited.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def start(*args, cwd=None, env=None, prefix=(), pass_fds=(), before_exec=None):
    """Start the program in a session of its own, so that a whole run can be stopped or killed.

    before_exec() is called in the child before it becomes the program: to set limits.
    """

    def prepare():
        _default_signals()
        if before_exec is not None:
            before_exec()

    return subprocess.Popen(
        [*prefix, PROGRAM, *map(str, args)],
        cwd=cwd,
        env=_environment(env),
        pass_fds=pass_fds,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=prepare,
    )


def finish(process, timeout_s=None):
    try:
        out, err = process.communicate(timeout=timeout_s or TIMEOUT_S)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        code = None
    return Result(process.args, code, out, err)


def run(*args, timeout_s=None, **how):
    return finish(start(*args, **how), timeout_s)


def not_crashed(result):
    assert result.code is not None, f"no end within the time limit: {result}"
    short = result.code == OUT_OF_MEMORY and "memory" in result.err
    assert 0 <= result.code < 128 or short, f"ended by a signal: {result}"
    if not IS_REFERENCE:
        assert not _CRASH.search(result.err + result.out), (
            f"a crash report in place of a message: {result}"
        )
    return result


def ok(result):
    not_crashed(result)
    assert result.code == 0, f"must succeed: {result}"
    return result


def has_command(name):
    """Whether the program knows this sub-command."""
    return run(name, "--help").code == 0


def run_ok(*args, **how):
    return ok(run(*args, **how))


def refused(result, words="", *, code=None, absent=()):
    """The command failed with a message that matches `words`, and left none of `absent` behind."""
    not_crashed(result)
    assert result.code != 0, f"must be refused: {result}"
    if code is not None:
        assert result.code == code, f"must end with {code}: {result}"
    lines = [line for line in result.err.splitlines() if line.strip()]
    assert lines, f"refused without a word: {result}"
    assert any(re.search(words, line, re.I) for line in lines), (
        f"no line matches /{words}/: {result}"
    )
    for path in absent:
        assert not os.path.lexists(path), f"left {path} behind: {result}"
    return result


def one_line(result):
    """The whole of stderr is one line; it is returned."""
    lines = [line for line in result.err.splitlines() if line.strip()]
    assert len(lines) == 1, f"one line on stderr wanted: {result}"
    return lines[0]


def only_files(folder, *names):
    """Nothing but `names` lies in the folder: no staging file, no journal, no half output."""
    assert sorted(p.name for p in Path(folder).iterdir()) == sorted(names)
