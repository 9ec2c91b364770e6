"""Snakemake runs the workflow and the wrapper on a real map: the bytes are the plain command's."""

import json
import shutil

import pytest

from support import engines
from support.coolfile import digest
from support.stages import DATE, LEVELS, Replicates, copy_folder, plain_pyramid, real_map

pytestmark = pytest.mark.ours


def workflow_folder(folder, source, contacts=()):
    """The workflow with a table of samples: a map that it may only read, and replicates of contacts."""
    workflow = copy_folder("snakemake", folder / "snakemake") / "workflow"
    maps = folder / "maps"
    maps.mkdir()
    shutil.copyfile(source, maps / "base.cool")
    (maps / "base.cool").chmod(0o444)
    rows = [("yeast", maps / "base.cool"), *(("reads", path) for path in contacts)]
    (workflow / "samples.tsv").write_text(
        "sample\tcontacts\n" + "".join(f"{name}\t{path}\n" for name, path in rows)
    )
    # Of maps, nobody asks for it.
    (workflow / "chrom.sizes").write_text("chr1\t1000\n")
    return workflow


def test_workflow_from_contacts_to_report(tmp_path):
    snakemake = engines.python_tool("snakemake")
    source = real_map()
    replicates = Replicates(tmp_path)
    levels = LEVELS[:2]
    workflow = workflow_folder(tmp_path, source, replicates.pairs)
    engines.run(
        snakemake, "--cores", 4, "--config", f"resolutions={levels}", f"chromsizes={replicates.sizes}",
        f"assembly={replicates.ASSEMBLY}", cwd=workflow, env=engines.environment(tmp_path, **DATE),
    )
    assert (workflow / "pyramids/yeast.mcool").read_bytes() == plain_pyramid(tmp_path, source, levels, DATE)
    assert (workflow / "pyramids/reads.mcool").read_bytes() == replicates.plain_pyramid(tmp_path, levels)
    for sample in ("yeast", "reads"):
        assert "sound" in (workflow / f"verified/{sample}.txt").read_text()
        assert sample in (workflow / f"reports/{sample}.html").read_text()
        content = json.loads((workflow / f"multiqc/{sample}_mqc.json").read_text())
        assert content["data"][sample]["levels"] == len(levels)
    assert content["data"]["reads"]["contacts"] == 2 * replicates.N_CONTACTS
    assert [path.name for path in (tmp_path / "maps").iterdir()] == ["base.cool"]
    assert digest(tmp_path / "maps/base.cool") == digest(source)
    left = [path for path in (workflow / "work").rglob("*") if path.is_file()]
    assert not left, "temporary files are declared, and removed"


def test_a_failed_job_is_named_and_leaves_no_pyramid(tmp_path):
    snakemake = engines.python_tool("snakemake")
    workflow = workflow_folder(tmp_path, real_map())
    broken = tmp_path / "maps" / "base.cool"
    broken.chmod(0o644)
    broken.write_bytes(broken.read_bytes()[:50_000])
    engines.run(snakemake, "--cores", 2, cwd=workflow, env=engines.environment(tmp_path), code=1)
    logs = [path.read_text() for path in (workflow / "logs").iterdir()]
    assert any("base.cool" in text and "ziggurat" in text for text in logs)
    assert not list(workflow.rglob("*.mcool"))


def test_wrapper(tmp_path):
    snakemake = engines.python_tool("snakemake")
    source = real_map()
    folder = copy_folder("snakemake/wrapper", tmp_path / "wrapper") / "test"
    (folder / "maps").mkdir()
    (folder / "maps" / "yeast.cool").symlink_to(source)
    engines.run(snakemake, "--cores", 2, "pyramids/yeast.mcool", cwd=folder,
                env=engines.environment(tmp_path))
    made = (folder / "pyramids/yeast.mcool").read_bytes()
    assert made == plain_pyramid(tmp_path, source, LEVELS[:3])
    assert "wrote" in (folder / "logs/yeast.zoomify.log").read_text()
