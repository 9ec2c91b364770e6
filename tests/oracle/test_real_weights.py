"""Real maps: the weights of every level equal cooler's.

Compared are the masked bins, the weights, and the attributes that describe the run: for each map,
or with --cis-only for each chromosome by itself. Two differences are wanted, and are held to just
that:

- where marginals are small cooler takes a variance below the tolerance for convergence, however
  large it is beside the mean; ziggurat goes on until it is small beside the mean as well;
- in square storage with --cis-only, a chromosome that has nothing to balance gets NaN, and cooler
  multiplies cells between it and later chromosomes with that, so these become NaN too; ziggurat
  takes chromosomes by themselves.
"""

import re
import shutil

import h5py
import numpy as np
import pytest

from support import reference
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

WEIGHT_RTOL = 1e-10
OUTCOME_RTOL = 1e-9

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


SETTINGS = (
    "tol",
    "min_nnz",
    "min_count",
    "mad_max",
    "ignore_diags",
    "cis_only",
    "divisive_weights",
)


def outcome(attributes):
    """Scale, variance and convergence, one entry a chromosome or one for the map."""
    return {name: np.atleast_1d(attributes[name]) for name in ("scale", "var", "converged")}


def near(a, b, rtol):
    return np.isclose(a, b, rtol=rtol, atol=0, equal_nan=True)


def ended_too_early(theirs, tol):
    """Where cooler took small marginals for equal ones."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return theirs["converged"] & (theirs["var"] / theirs["scale"] ** 2 >= tol)


def made_nan_by_another(theirs, is_square, cis):
    """Where cooler's NaN comes from an earlier chromosome's."""
    empty = np.isnan(theirs["scale"]) & theirs["converged"]
    after_empty = np.cumsum(empty) - empty > 0
    return after_empty & np.isnan(theirs["scale"]) & (is_square and cis)


def var_noise(theirs):
    """What another order of additions may change the variance by, however exactly each is done.

    cooler adds up chunks of 10 million pixels and ziggurat smaller ones, which rounds marginals
    otherwise. With equal chunks the bits are equal: see test_equal_chunks_give_equal_bits.
    """
    rounding = np.finfo(float).eps * theirs["scale"]
    return 2 * np.sqrt(theirs["var"]) * rounding


def check_level(ours_map, theirs_map, ours_attributes, theirs_attributes, is_square, where):
    for name in SETTINGS:
        assert ours_attributes[name] == theirs_attributes[name], f"{where}: attribute {name}"
    ours, theirs = outcome(ours_attributes), outcome(theirs_attributes)
    tol = theirs_attributes["tol"]
    early = ended_too_early(theirs, tol)
    spread = made_nan_by_another(theirs, is_square, bool(theirs_attributes["cis_only"]))
    same = ~early & ~spread
    for name in ours:
        assert ours[name].shape == theirs[name].shape, f"{where}: shape of {name}"
        good = near(ours[name], theirs[name], OUTCOME_RTOL)
        if name == "var":
            with np.errstate(invalid="ignore"):
                good |= np.abs(ours[name] - theirs[name]) <= var_noise(theirs)
        assert good[same].all(), f"{where}: attribute {name}"
    # Those that differ do so as the table of differences says.
    relative = ours["var"] / ours["scale"] ** 2
    assert np.all((relative < tol) | ~ours["converged"], where=early), f"{where}: ended too early"
    alone = np.isfinite(ours["scale"]) | ours["converged"]
    assert alone[spread].all(), f"{where}: NaN of another chromosome"

    w, v = ours_map.bin_columns["weight"], theirs_map.bin_columns["weight"]
    entry = ours_map.chrom if theirs_attributes["cis_only"] else np.zeros(ours_map.nbins, int)
    masks = np.isnan(w) == np.isnan(v)
    assert masks[~spread[entry]].all(), f"{where}: masked bins"
    assert near(w, v, WEIGHT_RTOL)[same[entry]].all(), f"{where}: weights"


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
        check_level(
            read_map(ours_path, f"/resolutions/{level}"),
            read_map(theirs_path, f"/resolutions/{level}"),
            weight_attributes(ours_path, level),
            weight_attributes(theirs_path, level),
            real.file == SQUARE,
            f"{real} at {level}",
        )


# Where StoreLayout::cut_pixels() cuts the table of a map with up to 262,144 bins.
CUT_PIXELS = 1 << 20


@pytest.mark.parametrize(
    "file",
    [
        "hg19.GM12878-MboI.matrix.2000kb.cool",
        pytest.param("Dixon2012-H1hESC-HindIII.1000kb.cool", marks=[pytest.mark.long]),
    ],
)
def test_equal_chunks_give_equal_bits(file, tmp_path):
    real = next(r for r in REAL if r.file == file)
    ours_path, theirs_path = tmp_path / "ours.cool", tmp_path / "theirs.cool"
    for path in (ours_path, theirs_path):
        shutil.copyfile(real.path, path)
        path.chmod(0o644)
    run_ok("balance", "--force", "-p", 2, ours_path)
    reference.run("balance", "--force", "-p", 1, "-c", CUT_PIXELS, theirs_path)
    with h5py.File(ours_path) as ours, h5py.File(theirs_path) as theirs:
        w, v = ours["bins/weight"], theirs["bins/weight"]
        assert np.array_equal(w[:], v[:], equal_nan=True)
        for name in ("scale", "var", "converged"):
            assert w.attrs[name] == v.attrs[name]


# What --help promises of accelerated rounds.
ACCELERATED_RTOL = 2e-4

# Maps whose rows can be made equal; where they cannot, no iteration has weights to be near to.
SOLVABLE = {
    "hg19.GM12878-MboI.matrix.2000kb.cool": False,
    "CN.mm9.10000kb.cool": False,
    "yeast.10kb.cool": False,
    "4DNFI8DRD739_bin100kb.cool": True,
    "docker-4dn-hic.test.multires.cool": True,
    "CALDER2.test.mcool": True,
    "Dixon2012-H1hESC-HindIII.1000kb.cool": True,
    "scer_w303_g1_2kb_SRR8769554.cool": True,
}


@pytest.mark.parametrize(
    "file",
    [pytest.param(f, marks=[pytest.mark.long] if slow else []) for f, slow in SOLVABLE.items()],
)
def test_accelerated_rounds_are_near_the_solution_and_few(file, tmp_path):
    real = next(r for r in REAL if r.file == file)
    solution_path = real.balanced_pyramid(("--tol", "1e-11", "--max-iters", "1000"))
    ours_path = tmp_path / "ours.mcool"
    shutil.copyfile(real.pyramid(), ours_path)
    told = {}
    for iteration in ("plain", "anderson"):
        args = ("--iteration", iteration, "--name", iteration)
        told[iteration] = run_ok("balance", *args, ours_path).err
    rounds = {k: [int(n) for n in re.findall(r"(\d+) iterations", v)] for k, v in told.items()}
    assert sum(rounds["anderson"]) < 0.8 * sum(rounds["plain"])
    for level in resolutions(solution_path):
        group = f"/resolutions/{level}"
        solution = read_map(solution_path, group).bin_columns["weight"]
        w = read_map(ours_path, group).bin_columns["anderson"]
        assert np.array_equal(np.isnan(w), np.isnan(solution)), f"{file} at {level}: masked bins"
        assert near(w, solution, ACCELERATED_RTOL).all(), f"{file} at {level}: weights"


def test_square_storage_is_refused_unless_allowed(tmp_path):
    real = next(r for r in REAL if r.file == SQUARE)
    out = tmp_path / "ours.mcool"
    result = run("zoomify", "-r", "2,4", "--balance", "-o", out, real.uri)
    refused(result, "--allow-square", code=1, absent=[out])
