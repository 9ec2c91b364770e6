"""What a batch system or a cgroup grants is kept to, and a lack of it is told by exit code 137."""

import os
import signal
import time

import pytest

from support.coolfile import digest
from support.large import write_large_map
from support.program import OUT_OF_MEMORY, finish, one_line, only_files, run, run_ok, start
from support.surroundings import control_group

pytestmark = pytest.mark.ours

# Rounds that reach no tolerance: a run that is at work until it is stopped.
LONG = ("--tol", "1e-300", "--max-iters", "100000")
NO_GRANT = {"SLURM_MEM_PER_NODE": "", "SLURM_MEM_PER_CPU": "", "GALAXY_MEMORY_MB": ""}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A million pixels, which take 8 MB while they are balanced."""
    return write_large_map(tmp_path_factory.mktemp("source") / "in.cool")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Eight million pixels, which take 64 MB while they are balanced."""
    return write_large_map(tmp_path_factory.mktemp("large") / "large.cool", 16_000_000)


def has_scratch_file(*args, env):
    """Whether a run that iterates keeps pixels in a file without a name."""
    process = start(*args, env={**NO_GRANT, **env})
    try:
        end = time.monotonic() + 60
        for line in process.stderr:
            if "balancing" in line or time.monotonic() > end:
                break
        time.sleep(0.3)
        assert process.poll() is None, finish(process)
        links = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{process.pid}/fd")]
        return any(".ziggurat-scratch-" in link for link in links)
    finally:
        process.kill()
        finish(process)


WAYS = {
    "nobody limits it": ((), {}, False),
    "--memory": (("--memory", "1M"), {}, True),
    "--mem": (("--mem", "1M"), {}, True),
    "the last one counts": (("--memory", "8G", "--memory", "1M"), {}, True),
    "SLURM_MEM_PER_NODE": ((), {"SLURM_MEM_PER_NODE": "2"}, True),
    "the option goes first": (("--memory", "8G"), {"SLURM_MEM_PER_NODE": "2"}, False),
}


@pytest.mark.parametrize("way", WAYS)
def test_pixels_over_the_limit_lie_in_a_file(way, source):
    options, env, expected = WAYS[way]
    # Only computed: the map stays as it is.
    args = ("balance", "--stdout", "--progress", "plain", *LONG, *options, source)
    assert has_scratch_file(*args, env=env) == expected


def test_limits_of_zoomify(source):
    job = ("zoomify", "--progress", "plain", "-r", "1000", "--balance", "--balance-args", " ".join(LONG))
    out = ("-o", "out.mcool", source)
    assert has_scratch_file(*job, "--memory", "1M", *out, env={})
    assert has_scratch_file(*job, "--balance-args", "--memory 1M", "--memory", "8G", *out, env={})


# Less than the pixels and the 34 MB that a run takes besides, and enough when half is for pixels.
GRANTED = 84 << 20
BALANCE = ("balance", "-p", "1", "--stdout", "--max-iters", "3")


def test_a_cgroup_is_kept_to(large):
    """With less memory than the run takes elsewhere, to the same weights."""
    with control_group("memory", limit_in_bytes=GRANTED) as enter:
        inside = run_ok(*BALANCE, large, before_exec=enter, env=NO_GRANT)
    assert inside.out == run_ok(*BALANCE, large).out


def test_killed_by_the_kernel_for_want_of_memory(large, tmp_path):
    """As a user's own limit makes it happen: nothing is left, and more memory is all that is missing."""
    before = digest(large)
    job = ("zoomify", "-p", "1", "-r", "1000,2000", "--balance", "--balance-args", "--max-iters 3", "-o", "out.mcool")
    with control_group("memory", limit_in_bytes=GRANTED) as enter:
        result = run(*job, "--memory", "8G", large, before_exec=enter)
    assert result.code in (-signal.SIGKILL, OUT_OF_MEMORY), result
    if result.code == OUT_OF_MEMORY:
        assert "memory" in one_line(result)
    assert not (tmp_path / "out.mcool").exists()
    run_ok(*job, large)
    only_files(tmp_path, "out.mcool")
    assert digest(large) == before
