"""cwltool runs the tools and the workflow on a real map: the bytes are the plain command's."""

import json
from pathlib import Path

import pytest

from support import engines
from support.coolfile import digest
from support.stages import PIPELINES, plain_pyramid, real_map

pytestmark = pytest.mark.ours

CWL = PIPELINES / "cwl"


def run_cwltool(folder, tool, *arguments, code=0):
    return engines.run(
        engines.python_tool("cwltool"), "--preserve-environment", "PATH", "--outdir", folder / "out",
        CWL / tool, *arguments, cwd=folder, env=engines.environment(folder), code=code,
    )


def cwltool(folder, tool, *arguments):
    """The paths of the outputs, by name."""
    printed = run_cwltool(folder, tool, *arguments).stdout
    return {name: Path(file["path"]) for name, file in json.loads(printed).items()}


def test_zoomify(tmp_path):
    source = real_map()
    made = cwltool(tmp_path, "zoomify.cwl", "--map", source, "--resolutions", "10000,20000",
                   "--output_name", "yeast.mcool")
    assert made["pyramid"].name == "yeast.mcool"
    assert made["pyramid"].read_bytes() == plain_pyramid(tmp_path, source, [10000, 20000])


def test_workflow_of_levels(tmp_path):
    source = real_map()
    before = digest(source)
    levels = [10000, 20000, 50000]
    made = cwltool(tmp_path, "levels.cwl", "--map", source, "--factors", 2, "--factors", 5)
    assert made["pyramid"].read_bytes() == plain_pyramid(tmp_path, source, levels)
    assert "sound" in made["report"].read_text()
    assert digest(source) == before


@pytest.mark.parametrize(("exit_code", "status"), [(75, "temporaryFail"), (1, "permanentFail")])
def test_what_may_be_tried_again(exit_code, status, tmp_path):
    """Exit code 75 is temporary for the engine; any other failure is for good."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "ziggurat").write_text(f"#!/bin/sh\nexit {exit_code}\n")
    (tmp_path / "tools" / "ziggurat").chmod(0o755)
    done = run_cwltool(tmp_path, "coarsen.cwl", "--map", real_map(), code=1)
    assert f"completed {status}" in done.stderr
