"""From keyword options, named as on the command line, to the requests of the library."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from . import _native
from ._errors import UsageError

PathLike = str | os.PathLike[str]
Resolutions = str | int | Iterable[int]
Duplicates = Literal["refuse", "sum"]
NotFinite = Literal["refuse", "skip"]
Policy = Literal["store_final", "store_nan", "discard", "error"]


class BalanceArgs(TypedDict, total=False):
    """The options of balance() that zoomify() takes for its levels."""

    cis_only: bool
    trans_only: bool
    ignore_diags: int | Literal[False]
    ignore_dist: int
    mad_max: float
    min_nnz: int
    min_count: float
    blacklist: PathLike | None
    allow_square: bool
    method: Literal["ice", "vc", "vc_sqrt"]
    iteration: Literal["plain", "anderson"]
    tol: float
    max_iters: int
    convergence_policy: Policy
    chunksize: int
    name: str


def choice(kind: Any, option: str, word: str) -> Any:
    """The member of an enumeration of the extension that the word names."""
    try:
        return kind[word]
    except KeyError:
        words = ", ".join(member.name for member in kind)
        raise UsageError(f"{option}: '{word}' is not among: {words}") from None


def paths(given: PathLike | Iterable[PathLike]) -> list[Any]:
    if isinstance(given, (str, os.PathLike)):
        return [given]
    return list(given)


def resolutions_text(resolutions: Resolutions) -> str:
    if isinstance(resolutions, str):
        return resolutions
    if isinstance(resolutions, Iterable):
        return ",".join(str(int(resolution)) for resolution in resolutions)
    return str(int(resolutions))


def settings(
    nproc: int | None, tmpdir: PathLike | None, compression_level: int = 6
) -> _native.Settings:
    made = _native.Settings()
    made.processes = _processes(nproc)
    made.temporary_folder = tmpdir or os.environ.get("ZIGGURAT_TMPDIR", "")
    if not 1 <= compression_level <= 9:
        raise UsageError(f"compression_level: {compression_level} is not within 1 to 9")
    made.compression_level = compression_level
    return made


def _processes(nproc: int | None) -> int:
    if nproc is not None and nproc < 1:
        raise UsageError(f"nproc: {nproc} is less than 1")
    return nproc or 0


def rules(
    field: str | Sequence[str], duplicates: Duplicates, nan: NotFinite
) -> _native.SourceRules:
    made = _native.SourceRules()
    made.fields = [field] if isinstance(field, str) else list(field)
    made.duplicates = choice(_native.Duplicates, "duplicates", duplicates)
    made.not_finite = choice(_native.NotFinite, "nan", nan)
    return made


def balance_options(given: Mapping[str, Any]) -> _native.BalanceOptions:
    """Options that are not given are the method's own defaults."""
    left = dict(given)
    method = choice(_native.BalanceMethod, "method", left.pop("method", "ice"))
    options = _native.balance_defaults(method)
    options.contacts = _contacts(left.pop("cis_only", False), left.pop("trans_only", False))
    if "iteration" in left:
        word = left.pop("iteration")
        options.iteration = choice(_native.BalanceIteration, "iteration", word)
    if "convergence_policy" in left:
        word = left.pop("convergence_policy")
        options.convergence_policy = choice(_native.ConvergencePolicy, "convergence_policy", word)
    for name, value in left.items():
        if name not in BalanceArgs.__annotations__:
            raise UsageError(f"balancing has no option '{name}'")
        if value is not None:
            setattr(options, name, _like(getattr(options, name), value))
    _native.check_balance_options(options)
    return options


def _like(current: object, value: Any) -> object:
    """NumPy's numbers, and False for 0, as the type that the option has."""
    if isinstance(current, bool):
        return bool(value)
    if isinstance(current, int):
        return int(operator.index(value))
    return float(value) if isinstance(current, float) else value


def _contacts(cis_only: bool, trans_only: bool) -> _native.ContactSet:
    if cis_only and trans_only:
        raise UsageError("cis_only excludes trans_only")
    if cis_only:
        return _native.ContactSet.cis_only
    return _native.ContactSet.trans_only if trans_only else _native.ContactSet.all


def balancing(
    balance_args: Mapping[Any, Any], no_balance_at: Iterable[int], keep_weights: bool
) -> _native.ZoomifyBalancing:
    """Keys of `balance_args` are options for all levels, or resolutions with options to add."""
    for_all = {key: value for key, value in balance_args.items() if isinstance(key, str)}
    made = _native.ZoomifyBalancing()
    made.options = balance_options(for_all)
    made.of_level = {
        int(resolution): balance_options({**for_all, **options})
        for resolution, options in balance_args.items()
        if not isinstance(resolution, str)
    }
    made.left_out = [int(resolution) for resolution in no_balance_at]
    made.keep_weights = keep_weights
    return made
