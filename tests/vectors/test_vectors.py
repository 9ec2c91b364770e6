"""Every vector, run with the reference's command line, gives the reference's result."""

import pytest

from support.vectors import compare_with_expected, policy_cases, read_cases, run_case

CASES = [case for case in read_cases() if case.name not in policy_cases()]
MARKED = [
    pytest.param(case, id=case.name, marks=[pytest.mark.balance] if case.balances else [])
    for case in CASES
]
ZOOMS_WITH_BALANCE = [
    case for case in CASES if case.balances and case.arguments.startswith("zoomify")
]


def groups_written(folder):
    return sorted(p.name.removesuffix(".bins.tsv") for p in folder.glob("*.bins.tsv"))


@pytest.mark.parametrize("case", MARKED)
def test_as_the_reference(case, tmp_path):
    result, _, got = run_case(case, tmp_path)
    assert result.code == case.exit, result
    assert groups_written(got) == sorted(case.groups)
    compare_with_expected(case, result, got)


@pytest.mark.parametrize("case", ZOOMS_WITH_BALANCE, ids=lambda case: case.name)
def test_levels_without_balancing(case, tmp_path):
    """The same pyramids with the balancing options taken out: coarsening apart from weights."""
    result, _, got = run_case(case, tmp_path, arguments=case.without_balance())
    assert result.code == 0, result
    assert groups_written(got) == sorted(case.groups)
    compare_with_expected(case, result, got, weights=False)
