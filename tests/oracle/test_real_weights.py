"""Real maps: the weights of every level equal cooler's.

Compared are the masked bins, the weights, and the attributes that describe the run. Chromosomes or
maps whose mean marginal is below one are compared in their masks only: there ziggurat's stopping
rule is stricter on purpose (the variance must be small against the mean as well).
"""

import h5py
import numpy as np
import pytest

from support.coolfile import read_map, resolutions
from support.program import refused, run, run_ok
from support.reference import LARGE, REAL

pytestmark = pytest.mark.balance

OPTIONS = {
    "default": (),
    "cis": ("--cis-only",),
    "trans": ("--trans-only", "--max-iters", "60"),
    "strict": (
        "--ignore-diags",
        "1",
        "--mad-max",
        "3",
        "--min-nnz",
        "5",
        "--min-count",
        "10",
        "--tol",
        "0.001",
    ),
}

WEIGHT_RTOL = 1e-9

SQUARE = "toy.asymm.2.cool"


# cooler needs seconds for each level; these few maps stand for all in the runs with options.
WITH_OPTIONS = {
    "hg19.GM12878-MboI.matrix.2000kb.cool",
    "chromosight.example.1kb.cool",
    "CN.mm9.10000kb.cool",
    "hic2cool_0.4.2_single_res.cool",
    "sin_eigs_mat.cool",
}


def runs():
    for real in REAL:
        for name in OPTIONS:
            is_long = real.file in LARGE or (name != "default" and real.file not in WITH_OPTIONS)
            yield pytest.param(
                real, name, id=f"{real}-{name}", marks=[pytest.mark.long] if is_long else []
            )


def weight_attributes(path, level):
    with h5py.File(path, "r") as file:
        return dict(file[f"resolutions/{level}/bins/weight"].attrs)


def comparable_bins(level_map, theirs):
    """Bins of chromosomes (or of a map) whose stopping rule is the reference's to the letter."""
    scale = np.nan_to_num(theirs["scale"], nan=1.0)
    return scale[level_map.chrom] >= 1 if np.ndim(scale) else np.full(level_map.nbins, scale >= 1)


def same_run(ours, theirs, where):
    for name in (
        "tol",
        "min_nnz",
        "min_count",
        "mad_max",
        "ignore_diags",
        "cis_only",
        "divisive_weights",
    ):
        assert ours[name] == theirs[name], f"{where}: attribute {name}"
    scale = np.atleast_1d(np.nan_to_num(theirs["scale"], nan=1.0))
    same_rule = scale >= 1
    for name in ("scale", "var", "converged"):
        a, b = np.atleast_1d(ours[name]), np.atleast_1d(theirs[name])
        assert a.shape == b.shape, f"{where}: shape of {name}"
        assert np.allclose(a[same_rule], b[same_rule], rtol=1e-6, atol=0, equal_nan=True), (
            f"{where}: attribute {name}"
        )


@pytest.mark.parametrize("real, options", list(runs()))
def test_as_cooler(real, options, tmp_path):
    theirs_path = real.balanced_pyramid(OPTIONS[options])
    levels = resolutions(theirs_path)
    ours_path = tmp_path / "ours.mcool"
    allowed = ["--allow-square"] if real.file == SQUARE else []
    run_ok(
        "zoomify",
        "-r",
        ",".join(map(str, levels)),
        "--balance",
        "--balance-args",
        " ".join(["-p 1", *OPTIONS[options]]),
        *allowed,
        "-o",
        ours_path,
        real.uri,
    )
    for level in levels:
        where = f"{real} at {level}"
        ours = read_map(ours_path, f"/resolutions/{level}")
        theirs = read_map(theirs_path, f"/resolutions/{level}")
        w, v = ours.bin_columns["weight"], theirs.bin_columns["weight"]
        same_run(weight_attributes(ours_path, level), weight_attributes(theirs_path, level), where)
        assert np.array_equal(np.isnan(w), np.isnan(v)), f"{where}: masked bins"
        kept = comparable_bins(ours, weight_attributes(theirs_path, level))
        assert np.allclose(w[kept], v[kept], rtol=WEIGHT_RTOL, atol=0, equal_nan=True), (
            f"{where}: weights"
        )


def test_square_storage_is_refused_unless_allowed(tmp_path):
    real = next(r for r in REAL if r.file == SQUARE)
    out = tmp_path / "ours.mcool"
    result = run("zoomify", "-r", "2,4", "--balance", "-o", out, real.uri)
    refused(result, "--allow-square", code=1, absent=[out])
