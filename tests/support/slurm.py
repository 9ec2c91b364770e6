"""A real Slurm on this host: a controller and two nodes with two cores each, for one test module.

Needs root and Debian's slurmctld, slurmd, slurm-client and munge. Everything it writes lies in one
folder, every port is free when it is chosen, and the daemons end with the tests. Jobs in the
partition `urgent` take the place of jobs in `normal`, which go back into the queue.
"""

import os
import shutil
import socket
import subprocess
import time
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "sinfo")
NODES = ("node1", "node2")
READY_WITHIN_S = 60

# Requeued jobs wait until the credential of their first start has expired, by default two minutes.
CONFIGURATION = """\
ClusterName=ziggurat
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
SlurmctldPort={ports[0]}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmdSpoolDir={folder}/%n
StateSaveLocation={folder}/state
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
MpiDefault=none
KillWait=2
ReturnToService=2
SchedulerParameters=bf_interval=1,sched_min_interval=1,batch_sched_delay=0,sched_interval=1
NodeName={nodes[0]} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2 RealMemory=8000
NodeName={nodes[1]} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2 RealMemory=8000
PartitionName=normal Nodes=ALL Default=YES PriorityTier=1 PreemptMode=REQUEUE GraceTime=1
PartitionName=urgent Nodes=ALL PriorityTier=10 PreemptMode=OFF
"""


def _free_ports(number):
    with ExitStack() as stack:
        sockets = [stack.enter_context(closing(socket.socket())) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _require():
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        pytest.skip(f"Slurm is not installed ({', '.join(missing)}): run tests/pipelines/engines")
    if os.geteuid() != 0:
        pytest.skip("Slurm's daemons are started by root only")


class Slurm:
    """Started by `with`; environment() is what a user's shell has who may give it jobs."""

    def __init__(self):
        _require()
        self._daemons = ExitStack()
        # Names of sockets may not be long, as those below a test's own folder are.
        self.folder = Path(self._daemons.enter_context(TemporaryDirectory(prefix="slurm-", dir="/tmp")))

    def environment(self):
        return dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"),
                    PATH=f"{self.folder / 'bin'}:{os.environ['PATH']}")

    def _write_commands(self):
        """Snakemake takes SLURM_CONF from its jobs: a cluster has its configuration in /etc."""
        (self.folder / "bin").mkdir()
        for name in ("srun", "sbatch", "squeue", "scancel", "scontrol", "sinfo"):
            command = self.folder / "bin" / name
            command.write_text(f"#!/bin/sh\nSLURM_CONF={self.folder}/slurm.conf exec "
                               f"{shutil.which(name)} \"$@\"\n")
            command.chmod(0o755)

    def run(self, *command, **how):
        done = subprocess.run(
            [str(word) for word in command], env=self.environment(), text=True,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=60, check=False, **how,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def job(self, number):
        """What the controller knows of a job: {"JobState": ..., "Restarts": ..., ...}."""
        words = self.run("scontrol", "--oneliner", "show", "job", number).split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def wait_for(self, is_so, what, within_s=60):
        end = time.monotonic() + within_s
        while time.monotonic() < end:
            if is_so():
                return
            time.sleep(0.2)
        raise AssertionError(f"not within {within_s} s: {what}\n{self.logs()}")

    def logs(self):
        return "\n".join(f"{p.name}: {p.read_text()[-1500:]}" for p in self.folder.glob("*.log"))

    def _start(self, name, *command):
        log = self._daemons.enter_context(open(self.folder / f"{name}.log", "w"))
        daemon = subprocess.Popen(
            command, env=self.environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
        self._daemons.callback(self._end, daemon)

    @staticmethod
    def _end(daemon):
        daemon.terminate()
        try:
            daemon.wait(10)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def _start_munge(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self._start(
            "munged", "munged", "--foreground", "--force", f"--key-file={key}",
            f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munged.pid",
            f"--seed-file={self.folder}/munge.seed", f"--log-file={self.folder}/munged.log",
        )
        self.wait_for((self.folder / "munge.socket").exists, "munge has its socket")

    def _all_idle(self):
        done = subprocess.run(
            ["sinfo", "--noheader", "-N", "-p", "normal", "-o", "%N %T"], env=self.environment(),
            capture_output=True, text=True, timeout=60, check=False,
        )
        return sorted(done.stdout.split("\n")[:-1]) == [f"{node} idle" for node in NODES]

    def __enter__(self):
        for name in ("state", *NODES):
            (self.folder / name).mkdir()
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(host=socket.gethostname().split(".")[0], folder=self.folder,
                                 nodes=NODES, ports=_free_ports(3))
        )
        self._write_commands()
        try:
            self._start_munge()
            self._start("slurmctld", "slurmctld", "-D")
            for node in NODES:
                self._start(node, "slurmd", "-D", "-N", node)
            self.wait_for(self._all_idle, "both nodes are idle", READY_WITHIN_S)
        except BaseException:
            self._daemons.close()
            raise
        return self

    def __exit__(self, *_):
        subprocess.run(["scancel", "--user=root"], env=self.environment(), timeout=60, check=False)
        self._daemons.close()
