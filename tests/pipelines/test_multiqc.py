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


def test_numbers_of_reports(tmp_path):
    raw = PROJECT / "testdata" / "demo.cool"
    for name, *job in (("balanced", "--balance", real_map()), ("raw", raw)):
        run_ok("zoomify", "-q", "-r", "10000,20000", "-o", f"{name}.mcool", *job)
        run_ok("report", "-q", f"{name}.mcool", "--multiqc", f"{name}_mqc.json")
    multiqc = engines.python_tool("multiqc")
    engines.run(multiqc, "--no-version-check", "--outdir", "report", ".", cwd=tmp_path,
                env=engines.environment(tmp_path))
    data = (tmp_path / "report" / "multiqc_data" / "multiqc_ziggurat_report_table.txt").read_text()
    lines = [line.split("\t") for line in data.splitlines()]
    table = {row[0]: dict(zip(lines[0][1:], row[1:], strict=True)) for row in lines[1:]}
    assert set(table) == {"balanced", "raw"}
    for name, row in table.items():
        with h5py.File(f"{name}.mcool") as file:
            finest = file["resolutions/10000"]
            count = finest["pixels/count"][:]
            chrom = finest["bins/chrom"][:]
            within = chrom[finest["pixels/bin1_id"][:]] == chrom[finest["pixels/bin2_id"][:]]
            assert float(row["contacts"]) == count.sum()
            assert float(row["within"]) == pytest.approx(100 * count[within].sum() / count.sum())
            if name == "balanced":
                masked = np.isnan(finest["bins/weight"][:]).mean()
                assert float(row["left_out"]) == pytest.approx(100 * masked)
    assert not table["raw"]["left_out"]
    assert "Contact maps" in (tmp_path / "report" / "multiqc_report.html").read_text()


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
