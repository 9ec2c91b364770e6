"""A real Nextflow runs the workflow and the modules on a real map: the bytes are the plain command's.

nf-test, with which nf-core runs `tests/main.nf.test`, is not in a package registry; what those files
ask for is asked for here: the same bytes every time, and a stub.
"""

import re
import shutil
from pathlib import Path

import pytest

from support import engines, program
from support.coolfile import digest
from support.stages import LEVELS, copy_folder, plain_pyramid, real_map

pytestmark = pytest.mark.ours

# A machine smaller than what the processes ask for; the last line is the user's own configuration.
SMALL = "process.resourceLimits = [cpus: 2, memory: 2.GB, time: 1.h]\n"


def nextflow(folder, script, *arguments):
    jars = engines.nextflow_jars()
    if shutil.which("java") is None:
        pytest.skip("java is not installed: run tests/pipelines/engines")
    (folder / "small.config").write_text(SMALL)
    return engines.run(
        "java", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*", "nextflow.cli.Launcher", "run", script,
        "-c", folder / "small.config", "-ansi-log", "false", *arguments, cwd=folder,
        env=engines.environment(folder, NXF_HOME=str(folder / "home"), NXF_OFFLINE="true",
                                NXF_DISABLE_CHECK_LATEST="true"),
    ).stdout


def test_workflow_from_table_to_verified_pyramid(tmp_path):
    source = real_map()
    before = digest(source)
    pipeline = copy_folder("nextflow", tmp_path / "nextflow")
    (tmp_path / "samples.csv").write_text(f"sample,map\nyeast,{source}\n")
    config = pipeline / "nextflow.config"
    config.write_text(config.read_text().replace("'--balance'", "'--balance --resolutions 10000,20000,50000,100000'"))
    nextflow(tmp_path, pipeline / "main.nf", "--input", "samples.csv", "--outdir", "results")
    results = tmp_path / "results"
    assert (results / "yeast.mcool").read_bytes() == plain_pyramid(tmp_path, source, LEVELS)
    assert "sound" in (results / "yeast.verified.txt").read_text()
    assert sorted(path.name for path in results.iterdir()) == ["yeast.mcool", "yeast.verified.txt"]
    assert digest(source) == before


@pytest.fixture
def modules(tmp_path):
    copy_folder("nextflow", tmp_path / "nextflow")
    shutil.copy(Path(__file__).with_name("nextflow") / "modules.nf", tmp_path)
    (tmp_path / "nextflow.config").write_text(
        "process { publishDir = 'results'\n withName: ZIGGURAT_BALANCE { ext.args = '--force' } }\n"
    )
    return tmp_path


def test_modules(modules, tmp_path):
    source = real_map()
    before = digest(source)
    said = nextflow(modules, "modules.nf", "--map", source)
    version = program.run_ok("--version").out.split()[-1]
    found = dict(re.findall(r"VERSION (\w+) ziggurat (\S+)", said))
    assert found == {"ZIGGURAT_COARSEN": version, "ZIGGURAT_BALANCE": version}
    assert digest(source) == before, "balanced is a copy, not the staged link's target"
    made = sorted(path.name for path in (tmp_path / "results").iterdir())
    assert made == ["yeast.cool"]


def test_stubs(modules, tmp_path):
    nextflow(modules, "modules.nf", "--map", real_map(), "-stub-run")
    assert (tmp_path / "results" / "yeast.cool").stat().st_size == 0
