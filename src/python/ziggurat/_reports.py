"""What the functions return: plain values that can be compared, printed and pickled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Progress:
    """A moment in the work; `done` and `total` count pixels of the source tables."""

    stage: str
    object: str
    done: int
    total: int  # 0: not known


@dataclass(frozen=True, eq=False)
class BalanceOutcome:
    """How balancing one map went."""

    group: str  # of the map in its file
    name: str  # of the column
    weights: FloatArray = field(repr=False)  # a bin; NaN: left out; empty: discarded
    scale: FloatArray  # one, or one a chromosome with cis_only
    var: FloatArray
    converged: tuple[bool, ...]
    iterations: int
    ignored_diags: int
    masked_min_nnz: int  # bins left out by each rule; a bin counts for the first that it breaks
    masked_min_count: int
    masked_mad_max: int
    masked_blacklist: int
    stop: str  # why it ended
    stored: bool


@dataclass(frozen=True, eq=False)
class LevelReport:
    """A level that was made, or that would be."""

    resolution: int  # bp; for variable bins the number of base bins pooled
    group: str
    made_from: str  # URI of a source, or the resolution it is pooled from
    factor: int  # 1: the source itself
    n_bins: int
    n_pixels: int  # in a plan: an upper bound
    count_type: str  # NumPy's name
    sum: int | float | None  # of the column count; None in a plan or without it
    bytes: int
    balance: BalanceOutcome | None


@dataclass(frozen=True, eq=False)
class BuildReport:
    """What was made; with dry_run, what would be."""

    output: str
    levels: tuple[LevelReport, ...]  # finest first
    bytes: int  # of the output file
    memory_bytes: int  # in a plan: bound on the memory of all processes
    processes: int


@dataclass(frozen=True)
class LevelVerdict:
    """What was found out about one map of a file."""

    group: str
    resolution: int
    n_bins: int
    n_pixels: int
    sum: int | float | None
    compared_with: str  # group of the level it must be the coarsening of; or empty
    faults: tuple[str, ...]  # one line each; none: sound


@dataclass(frozen=True)
class VerifyReport:
    """What was found out about a file. True when it is sound."""

    faults: tuple[str, ...]  # of the file as a whole
    levels: tuple[LevelVerdict, ...]  # finest first

    @property
    def sound(self) -> bool:
        return not self.faults and not any(level.faults for level in self.levels)

    def __bool__(self) -> bool:
        return self.sound


@dataclass(frozen=True)
class Difference:
    """One thing in which two maps differ."""

    kind: Literal["map", "bins", "attribute", "column", "pixels"]
    group: str
    object: str
    text: str  # one line: what differs, and the first place
    n_only_a: int
    n_only_b: int
    n_different: int
    largest: float | None  # absolute difference


@dataclass(frozen=True)
class CompareReport:
    """How two maps differ. True when they do not."""

    n_maps: int
    n_pixels: int
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        return not self.differences

    def __bool__(self) -> bool:
        return self.same


def number_of(text: str) -> int | float | None:
    """A sum, which comes as text because it may be wider than 64 bits."""
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)


def outcome_of(found: dict[str, Any]) -> BalanceOutcome:
    return BalanceOutcome(**{**found, "converged": tuple(found["converged"])})


def _level_of(found: dict[str, Any]) -> LevelReport:
    balance = found["balance"]
    return LevelReport(
        **{
            **found,
            "sum": number_of(found["sum"]),
            "balance": None if balance is None else outcome_of(balance),
        }
    )


def build_report_of(found: dict[str, Any]) -> BuildReport:
    return BuildReport(**{**found, "levels": tuple(map(_level_of, found["levels"]))})


def _verdict_of(found: dict[str, Any]) -> LevelVerdict:
    faults = tuple(found["faults"])
    return LevelVerdict(**{**found, "sum": number_of(found["sum"]), "faults": faults})


def verify_report_of(found: dict[str, Any]) -> VerifyReport:
    return VerifyReport(tuple(found["faults"]), tuple(map(_verdict_of, found["levels"])))


def compare_report_of(found: dict[str, Any]) -> CompareReport:
    differences = tuple(Difference(**difference) for difference in found["differences"])
    return CompareReport(**{**found, "differences": differences})
