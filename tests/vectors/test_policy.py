"""The cases of policy.tsv: where the reference saturates, drops, mislabels or takes bad input.

What is right is worked out from the input with Python integers or numpy. Where an option asks for
the reference's behaviour, the same command with that option gives the reference's result.
"""

import numpy as np
import pytest

from support.balancing import check_balanced, masked_bins
from support.check import check_level, check_root
from support.coolfile import digest, read_map, resolutions
from support.dump import read_table
from support.maps import coarsened, stored_dtype
from support.program import refused, run
from support.vectors import (
    CASE,
    compare_with_expected,
    policy_cases,
    run_case,
)

pytestmark = pytest.mark.ours

FACTOR = {"coarsen_int32over_k2": 2, "coarsen_uint16_k2": 2}

# Cases whose levels the reference labels by accident of their bin widths.
FIXED_LABELS = [
    "coarsen_symm_k1000",
    "coarsen_manycontigs_k2",
    "zoomify_manycontigs",
    "zoomify_primes",
    "zoomify_shortchrom",
    "zoomify_tinychroms",
]

REFUSED_UNLESS = [
    ("coarsen_duppix_k2", r"duplicate", ("--duplicates", "sum")),
    ("zoomify_duppix", r"duplicate", ("--duplicates", "sum")),
    ("balance_duppix", r"duplicate", ("--duplicates", "sum")),
    ("coarsen_floatnan_k2", r"nan|not a number|not finite", ("--nan", "skip")),
    ("balance_floatnan", r"nan|not a number|not finite", ("--nan", "skip")),
    ("balance_square", r"square", ("--allow-square",)),
]


def marked(names):
    return [pytest.param(n, marks=[pytest.mark.balance] if CASE[n].balances else []) for n in names]


def level_size(case, stem, source):
    """Bin size (or number of pooled bins) of a group, by the case's own arguments."""
    if stem != "root":
        return int(stem.rpartition(".")[2])
    return source.bin_size * int(case.arguments.split("-k ")[1].split()[0])


@pytest.mark.parametrize("name", FACTOR)
def test_sums_are_exact_in_a_wider_type(name, tmp_path):
    case = CASE[name]
    result, outcome, _ = run_case(case, tmp_path)
    assert result.code == 0, result
    source = read_map(case.input)
    exact = coarsened(source, FACTOR[name])
    assert stored_dtype(source.count.dtype, exact.count) != source.count.dtype, "nothing overflows"
    check_level(outcome, "/", exact, source_dtypes={"count": source.count.dtype})
    assert "count" in result.err, "widening is said"


def test_only_the_levels_that_need_it_are_widened(tmp_path):
    case = CASE["zoomify_int32over"]
    result, outcome, _ = run_case(case, tmp_path)
    assert result.code == 0, result
    source = read_map(case.input)
    for level in resolutions(outcome):
        check_level(
            outcome,
            f"/resolutions/{level}",
            coarsened(source, level // source.bin_size),
            source_dtypes={"count": source.count.dtype},
        )


@pytest.mark.parametrize(
    "name, words, options",
    [
        pytest.param(*row, id=row[0], marks=[pytest.mark.balance] if CASE[row[0]].balances else [])
        for row in REFUSED_UNLESS
    ],
)
class TestRefusedUnless:
    def test_refused(self, name, words, options, tmp_path):
        args, source, output = CASE[name].prepare(tmp_path)
        before = digest(source)
        message = refused(run(*args), words, code=1, absent=[output]).err
        assert source.name in message
        assert options[0] in message, "the way out is named"
        assert digest(source) == before

    def test_option_gives_the_reference_result(self, name, words, options, tmp_path):
        case = CASE[name]
        result, _, got = run_case(case, tmp_path, *options)
        assert result.code == 0, result
        # A base level with duplicates summed is checked apart; the reference keeps them.
        stems = set(case.groups) - {"resolutions.10"} if name == "zoomify_duppix" else None
        compare_with_expected(case, result, got, stems=stems)


def first_pair_twice(m):
    key = m.bin1 * m.nbins + m.bin2
    return next(k for k in range(1, m.nnz) if key[k] == key[k - 1])


def test_the_first_duplicate_is_named(tmp_path):
    case = CASE["coarsen_duppix_k2"]
    args, _, _ = case.prepare(tmp_path)
    source = read_map(case.input)
    at = first_pair_twice(source)
    message = refused(run(*args), "duplicate", code=1).err
    assert str(source.bin1[at]) in message and str(source.bin2[at]) in message


def test_the_first_nan_is_named(tmp_path):
    case = CASE["coarsen_floatnan_k2"]
    args, _, _ = case.prepare(tmp_path)
    row = int(np.flatnonzero(np.isnan(read_map(case.input).count))[0])
    assert str(row) in refused(run(*args), "nan", code=1).err


def test_duplicates_are_summed_in_the_base_too(tmp_path):
    case = CASE["zoomify_duppix"]
    result, outcome, _ = run_case(
        case, tmp_path, "--duplicates", "sum", arguments=case.without_balance()
    )
    assert result.code == 0, result
    source = read_map(case.input)
    for level in (10, 20):
        check_level(outcome, f"/resolutions/{level}", coarsened(source, level // 10))


@pytest.mark.balance
def test_a_map_already_coarse_becomes_one_balanced_level(tmp_path):
    case = CASE["zoomify_symm_default"]
    result, outcome, _ = run_case(case, tmp_path)
    assert result.code == 0, result
    source = read_map(case.input)
    assert resolutions(outcome) == [100]
    check_root(outcome)
    level = check_level(outcome, "/resolutions/100", coarsened(source, 1))
    check_balanced(level, level.bin_columns["weight"], masked_bins(level))


def test_a_map_already_coarse_becomes_one_level(tmp_path):
    case = CASE["zoomify_symm_default"]
    result, _, got = run_case(case, tmp_path, arguments=case.without_balance())
    assert result.code == 0, result
    compare_with_expected(case, result, got, weights=False)


@pytest.mark.balance
class TestExistingWeights:
    CASE = CASE["zoomify_preweighted"]

    def test_are_computed_anew_with_the_options_of_the_run(self, tmp_path):
        result, outcome, got = run_case(self.CASE, tmp_path)
        assert result.code == 0, result
        base = read_map(outcome, "/resolutions/1000")
        check_balanced(base, base.bin_columns["weight"], masked_bins(base, min_nnz=4))
        compare_with_expected(self.CASE, result, got, stems={"resolutions.2000"})
        assert "weight" in result.err, "recomputing is said"

    def test_are_kept_when_asked(self, tmp_path):
        result, _, got = run_case(self.CASE, tmp_path, "--keep-weights")
        assert result.code == 0, result
        compare_with_expected(self.CASE, result, got)


@pytest.mark.parametrize("name", marked(FIXED_LABELS))
def test_levels_of_a_fixed_map_are_labelled_fixed(name, tmp_path):
    case = CASE[name]
    result, _, got = run_case(case, tmp_path)
    assert result.code == case.exit, result
    compare_with_expected(case, result, got, skip=("bin-type", "bin-size"))
    source = read_map(case.input)
    for stem in case.groups:
        assert labels(got, stem) == ("fixed", str(level_size(case, stem, source)))


@pytest.mark.parametrize("name", [n for n in FIXED_LABELS if CASE[n].balances])
def test_levels_of_a_fixed_map_without_balancing(name, tmp_path):
    case = CASE[name]
    result, _, got = run_case(case, tmp_path, arguments=case.without_balance())
    assert result.code == 0, result
    compare_with_expected(case, result, got, weights=False, skip=("bin-type", "bin-size"))


@pytest.mark.parametrize("balance", [pytest.param(True, marks=pytest.mark.balance), False])
def test_levels_of_a_variable_map_are_labelled_variable(balance, tmp_path):
    case = CASE["zoomify_varbins"]
    arguments = case.arguments if balance else case.without_balance()
    result, _, got = run_case(case, tmp_path, arguments=arguments)
    assert result.code == 0, result
    compare_with_expected(case, result, got, weights=balance, skip=("bin-type", "bin-size"))
    for stem in case.groups:
        assert labels(got, stem) == ("variable", "null")


def labels(got, stem):
    rows = read_table(got / f"{stem}.attrs.tsv")[1]
    values = {row[1]: row[4] for row in rows if row[0] == "."}
    return values["bin-type"], values["bin-size"]


@pytest.mark.parametrize("name", ["coarsen_extracol_fields", "zoomify_extracol"])
def test_every_field_asked_for_is_on_every_level(name, tmp_path):
    """The reference writes count alone; bins and counts must still be its own."""
    case = CASE[name]
    result, outcome, _ = run_case(case, tmp_path)
    assert result.code == 0, result
    source = read_map(case.input)
    for stem in case.groups:
        group = "/" if stem == "root" else "/" + stem.replace(".", "/")
        factor = level_size(case, stem, source) // source.bin_size
        exact = coarsened(source, factor)
        del exact.columns["k"]
        level = check_level(outcome, group, exact, rtol=1e-6)
        assert set(level.columns) == {"count", "x"}
        assert level.columns["x"].dtype == np.float32


def test_every_policy_case_is_tested():
    named = {
        *FACTOR,
        *FIXED_LABELS,
        *(row[0] for row in REFUSED_UNLESS),
        "zoomify_int32over",
        "zoomify_symm_default",
        "zoomify_preweighted",
        "zoomify_varbins",
        "coarsen_extracol_fields",
        "zoomify_extracol",
    }
    assert named == policy_cases()
