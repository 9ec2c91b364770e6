"""A real Nextflow runs the workflow and the modules on a real map: the bytes are the plain command's.

nf-test, with which nf-core runs `tests/main.nf.test`, is not in a package registry; what those files
ask for is asked for here: the same bytes every time, and a stub.
"""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from support import engines, program
from support.coolfile import digest
from support.stages import DATE, LEVELS, PIPELINES, Replicates, copy_folder, plain_pyramid, real_map

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
        env=engines.environment(folder, **DATE, NXF_HOME=str(folder / "home"), NXF_OFFLINE="true",
                                NXF_DISABLE_CHECK_LATEST="true"),
    ).stdout


def test_workflow_from_contacts_to_report(tmp_path):
    source = real_map()
    before = digest(source)
    replicates = Replicates(tmp_path)
    pipeline = copy_folder("nextflow", tmp_path / "nextflow")
    rows = [("reads", path) for path in replicates.pairs] + [("yeast", source)]
    (tmp_path / "samples.csv").write_text("sample,contacts\n" + "".join(f"{s},{c}\n" for s, c in rows))
    nextflow(
        tmp_path, pipeline / "main.nf", "--input", "samples.csv", "--chromsizes", replicates.sizes,
        "--resolution", 10000, "--resolutions", "10000,20000", "--assembly", replicates.ASSEMBLY,
    )
    results = tmp_path / "results"
    assert (results / "yeast.mcool").read_bytes() == plain_pyramid(tmp_path, source, LEVELS[:2], DATE)
    assert (results / "reads.mcool").read_bytes() == replicates.plain_pyramid(tmp_path, LEVELS[:2])
    for sample in ("yeast", "reads"):
        assert "sound" in (results / f"{sample}.verified.txt").read_text()
        assert (results / f"{sample}.html").read_text().startswith("<!doctype html>")
    assert len(list(results.iterdir())) == 6
    assert digest(source) == before


RESULTS = ["balance.cool", "coarsen.cool", "load.cool", "merge.cool", "pyramid.html", "pyramid.mcool",
           "pyramid.verified.txt"]


@pytest.fixture
def modules(tmp_path):
    copy_folder("nextflow", tmp_path / "nextflow")
    shutil.copy(Path(__file__).with_name("nextflow") / "modules.nf", tmp_path)
    (tmp_path / "nextflow.config").write_text(
        "process { publishDir = [path: 'results', mode: 'copy']\n"
        "withName: ZIGGURAT_ZOOMIFY { ext.args = '--balance --resolutions 10000,20000' }\n"
        "withName: ZIGGURAT_BALANCE { ext.args = '--force' } }\n"
    )
    return tmp_path


MODULES = ["BALANCE", "COARSEN", "LOAD", "MERGE", "REPORT", "VERIFY", "ZOOMIFY"]


def test_modules(modules, tmp_path):
    """Each by itself, as others include them; each tells its version."""
    source = real_map()
    before = digest(source)
    replicates = Replicates(tmp_path)
    said = nextflow(modules, "modules.nf", "--map", source, "--contacts", replicates.pairs[0], "--sizes",
                    replicates.sizes)
    version = program.run_ok("--version").out.split()[-1]
    found = dict(re.findall(r"VERSION (\w+) ziggurat (\S+)", said))
    assert found == {f"ZIGGURAT_{name}": version for name in MODULES}
    assert digest(source) == before, "balanced is a copy, not the staged link's target"
    results = tmp_path / "results"
    assert sorted(path.name for path in results.iterdir()) == RESULTS
    assert (results / "pyramid.mcool").read_bytes() == plain_pyramid(tmp_path, source, LEVELS[:2], DATE)
    one, two = (json.loads(program.run_ok("info", results / name).out)["sum"] for name in ("load.cool", "merge.cool"))
    assert (one, two) == (replicates.N_CONTACTS, 2 * replicates.N_CONTACTS)


def test_stubs(modules, tmp_path):
    """All modules again, without the program's doing anything."""
    for name in ("in.pairs", "chrom.sizes"):
        (tmp_path / name).touch()
    nextflow(modules, "modules.nf", "--map", real_map(), "--contacts", "in.pairs", "--sizes", "chrom.sizes", "-stub-run")
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "results").iterdir()}
    assert sizes == dict.fromkeys(RESULTS, 0)


def test_every_module_is_complete():
    """With what nf-core asks of a module, and inputs and outputs that are named as in main.nf."""
    folders = sorted((PIPELINES / "nextflow" / "modules").iterdir())
    assert [folder.name.upper() for folder in folders] == MODULES
    for folder in folders:
        files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        assert files == ["environment.yml", "main.nf", "meta.yml", "tests/main.nf.test"]
        script = (folder / "main.nf").read_text()
        meta = yaml.safe_load((folder / "meta.yml").read_text())
        assert meta["name"] == f"ziggurat_{folder.name}"
        assert set(re.findall(r"emit: (\w+)", script)) == set(meta["output"])
        taken = script[script.index("input:") : script.index("output:")]
        told = [next(iter(part)) for given in meta["input"] for part in (given if isinstance(given, list) else [given])]
        assert re.findall(r"(?:val|path)\(?\s*(\w+)", taken) == told
        test = (folder / "tests" / "main.nf.test").read_text()
        assert f'process "ZIGGURAT_{folder.name.upper()}"' in test and '-stub"' in test
