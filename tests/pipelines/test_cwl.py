"""cwltool runs the tools and the workflow on a real map: the bytes are the plain command's."""

import json
from pathlib import Path

import pytest

from support import engines
from support.coolfile import digest
from support.stages import DATE, PIPELINES, Replicates, plain_pyramid, real_map

pytestmark = pytest.mark.ours

CWL = PIPELINES / "cwl"


def run_cwltool(folder, tool, *arguments, code=0, env=DATE):
    return engines.run(
        engines.python_tool("cwltool"), "--preserve-environment", "PATH", "--preserve-environment", *DATE, "--outdir", folder / "out",
        CWL / tool, *arguments, cwd=folder, env=engines.environment(folder, **env), code=code,
    )


def cwltool(folder, tool, *arguments):
    """The paths of the outputs, by name."""
    printed = run_cwltool(folder, tool, *arguments).stdout
    return {name: Path(file["path"]) for name, file in json.loads(printed).items()}


def test_zoomify(tmp_path):
    source = real_map()
    before = digest(source)
    made = cwltool(tmp_path, "zoomify.cwl", "--map", source, "--resolutions", "10000,20000",
                   "--output_name", "yeast.mcool")
    assert made["pyramid"].name == "yeast.mcool"
    assert made["pyramid"].read_bytes() == plain_pyramid(tmp_path, source, [10000, 20000], DATE)
    assert digest(source) == before


def test_workflow_from_contacts_to_report(tmp_path):
    """With the workflow of levels as a part."""
    replicates = Replicates(tmp_path)
    files = [word for path in replicates.pairs for word in ("--contacts", path)]
    made = cwltool(
        tmp_path, "pairs.cwl", *files, "--sizes", replicates.sizes, "--bin_size", 10000, "--assembly",
        replicates.ASSEMBLY, "--factors", 2, "--factors", 5,
    )
    assert made["pyramid"].read_bytes() == replicates.plain_pyramid(tmp_path, [10000, 20000, 50000])
    assert "sound" in made["verdict"].read_text()
    assert made["page"].read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(("exit_code", "status"), [(75, "temporaryFail"), (137, "temporaryFail"), (1, "permanentFail")])
def test_what_may_be_tried_again(exit_code, status, tmp_path):
    """Exit codes 75 and 137 are temporary for the engine; any other failure is for good."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "ziggurat").write_text(f"#!/bin/sh\nexit {exit_code}\n")
    (tmp_path / "tools" / "ziggurat").chmod(0o755)
    done = run_cwltool(tmp_path, "coarsen.cwl", "--map", real_map(), code=1)
    assert f"completed {status}" in done.stderr
