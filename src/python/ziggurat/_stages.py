"""The commands as functions. Options are named as on the command line, with _ for -.

Each either leaves the complete result at its final name or changes nothing there, and raises
ziggurat.Error. They release Python's lock while they work, may be called from several threads at
once for different outputs, and end with KeyboardInterrupt on Ctrl-C.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from . import _native
from ._listening import ProgressOption, listening
from ._options import (
    BalanceArgs,
    Duplicates,
    NotFinite,
    PathLike,
    Policy,
    Resolutions,
    balance_options,
    balancing,
    paths,
    resolutions_text,
    rules,
    settings,
)
from ._reports import (
    BalanceOutcome,
    BuildReport,
    CompareReport,
    VerifyReport,
    build_report_of,
    compare_report_of,
    outcome_of,
    verify_report_of,
)


def zoomify(
    cool_uri: PathLike,
    out: PathLike | None = None,
    *,
    resolutions: Resolutions = "B",
    base_uri: PathLike | Iterable[PathLike] = (),
    legacy: bool = False,
    balance: bool = False,
    balance_args: BalanceArgs | Mapping[str | int, Any] | None = None,
    no_balance_at: Iterable[int] = (),
    keep_weights: bool = False,
    dry_run: bool = False,
    field: str | Sequence[str] = (),
    duplicates: Duplicates = "refuse",
    nan: NotFinite = "refuse",
    nproc: int | None = None,
    tmpdir: PathLike | None = None,
    compression_level: int = 6,
    progress: ProgressOption = None,
) -> BuildReport:
    """Makes a multi-resolution file (.mcool) by coarsening a map step by step.

    `out`: default: the input with suffix .mcool. `resolutions`: bin sizes in bp, or the texts of
    the command line ("N", "5000N", "4DN"). `base_uri`: further base maps that are taken as they
    are. `balance_args`: options of balance(), as a mapping; an integer as a key is a resolution,
    and its value a mapping with options for that level. `dry_run`: only says what would be made.
    """
    request = _native.ZoomifyRequest()
    request.sources = [cool_uri, *paths(base_uri)]
    request.output = "" if out is None else out
    request.resolutions = resolutions_text(resolutions)
    request.legacy = legacy
    if balance:
        request.balancing = balancing(balance_args or {}, no_balance_at, keep_weights)
    request.rules = rules(field, duplicates, nan)
    request.settings = settings(nproc, tmpdir, compression_level)
    work = _native.plan_zoomify if dry_run else _native.zoomify
    with listening(progress) as ears:
        return build_report_of(work(request, **ears))


def coarsen(
    cool_uri: PathLike,
    out: PathLike,
    *,
    factor: int = 2,
    append: bool = False,
    field: str | Sequence[str] = (),
    duplicates: Duplicates = "refuse",
    nan: NotFinite = "refuse",
    nproc: int | None = None,
    tmpdir: PathLike | None = None,
    compression_level: int = 6,
    progress: ProgressOption = None,
) -> BuildReport:
    """Pools neighbouring bins of a map into a coarser one.

    `append`: keep the other contents of an existing output file.
    """
    request = _native.CoarsenRequest()
    request.source = cool_uri
    request.output = out
    request.factor = factor
    request.append = append
    request.rules = rules(field, duplicates, nan)
    request.settings = settings(nproc, tmpdir, compression_level)
    with listening(progress) as ears:
        return build_report_of(_native.coarsen(request, **ears))


def assemble(
    out: PathLike,
    levels: Iterable[PathLike],
    *,
    nproc: int | None = None,
    tmpdir: PathLike | None = None,
    compression_level: int = 6,
    progress: ProgressOption = None,
) -> BuildReport:
    """Gathers finished levels of one map into a multi-resolution file."""
    request = _native.AssembleRequest()
    request.output = out
    request.levels = paths(levels)
    request.settings = settings(nproc, tmpdir, compression_level)
    with listening(progress) as ears:
        return build_report_of(_native.assemble(request, **ears))


def merge(
    out: PathLike,
    maps: Iterable[PathLike],
    *,
    append: bool = False,
    field: str | Sequence[str] = (),
    duplicates: Duplicates = "refuse",
    nan: NotFinite = "refuse",
    nproc: int | None = None,
    tmpdir: PathLike | None = None,
    compression_level: int = 6,
    progress: ProgressOption = None,
) -> BuildReport:
    """Adds up maps with the same bins into one map. Sums are exact."""
    request = _native.MergeRequest()
    request.output = out
    request.sources = paths(maps)
    request.append = append
    request.rules = rules(field, duplicates, nan)
    request.settings = settings(nproc, tmpdir, compression_level)
    with listening(progress) as ears:
        return build_report_of(_native.merge(request, **ears))


def balance(
    cool_uri: PathLike,
    *,
    cis_only: bool = False,
    trans_only: bool = False,
    ignore_diags: int | Literal[False] | None = None,
    ignore_dist: int = 0,
    mad_max: float | None = None,
    min_nnz: int | None = None,
    min_count: float = 0,
    blacklist: PathLike | None = None,
    allow_square: bool = False,
    method: Literal["ice", "vc", "vc_sqrt"] = "ice",
    iteration: Literal["plain", "anderson"] = "plain",
    tol: float = 1e-5,
    max_iters: int = 200,
    convergence_policy: Policy = "store_final",
    chunksize: int = 10_000_000,
    name: str | None = None,
    force: bool = False,
    store: bool = True,
    memory: int | None = None,
    lock_timeout: float = 60,
    replace_link: bool = False,
    duplicates: Duplicates = "refuse",
    nan: NotFinite = "refuse",
    nproc: int | None = None,
    tmpdir: PathLike | None = None,
    progress: ProgressOption = None,
) -> list[BalanceOutcome]:
    """Finds weights that make the bins of a map equally visible, and stores them.

    Of a file with several maps, all are balanced: one outcome each. None: the default of the
    method (ignore_diags 2, mad_max 5 and min_nnz 10 of ice; 0 of the others). `store=False`: only
    computes. `memory`: bytes for the pixels of a map; what is over it lies in a scratch file.
    `lock_timeout`: seconds to wait for a file that another program has locked.
    """
    request = _native.BalanceRequest()
    request.target = cool_uri
    request.options = balance_options(
        {
            "cis_only": cis_only,
            "trans_only": trans_only,
            "ignore_diags": ignore_diags,
            "ignore_dist": ignore_dist,
            "mad_max": mad_max,
            "min_nnz": min_nnz,
            "min_count": min_count,
            "blacklist": blacklist,
            "allow_square": allow_square,
            "method": method,
            "iteration": iteration,
            "tol": tol,
            "max_iters": max_iters,
            "convergence_policy": convergence_policy,
            "chunksize": chunksize,
            "name": name,
        }
    )
    request.force = force
    request.store = store
    request.memory_limit = memory or 0
    request.lock_timeout = lock_timeout
    request.replace_link = replace_link
    request.rules = rules((), duplicates, nan)
    request.settings = settings(nproc, tmpdir)
    with listening(progress) as ears:
        return [outcome_of(found) for found in _native.balance(request, **ears)]


def balanced(cool_uri: PathLike, *, name: str = "weight") -> dict[str, bool]:
    """Whether a map, or each map of a file, has weights of that name: by its group in the file."""
    return dict(_native.balanced(cool_uri, name))


def verify(
    file: PathLike, *, nproc: int | None = None, progress: ProgressOption = None
) -> VerifyReport:
    """Proves that a file is sound: structure, every pixel, level against level.

    Faults are in the report, which is false when there is any; raises only where nothing can be
    said.
    """
    processes = settings(nproc, None).processes
    with listening(progress) as ears:
        return verify_report_of(_native.verify(file, processes, **ears))


def compare(
    a: PathLike, b: PathLike, *, tolerance: float = 0, progress: ProgressOption = None
) -> CompareReport:
    """Says whether two maps are equal, and where and by how much they are not.

    Numbers are equal when they differ by no more than `tolerance`, relative to the larger of both.
    """
    with listening(progress) as ears:
        return compare_report_of(_native.compare(a, b, tolerance, **ears))


def cp(
    src_uri: PathLike,
    dst_uri: PathLike,
    *,
    overwrite: bool = False,
    duplicates: Duplicates = "refuse",
    nan: NotFinite = "refuse",
    nproc: int | None = None,
    tmpdir: PathLike | None = None,
    compression_level: int = 6,
    progress: ProgressOption = None,
) -> BuildReport:
    """Copies a map to another file, or within its file.

    `overwrite`: replace an existing output file as a whole; else the map is added to it.
    """
    request = _native.CopyRequest()
    request.source = src_uri
    request.output = dst_uri
    request.overwrite = overwrite
    request.rules = rules((), duplicates, nan)
    request.settings = settings(nproc, tmpdir, compression_level)
    with listening(progress) as ears:
        return build_report_of(_native.copy(request, **ears))


def mv(src_uri: PathLike, dst_uri: PathLike, *, overwrite: bool = False) -> None:
    """Gives a map another name in its file. `overwrite`: a map that bears the name goes."""
    _place(src_uri, dst_uri, _native.Placing.move, overwrite)


def ln(
    src_uri: PathLike, dst_uri: PathLike, *, overwrite: bool = False, soft: bool = False
) -> None:
    """Gives a map a second name in its file. `soft`: a name that stands for the first one."""
    kind = _native.Placing.soft_link if soft else _native.Placing.hard_link
    _place(src_uri, dst_uri, kind, overwrite)


def _place(source: PathLike, target: PathLike, kind: _native.Placing, overwrite: bool) -> None:
    request = _native.PlaceRequest()
    request.source = source
    request.target = target
    request.placing = kind
    request.overwrite = overwrite
    _native.place(request)
