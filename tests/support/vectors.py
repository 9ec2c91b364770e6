"""The cases of tests/vectors: reading their tables, running them, comparing the results."""

import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from support import program
from support.dump import dump_file, read_table

FOLDER = Path(__file__).resolve().parent.parent / "vectors"
INPUTS = FOLDER / "inputs"
EXPECTED = FOLDER / "expected"
CASES = FOLDER / "cases.tsv"

WEIGHT_RTOL = 1e-10
VARIANCE_RTOL = 1e-9

# What a reader may rely on. Left out: the reference loses genome-assembly and metadata.
_COMPARED = {
    "bin-type",
    "bin-size",
    "storage-mode",
    "nbins",
    "nchroms",
    "nnz",
    "sum",
    "format",
    "format-version",
    "max-zoom",
    "max-zooms",
    "0",
    "1",
    "2",
    "3",
    "(names)",
    "(lengths)",
    "(sha256)",
}
_OF_WEIGHTS = {
    "tol",
    "min_nnz",
    "min_count",
    "mad_max",
    "cis_only",
    "ignore_diags",
    "scale",
    "converged",
    "var",
    "divisive_weights",
}


@dataclass
class Case:
    name: str
    input: Path
    exit: int
    groups: list
    arguments: str

    @property
    def balances(self):
        return self.arguments.startswith("balance") or "--balance" in self.arguments

    def prepare(self, folder, arguments=None):
        """(command line, copy of the input, output path) for a run in `folder`."""
        source = folder / self.input.name
        shutil.copyfile(self.input, source)
        result = folder / "out.cool"
        args = [
            a.format(i=source, o=result, d=INPUTS) for a in shlex.split(arguments or self.arguments)
        ]
        return args, source, result

    def without_balance(self):
        """The command line with its balancing options taken out."""
        args = shlex.split(self.arguments)
        at = args.index("--balance")
        del args[at : at + 1]
        if "--balance-args" in args:
            at = args.index("--balance-args")
            del args[at : at + 2]
        return shlex.join(args)


def read_cases():
    _, rows = read_table(CASES)
    return [
        Case(name, INPUTS / f"{stem}.cool", int(code), groups.split(","), arguments)
        for name, stem, code, groups, arguments in rows
    ]


CASE = {case.name: case for case in read_cases()}


def policy_cases():
    return {row[0] for row in read_table(FOLDER / "policy.tsv")[1]}


def run_case(case, folder, *more, arguments=None):
    """Run a case with further options: (result, file with the outcome, folder of its text)."""
    args, source, output = case.prepare(folder, arguments)
    result = program.not_crashed(program.run(args[0], *more, *args[1:], cwd=folder))
    outcome = output if output.exists() else source
    dump_file(outcome, case.input, folder / "got")
    return result, outcome, folder / "got"


def _close(a, b, rtol):
    x, y = float(a), float(b)
    return a == b or (x != x and y != y) or abs(x - y) <= rtol * max(abs(x), abs(y))


def _same_value(name, wanted, got):
    if name in ("var", "scale", "sum"):
        pairs = zip(wanted.split(","), got.split(","), strict=True)
        return all(_close(a, b, VARIANCE_RTOL) for a, b in pairs)
    if name == "tol":
        return _close(wanted, got, 0)
    return wanted == got


def compare_attributes(wanted, got, *, weights=True, skip=()):
    names = _COMPARED | (_OF_WEIGHTS if weights else set())
    _, got_rows = read_table(got)
    found = {(row[0], row[1]): row[4] for row in got_rows}
    for where, name, _, _, value in read_table(wanted)[1]:
        if name not in names or name in skip:
            continue
        assert (where, name) in found, f"{got.name} lacks {where} {name}"
        assert _same_value(name, value, found[where, name]), (
            f"{got.name}: {where} {name} is {found[where, name]}, not {value}"
        )


def compare_pixels(wanted, got):
    assert got.exists(), f"no {got.name}: other groups, or a base level that was changed"
    assert got.read_text() == wanted.read_text(), got.name


def compare_bins(wanted, got, *, weights=True):
    header, rows = read_table(wanted)
    got_header, got_rows = read_table(got)
    assert [row[:3] for row in got_rows] == [row[:3] for row in rows], f"{got.name}: bins"
    if not weights:
        return
    assert got_header == header, f"{got.name}: columns"
    for k in range(3, len(header)):
        x = np.array([float(row[k]) for row in rows])
        y = np.array([float(row[k]) for row in got_rows])
        assert np.array_equal(np.isnan(x), np.isnan(y)), f"{got.name}: masked bins of {header[k]}"
        assert np.allclose(x, y, rtol=WEIGHT_RTOL, atol=0, equal_nan=True), (
            f"{got.name}: {header[k]}"
        )


def compare_printed_weights(wanted, result):
    assert result.out.split() == wanted.read_text().split(), "printed weights"


def compare_with_expected(case, result, got, *, weights=True, skip=(), stems=None):
    """All of the case's expected files, or those of the groups `stems` only."""
    for wanted in sorted((EXPECTED / case.name).iterdir()):
        stem, _, kind = wanted.name.partition(".pixels.")
        stem = stem.removesuffix(".bins.tsv").removesuffix(".attrs.tsv")
        if stems is not None and stem not in stems:
            continue
        if wanted.name == "stdout.txt":
            compare_printed_weights(wanted, result)
        elif kind:
            compare_pixels(wanted, got / wanted.name)
        elif wanted.name.endswith(".bins.tsv"):
            compare_bins(wanted, got / wanted.name, weights=weights)
        else:
            compare_attributes(wanted, got / wanted.name, weights=weights, skip=skip)
