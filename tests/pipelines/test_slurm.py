"""A real Slurm with two nodes: levels spread over them, and a preempted job that comes back."""

import os
import signal
from pathlib import Path

import pytest

from support import engines, program
from support.slurm import NODES, Slurm
from support.stages import PIPELINES, plain_pyramid, real_map
from test_snakemake import workflow_folder

pytestmark = pytest.mark.ours

# Rounds that reach no tolerance: a job of some seconds, always the same.
LONG = "--tol 1e-300 --max-iters 2000"


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    tools = engines.program_folder(tmp_path)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    with Slurm() as cluster:
        yield cluster


def test_stages_as_jobs_that_wait_for_one_another(slurm, tmp_path):
    """coarsen, balance and assemble as jobs: those that may run together do, on two nodes."""
    source = real_map()

    def job(command, *after):
        held = [f"--dependency=afterok:{':'.join(after)}"] if after else []
        return slurm.run("sbatch", "--parsable", "-c2", *held, f"--wrap=set -e; {command}",
                         cwd=tmp_path).strip()

    balance = "cp {0} {1}; chmod u+w {1}; ziggurat balance --quiet --force {1}; sleep 1"
    coarsen = job(f"ziggurat coarsen --quiet -k 2 -o 20000.level {source}; sleep 1")
    fine = job(balance.format(source, "10000.balanced"))
    coarse = job(balance.format("20000.level", "20000.balanced"), coarsen)
    last = job("ziggurat assemble --quiet out.mcool *.balanced", fine, coarse)
    slurm.wait_for(lambda: slurm.job(last)["JobState"] == "COMPLETED", "all jobs are done")
    assert (tmp_path / "out.mcool").read_bytes() == plain_pyramid(tmp_path, source, [10000, 20000])
    assert {slurm.job(number)["NodeList"] for number in (coarsen, fine)} == set(NODES)


def test_snakemake_gives_levels_to_nodes(slurm, tmp_path, request):
    if not request.config.getoption("--long"):
        pytest.skip("a minute or two, by which Snakemake asks for its jobs: tests/pipelines/engines")
    snakemake = engines.python_tool("snakemake")
    source = real_map()
    workflow = workflow_folder(tmp_path, source)
    # This cluster has no accounting, and its jobs are over in seconds.
    engines.run(
        snakemake, "--profile", "../profile/slurm", "--config", "resolutions=[10000,20000]",
        "--slurm-init-seconds-before-status-checks", 5, "--slurm-status-command", "squeue",
        "--slurm-no-account", "--latency-wait", 5,
        cwd=workflow, env={**engines.environment(tmp_path), **slurm.environment()}, timeout_s=900,
    )
    made = (workflow / "pyramids/yeast.mcool").read_bytes()
    assert made == plain_pyramid(tmp_path, source, [10000, 20000])
    # coarsen, balance twice, assemble; verify, report and the line for MultiQC.
    jobs = [slurm.job(number) for number in range(1, 8)]
    assert {job["JobState"] for job in jobs} == {"COMPLETED"}
    assert {job["NodeList"] for job in jobs} == set(NODES)


def submit(slurm, folder, *arguments):
    script = PIPELINES / "slurm" / "zoomify.sbatch"
    number = slurm.run("sbatch", "--parsable", "-w", NODES[0], "-c2", script, *arguments, cwd=folder)
    return number.strip()


def stop_the_run(output):
    """Stops the process that writes `output`, so that it is caught in the act."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"ziggurat") and str(output).encode() in words:
            os.kill(int(process.name), signal.SIGSTOP)
            return
    raise AssertionError(f"nobody writes {output}")


def test_a_preempted_job_comes_back_and_succeeds(slurm, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    out = work / "out.mcool"
    zoomify = ["-r", "10000", "--balance", "--balance-args", LONG]
    job = submit(slurm, work, real_map(), out, *zoomify)
    log = work / f"slurm-{job}.out"
    slurm.wait_for(lambda: log.exists() and "balancing" in log.read_text(), "the job is at work")
    stop_the_run(out)  # Slurm continues what it ends
    urgent = slurm.run("srun", "--partition=urgent", "-w", NODES[0], "-c2", "ls", work)
    assert urgent.split() == ["out.mcool.checkpoint", log.name], "only what it goes on from is left"
    slurm.wait_for(lambda: slurm.job(job)["JobState"] == "COMPLETED", "the job is done", 120)
    assert slurm.job(job)["Restarts"] == "1"
    assert "1 levels of" in log.read_text(), "no level is made twice"
    assert sorted(path.name for path in work.iterdir()) == sorted(["out.mcool", log.name])
    program.run_ok("zoomify", *zoomify, "-o", "plain.mcool", real_map())
    assert out.read_bytes() == (tmp_path / "plain.mcool").read_bytes()


def test_a_job_near_its_time_limit_gives_itself_back(slurm, tmp_path):
    """Slurm's warning goes to the script alone, which ends the run and requeues the job."""
    work = tmp_path / "work"
    work.mkdir()
    job = submit(slurm, work, real_map(), "out.mcool", "-r", "10000", "--balance", "--balance-args", LONG)
    log = work / f"slurm-{job}.out"
    slurm.wait_for(lambda: log.exists() and "balancing" in log.read_text(), "the job is at work")
    slurm.run("scancel", "--batch", "--signal=USR2", job)
    slurm.wait_for(lambda: "back into the queue" in log.read_text(), "the job gave itself back", 30)
    slurm.wait_for(lambda: slurm.job(job)["JobState"] == "PENDING", "the job waits again", 30)
    assert sorted(path.name for path in work.iterdir()) == ["out.mcool.checkpoint", log.name]
    slurm.run("scancel", job)


def test_a_job_that_cannot_succeed_fails_once(slurm, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    job = submit(slurm, work, "absent.cool", "out.mcool")
    slurm.wait_for(lambda: slurm.job(job)["JobState"] == "FAILED", "the job failed")
    assert slurm.job(job)["ExitCode"] == "1:0" and slurm.job(job)["Restarts"] == "0"
    assert "absent.cool" in (work / f"slurm-{job}.out").read_text()
