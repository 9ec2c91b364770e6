"""Real kernel NFS: the same bytes as on a local disk, also when the server restarts in mid-run.

Runs inside User-Mode-Linux (umlnfs beside this file), which takes a machine half a minute a test.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.jobs import BALANCE, BALANCED, DATE, SOURCE, ZOOMIFY, result_of
from support.program import PROGRAM, TIMEOUT_S

pytestmark = [pytest.mark.ours, pytest.mark.long]

UMLNFS = Path(__file__).with_name("umlnfs")
MISSING = 125


@pytest.fixture(scope="module", autouse=True)
def _needs_umlnfs():
    if shutil.which("linux.uml") is None:
        pytest.skip("user-mode-linux is absent: no NFS was tried")


def on_nfs(folder, script, *options):
    """Runs the script in a new NFS folder; the host's files are seen there too."""
    command = [UMLNFS, *options, f"--limit={2 * TIMEOUT_S:.0f}", "--", "bash", "-ec", script]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode == MISSING:
        pytest.skip(f"no NFS here: {done.stderr.strip()[-300:]}")
    return done


def script_for(job, folder, *, meanwhile=""):
    """Copies the input in, runs the job, and copies the output to the host as NFS2 has it."""
    words = " ".join([PROGRAM, *job.command(2)])
    return (
        f"cp {folder}/{SOURCE} . && export SOURCE_DATE_EPOCH={DATE['SOURCE_DATE_EPOCH']}\n"
        f"{meanwhile}\n"
        f"{words}\n"
        # Other hosts may see an old name for as long as they keep attributes.
        f"sleep 4; cp $NFS2/{job.output} {folder}/from-nfs; ls -A >{folder}/left"
    )


def check(job, folder, done):
    assert done.returncode == 0, done.stderr
    assert Path("from-nfs").read_bytes() == result_of(job)
    assert set(Path("left").read_text().split()) == {SOURCE, job.output}


@pytest.mark.parametrize("job", [ZOOMIFY, BALANCED, BALANCE], ids=str)
@pytest.mark.parametrize("version", ["4.2", "3"])
def test_the_same_bytes(version, job, tmp_path):
    job.prepare()
    check(job, tmp_path, on_nfs(tmp_path, script_for(job, tmp_path), f"--vers={version}"))


@pytest.mark.parametrize("version", ["4.2", "3"])
def test_without_locks(version, tmp_path):
    ZOOMIFY.prepare()
    opts = "nolock" if version == "3" else "local_lock=all"
    script = script_for(ZOOMIFY, tmp_path)
    check(ZOOMIFY, tmp_path, on_nfs(tmp_path, script, f"--vers={version}", f"--opts={opts}"))


@pytest.mark.parametrize("version", ["4.2", "3"])
def test_a_server_that_restarts(version, tmp_path):
    BALANCED.prepare()
    script = script_for(BALANCED, tmp_path, meanwhile="(sleep 0.3; nfs-restart) &")
    check(BALANCED, tmp_path, on_nfs(tmp_path, script, f"--vers={version}"))


def test_a_server_that_goes_away_is_a_clean_error(tmp_path):
    """On a soft mount calls fail; on a hard one they wait."""
    ZOOMIFY.prepare()
    script = (
        f"cp {tmp_path}/{SOURCE} . && nfs-stop && "
        f"{PROGRAM} {' '.join(ZOOMIFY.command(2))}; echo code $? >{tmp_path}/code"
    )
    done = on_nfs(tmp_path, script, "--opts=soft,timeo=10,retrans=1")
    assert Path("code").read_text().strip() == "code 1", done.stderr
    assert SOURCE in done.stderr or ZOOMIFY.output in done.stderr
