"""MultiQC makes one table of what each run leaves for it, and its numbers are those of the maps."""

import json
import subprocess

import h5py
import numpy as np
import pytest

from support import engines
from support.program import run_ok
from support.stages import PIPELINES, PROJECT, real_map

pytestmark = pytest.mark.ours

SCRIPT = PIPELINES / "snakemake" / "workflow" / "scripts" / "ziggurat_mqc.py"
RUNS = {"whole": ("--balance",), "raw": (), "cis": ("--balance", "--balance-args", "--cis-only")}


@pytest.fixture
def contents(tmp_path):
    found = {}
    for name, options in RUNS.items():
        source = PROJECT / "testdata" / "demo.cool" if name == "raw" else real_map()
        run_ok("zoomify", "-r", "10000,20000", *options, "-o", f"{name}.mcool", source)
        made = subprocess.run(
            [SCRIPT, f"{name}.mcool"], env=engines.environment(tmp_path), capture_output=True,
            text=True, check=True, timeout=60,
        )
        assert made.stderr == ""
        (tmp_path / f"{name}_mqc.json").write_text(made.stdout)
        found[name] = json.loads(made.stdout)["data"][name]
    return found


def expected(path):
    with h5py.File(path) as file:
        levels = [file["resolutions"][r] for r in sorted(file["resolutions"], key=int)]
        finest = levels[0]
        values = {
            "contacts": finest["pixels/count"][:].sum(),
            "pixels": len(finest["pixels/count"]),
            "finest": 10000,
            "levels": len(levels),
            "balanced": sum("weight" in level["bins"] and np.all(level["bins/weight"].attrs["converged"])
                            for level in levels),
        }
        if "weight" in finest["bins"]:
            weights = finest["bins/weight"][:]
            values["left_out"] = 100 * np.isnan(weights).sum() / len(weights)
        return values


def test_numbers(contents):
    for name, values in contents.items():
        assert values == pytest.approx(expected(f"{name}.mcool")), name
    assert contents["whole"]["balanced"] == 2 and "left_out" not in contents["raw"]


def test_report(contents, tmp_path):
    multiqc = engines.python_tool("multiqc")
    engines.run(multiqc, "--no-version-check", "--outdir", "report", ".", cwd=tmp_path,
                env=engines.environment(tmp_path))
    data = (tmp_path / "report" / "multiqc_data" / "multiqc_ziggurat_table.txt").read_text()
    table = {line.split("\t")[0]: line.split("\t") for line in data.splitlines()[1:]}
    assert set(table) == set(RUNS)
    pixels = data.splitlines()[0].split("\t").index("pixels")
    assert {name: float(row[pixels]) for name, row in table.items()} == {
        name: values["pixels"] for name, values in contents.items()
    }
    assert "Contact maps" in (tmp_path / "report" / "multiqc_report.html").read_text()
