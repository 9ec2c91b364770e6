"""Commands that must fail: exit status, one line that names the cause, nothing written."""

import pytest

from support.coolfile import digest
from support.dump import read_table
from support.program import one_line, refused, run, run_ok
from support.vectors import FOLDER, INPUTS, Case

pytestmark = pytest.mark.ours


def rows():
    for stem, codes, words, arguments in read_table(FOLDER / "refusals.tsv")[1]:
        case = Case(arguments, INPUTS / f"{stem}.cool", 1, [], arguments)
        yield pytest.param(
            case,
            [int(c) for c in codes.split("|")],
            words,
            id=f"{stem}: {arguments}",
            marks=[pytest.mark.balance] if case.balances else [],
        )


@pytest.mark.parametrize("case, codes, words", list(rows()))
def test_refused(case, codes, words, tmp_path):
    args, source, output = case.prepare(tmp_path)
    before = digest(source)
    result = run(args[0], "--quiet", *args[1:])
    one_line(refused(result, words, absent=[output]))
    assert result.code in codes, result
    assert digest(source) == before


@pytest.mark.balance
@pytest.mark.parametrize(
    "stem, name, code, words",
    [
        ("symm", "weight", 1, "No 'weight' column found"),
        ("preweighted", "weight", 0, "::/ is balanced."),
        ("preweighted", "ICE", 1, "No 'ICE' column found"),
    ],
)
def test_check_only_looks(stem, name, code, words, tmp_path):
    path = INPUTS / f"{stem}.cool"
    before = digest(path)
    result = run("balance", "--check", "--name", name, path)
    assert result.code == code and words in result.out, result
    assert digest(path) == before


def test_what_the_reference_documents_but_refuses_works(tmp_path):
    run_ok("zoomify", "-r", "100B", "-o", "o.mcool", INPUTS / "wide.cool")
    run_ok(
        "zoomify",
        "-r",
        "20,40",
        "--field",
        "count",
        "--field",
        "x",
        "-o",
        "p.mcool",
        INPUTS / "extracol.cool",
    )
