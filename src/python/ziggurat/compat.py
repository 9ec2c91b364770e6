"""The functions that packages call in cooler, with cooler's signatures and results.

`from ziggurat import compat as cooler` does for a program that calls these. What has no meaning
here (chunk sizes, locks, pools) is taken and has no influence; what would change the result and
cannot be done is refused with ValueError.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _stages
from ._errors import UsageError
from ._map import ContactMap
from ._options import PathLike
from ._program import program
from ._reports import BalanceOutcome

# Arguments of cooler.create() that say how to go about it rather than what to make.
_WITHOUT_INFLUENCE = frozenset(
    {"lock", "temp_dir", "delete_temp", "max_merge", "mergebuf", "ordered"}
)
# Those whose default is what is done here in any case.
_ALWAYS: Mapping[str, object] = {
    "boundscheck": True,
    "dupcheck": True,
    "triucheck": True,
    "ensure_sorted": False,
    "metadata": None,
    "assembly": None,
}


class ConvergenceWarning(UserWarning):
    """Balancing ended at the limit of rounds."""


def zoomify_cooler(
    base_uris: PathLike | Sequence[PathLike],
    outfile: PathLike,
    resolutions: Sequence[int],
    chunksize: int,
    nproc: int = 1,
    columns: Sequence[str] | None = None,
    dtypes: Mapping[str, Any] | None = None,
    agg: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> None:
    """Makes a multi-resolution file from one or more base maps."""
    first, *others = _listed(base_uris)
    _stages.zoomify(
        first,
        outfile,
        base_uri=others,
        resolutions=[int(resolution) for resolution in _listed(resolutions)],
        field=_fields(columns, dtypes, agg),
        nproc=int(nproc),
        **_create_options(kwargs),
    )


def coarsen_cooler(
    base_uri: PathLike,
    output_uri: PathLike,
    factor: int,
    chunksize: int,
    nproc: int = 1,
    columns: Sequence[str] | None = None,
    dtypes: Mapping[str, Any] | None = None,
    agg: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> None:
    """Coarsens a map by a factor. The other contents of an existing output file stay."""
    append = _takes_append(kwargs, default=True)
    _stages.coarsen(
        base_uri,
        output_uri,
        factor=int(factor),
        append=append,
        field=_fields(columns, dtypes, agg),
        nproc=int(nproc),
        **_create_options(kwargs),
    )


def merge_coolers(
    output_uri: PathLike,
    input_uris: Sequence[PathLike],
    mergebuf: int,
    columns: Sequence[str] | None = None,
    dtypes: Mapping[str, Any] | None = None,
    agg: Mapping[str, Any] | None = None,
    **kwargs: Any,
) -> None:
    """Adds up maps with the same bins. An existing output file is replaced, unless mode is "a"."""
    append = _takes_append(kwargs, default=False)
    _stages.merge(
        output_uri,
        _listed(input_uris),
        append=append,
        field=_fields(columns, dtypes, agg),
        **_create_options(kwargs),
    )


def balance_cooler(
    clr: Any,
    *,
    cis_only: bool = False,
    trans_only: bool = False,
    ignore_diags: int | Literal[False] = 2,
    mad_max: float = 5,
    min_nnz: int = 10,
    min_count: float = 0,
    blacklist: Any = None,
    rescale_marginals: bool = True,
    x0: Any = None,
    tol: float = 1e-5,
    max_iters: int = 200,
    chunksize: int | None = 10_000_000,
    map: Callable[..., Any] = map,
    use_lock: bool = False,
    store: bool = False,
    store_name: str = "weight",
) -> tuple[npt.NDArray[np.float64], dict[str, Any]]:
    """Balances a map: (weights, what they were found with).

    `clr`: a cooler.Cooler, a ziggurat.ContactMap, or a URI. `blacklist`: ids of bins to leave out.
    """
    if x0 is not None:
        raise UsageError("balance_cooler: x0 is not supported; balancing starts from ones")
    if store and not rescale_marginals:
        raise UsageError("balance_cooler: weights are stored rescaled only")
    uri = _uri_of(clr)
    with tempfile.TemporaryDirectory(prefix="ziggurat-") as folder:
        bed = _blacklist_file(uri, blacklist, os.path.join(folder, "blacklist.bed"))
        (outcome,) = _stages.balance(
            uri,
            cis_only=cis_only,
            trans_only=trans_only,
            ignore_diags=int(ignore_diags),
            mad_max=mad_max,
            min_nnz=min_nnz,
            min_count=min_count,
            blacklist=bed,
            tol=tol,
            max_iters=max_iters,
            chunksize=chunksize if chunksize is not None else np.iinfo(np.int64).max,
            name=store_name,
            store=store,
            force=True,
        )
    if not all(outcome.converged):
        warnings.warn(
            "Iteration limit reached without convergence.", ConvergenceWarning, stacklevel=2
        )
    stats: dict[str, Any] = {
        "tol": tol,
        "min_nnz": min_nnz,
        "min_count": min_count,
        "mad_max": mad_max,
        "cis_only": cis_only,
        "ignore_diags": ignore_diags,
        **_convergence(outcome, tol, cis_only),
        "divisive_weights": False,
    }
    bias = outcome.weights
    return (bias if rescale_marginals else _unscaled(uri, bias, outcome.scale)), stats


iterative_correction = balance_cooler


def invoke_balance(
    args: str | None, resolutions: Iterable[int], outfile: PathLike
) -> None:
    """Runs the command `ziggurat balance` with these options on levels that have no weights yet.

    In cooler this is cooler.cli.zoomify.invoke_balance. Raises SystemExit when the command fails.
    """
    for resolution in resolutions:
        uri = f"{os.fspath(outfile)}::resolutions/{int(resolution)}"
        if all(_stages.balanced(uri).values()):
            continue
        words = shlex.split(args) if args else []
        done = subprocess.run([program(), "balance", uri, *words], check=False)
        if done.returncode != 0:
            raise SystemExit(done.returncode)


def _listed(given: Any) -> list[Any]:
    if isinstance(given, (str, os.PathLike)) or np.ndim(given) == 0:
        return [given]
    return list(given)


def _uri_of(clr: Any) -> str:
    return str(clr.uri) if hasattr(clr, "uri") else os.fspath(clr)


def _fields(
    columns: Sequence[str] | None, dtypes: Mapping[str, Any] | None, agg: Mapping[str, Any] | None
) -> list[str]:
    """Value columns as `--field` has them."""
    fields = []
    for column in _listed(columns) if columns is not None else ["count"]:
        properties = []
        if dtypes and column in dtypes:
            properties.append(f"dtype={np.dtype(dtypes[column]).name}")
        if agg and column in agg:
            properties.append(f"agg={_aggregation_name(agg[column])}")
        fields.append(column + (":" + ",".join(properties) if properties else ""))
    return fields


def _aggregation_name(function: Any) -> str:
    name = function if isinstance(function, str) else getattr(function, "__name__", "")
    # np.amax and np.amin are NumPy's other names for max and min.
    return {"amax": "max", "amin": "min"}.get(name, name)


def _takes_append(kwargs: dict[str, Any], default: bool) -> bool:
    mode = kwargs.pop("mode", None)
    append = bool(kwargs.pop("append", default))
    return append if mode is None else mode in ("a", "r+")


def _create_options(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """What cooler hands on to create()."""
    options: dict[str, Any] = {}
    if kwargs.get("temp_dir"):
        options["tmpdir"] = kwargs["temp_dir"]
    for name, value in kwargs.items():
        if name == "h5opts":
            options.update(_compression(value))
        elif name not in _WITHOUT_INFLUENCE and value != _ALWAYS.get(name, _ALWAYS):
            raise UsageError(f"the argument {name}={value!r} of cooler.create is not supported")
    return options


def _compression(h5opts: Mapping[str, Any] | None) -> dict[str, int]:
    given = dict(h5opts or {})
    level = given.pop("compression_opts", 6)
    if given.pop("compression", "gzip") != "gzip" or not given.pop("shuffle", True) or given:
        raise UsageError(f"h5opts={h5opts!r}: maps are stored with gzip and shuffle")
    return {"compression_level": int(level)}


def _blacklist_file(uri: str, blacklist: Any, path: str) -> str | None:
    """Bins as the regions of a BED file, which is what the library takes."""
    if blacklist is None:
        return None
    with ContactMap(uri) as opened:
        names = list(opened.chroms)
        bins = opened.bins(columns=())
        ids = np.arange(opened.n_bins)[np.asarray(blacklist)]
    with open(path, "w", encoding="utf-8") as file:
        for bin_id in ids:
            chrom = names[bins["chrom"][bin_id]]
            file.write(f"{chrom}\t{bins['start'][bin_id]}\t{bins['end'][bin_id]}\n")
    return path


def _convergence(outcome: BalanceOutcome, tol: float, cis_only: bool) -> dict[str, Any]:
    """Arrays with an entry a chromosome for cis_only, else single values."""
    if cis_only:
        return {"scale": outcome.scale, "converged": outcome.var < tol, "var": outcome.var}
    return {
        "scale": outcome.scale[0],
        "converged": outcome.var[0] < tol,
        "var": outcome.var[0],
    }


def _unscaled(
    uri: str, bias: npt.NDArray[np.float64], scale: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    if len(scale) == 1:
        return np.asarray(bias * np.sqrt(scale[0]))
    with ContactMap(uri) as opened:
        bins_each = np.diff(opened.chrom_offsets)
    return np.asarray(bias * np.repeat(np.sqrt(scale), bins_each))


__all__ = [
    "ConvergenceWarning",
    "balance_cooler",
    "coarsen_cooler",
    "invoke_balance",
    "iterative_correction",
    "merge_coolers",
    "zoomify_cooler",
]
