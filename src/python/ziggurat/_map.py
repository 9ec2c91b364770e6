"""Reading: what a file holds, and maps with their chromosomes, bins, weights and pixels."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _native
from ._errors import UnknownNameError, UsageError
from ._options import PathLike

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import coo_array, csr_array

Array = npt.NDArray[Any]
# A region as text (NAME, NAME:START-END), as (name, start, end), a range of bins, or None: all.
Region = str | tuple[str, int | None, int | None] | range | None
Balance = bool | str
Rectangle = tuple[int, int, int, int]

_DIVISIVE = ("KR", "VC", "VC_SQRT")


def ls(file: PathLike) -> list[str]:
    """The URIs of all maps in a file."""
    return [f"{os.fspath(file)}::{group}" for group in _native.list_maps(file)]


def info(cool_uri: PathLike) -> dict[str, Any]:
    """The attributes of a map. `metadata` is what its JSON text means, a `bin-size` of null None."""
    attributes: dict[str, Any] = {}
    for name, (scalar, values) in _native.attributes(cool_uri).items():
        listed = values if isinstance(values, list) else values.tolist()
        attributes[name] = listed[0] if scalar and len(listed) == 1 else listed
    if attributes.get("bin-size") == "null":  # how the format says that bins vary
        attributes["bin-size"] = None
    try:
        attributes["metadata"] = json.loads(attributes["metadata"])
    except (KeyError, TypeError, ValueError):
        pass  # no metadata, or a text that is no JSON: it stays as it is stored
    return attributes


class ContactMap:
    """A map that is open for reading; see open().

    May be used from several threads at once, and after a fork if no other thread used it then.
    """

    def __init__(self, uri: PathLike) -> None:
        self._uri = uri
        self._open: _native.ContactMap | None = _native.ContactMap(uri)
        self._weights: dict[str, npt.NDArray[np.float64]] = {}

    def __repr__(self) -> str:
        if self._open is None:
            return f"<closed ziggurat.ContactMap {os.fspath(self._uri)!r}>"
        return f"<ziggurat.ContactMap {self.uri!r}: {self.n_bins} bins, {self.n_pixels} pixels>"

    def __reduce__(self) -> tuple[type[ContactMap], tuple[PathLike]]:
        # Another process opens the map anew.
        return ContactMap, (self._uri,)

    def __enter__(self) -> ContactMap:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process that keeps the file open."""
        self._open = None

    @property
    def _map(self) -> _native.ContactMap:
        if self._open is None:
            raise UsageError(f"{os.fspath(self._uri)}: the map is closed")
        return self._open

    @property
    def uri(self) -> str:
        return str(self._map.uri)

    @property
    def chroms(self) -> dict[str, int]:
        """Names of the chromosomes and their lengths in bp, in the order of the file."""
        return dict(self._map.chromosomes)

    @property
    def chrom_offsets(self) -> npt.NDArray[np.int64]:
        """First bin of each chromosome, then the number of bins."""
        return np.asarray(self._map.chromosome_offsets)

    @property
    def n_bins(self) -> int:
        return int(self._map.n_bins)

    @property
    def n_pixels(self) -> int:
        """Pixels that are stored."""
        return int(self._map.n_pixels)

    @property
    def bin_size(self) -> int | None:
        """In bp; None for bins of varying width."""
        return self._map.bin_size

    @property
    def is_symmetric(self) -> bool:
        """Only the upper triangle is stored, and stands for both."""
        return bool(self._map.is_symmetric)

    @property
    def info(self) -> dict[str, Any]:
        return info(self._uri)

    @property
    def notes(self) -> list[str]:
        """Facts about the file that one may want to hear of, one line each."""
        return list(self._map.notes)

    @property
    def fields(self) -> list[str]:
        """Value columns of the pixels."""
        return list(self._map.fields)

    @property
    def bin_columns(self) -> list[str]:
        """Columns of the bins beside chrom, start and end."""
        return list(self._map.bin_columns)

    def field_type(self, field: str = "count") -> np.dtype[Any]:
        """The type in which a value column is stored."""
        self._check_name(field, self.fields, "pixels")
        return np.dtype(self._map.field_type(field))

    def extent(self, region: Region) -> tuple[int, int]:
        """The bins [first, end) that a region touches."""
        if region is None:
            return 0, self.n_bins
        if isinstance(region, range):
            if region.step != 1 or not 0 <= region.start <= region.stop <= self.n_bins:
                raise UsageError(f"{region} is not a range of the bins 0 to {self.n_bins}")
            return region.start, region.stop
        if not isinstance(region, str):
            name, start, end = region
            region = f"{name}:{start or 0}-{'' if end is None else end}"
        first, end = self._map.bins_of(region)
        return first, end

    @overload
    def bins(
        self,
        region: Region = None,
        *,
        columns: Iterable[str] | None = None,
        as_: Literal["numpy"] = "numpy",
    ) -> dict[str, Array]: ...
    @overload
    def bins(
        self,
        region: Region = None,
        *,
        columns: Iterable[str] | None = None,
        as_: Literal["pandas"],
    ) -> pd.DataFrame: ...
    def bins(
        self,
        region: Region = None,
        *,
        columns: Iterable[str] | None = None,
        as_: Literal["numpy", "pandas"] = "numpy",
    ) -> dict[str, Array] | pd.DataFrame:
        """chrom, start, end and further columns of the bins that a region touches.

        numpy: an array each, where chrom is the index of the chromosome. pandas: a DataFrame,
        where the index is the bin's and chrom is categorical. `columns`: of those in bin_columns;
        None: all.
        """
        _check_choice("as_", as_, ("numpy", "pandas"))
        first, end = self.extent(region)
        chrom, start, stop = self._map.bins(first, end)
        table: dict[str, Array] = {"chrom": chrom, "start": start, "end": stop}
        for name in self.bin_columns if columns is None else columns:
            table[name] = self.bin_column(name)[first:end]
        if as_ == "numpy":
            return table
        import pandas

        names = pandas.Categorical.from_codes(chrom, categories=list(self.chroms))
        index = pandas.RangeIndex(first, end)
        return pandas.DataFrame({**table, "chrom": names}, index=index)

    def bin_column(self, name: str) -> Array:
        """One column of the bins, all of it."""
        self._check_name(name, self.bin_columns, "bins")
        return np.asarray(self._map.bin_column(name))

    def weights(self, name: str = "weight", region: Region = None) -> npt.NDArray[np.float64]:
        """Balancing weights, a bin each; NaN for bins that were left out."""
        first, end = self.extent(region)
        return self._all_weights(name)[first:end].copy()

    def _all_weights(self, name: str) -> npt.NDArray[np.float64]:
        if name not in self._weights:
            self._check_name(name, self.bin_columns, "bins")
            self._weights[name] = self._map.weights(name)
        return self._weights[name]

    def _check_name(self, name: str, names: list[str], table: str) -> None:
        if name not in names:
            has = ", ".join(names) or "none"
            raise UnknownNameError(f"{self.uri}: no column '{name}' in {table}; there are: {has}")

    @overload
    def fetch(
        self,
        region: Region = None,
        region2: Region = None,
        *,
        balance: Balance = False,
        divisive: bool | None = None,
        field: str = "count",
        as_: Literal["dense"] = "dense",
    ) -> Array: ...
    @overload
    def fetch(
        self,
        region: Region = None,
        region2: Region = None,
        *,
        balance: Balance = False,
        divisive: bool | None = None,
        field: str = "count",
        as_: Literal["coo"],
    ) -> coo_array: ...
    @overload
    def fetch(
        self,
        region: Region = None,
        region2: Region = None,
        *,
        balance: Balance = False,
        divisive: bool | None = None,
        field: str = "count",
        as_: Literal["csr"],
    ) -> csr_array: ...
    @overload
    def fetch(
        self,
        region: Region = None,
        region2: Region = None,
        *,
        balance: Balance = False,
        divisive: bool | None = None,
        field: str = "count",
        as_: Literal["pixels"],
        fill_lower: bool = False,
        join: bool = False,
    ) -> pd.DataFrame: ...
    @overload
    def fetch(
        self,
        region: Region = None,
        region2: Region = None,
        *,
        balance: Balance = False,
        divisive: bool | None = None,
        field: str = "count",
        as_: Literal["numpy"],
        fill_lower: bool = False,
    ) -> dict[str, Array]: ...
    def fetch(
        self,
        region: Region = None,
        region2: Region = None,
        *,
        balance: Balance = False,
        divisive: bool | None = None,
        field: str = "count",
        as_: Literal["dense", "coo", "csr", "pixels", "numpy"] = "dense",
        fill_lower: bool = False,
        join: bool = False,
    ) -> Any:
        """The contacts of a rectangle of the matrix; `region2`: default: the same as `region`.

        dense, coo, csr: the full matrix of the rectangle, both triangles, as a NumPy array or an
        array of scipy.sparse. pixels, numpy: the pixels as they are stored, as a DataFrame or as
        arrays (bin1_id, bin2_id, the field, and `balanced`); `fill_lower` adds the mirror images
        of a symmetric map, `join` puts chromosome, start and end of both bins in place of the ids.

        `balance`: True for the column weight, or the name of another; values become float.
        `divisive`: whether counts are divided by weights; None: KR, VC and VC_SQRT are.
        """
        _check_choice("as_", as_, ("dense", "coo", "csr", "pixels", "numpy"))
        rectangle = self._rectangle(region, region2)
        weights = self._weight_name(balance)
        self._check_name(field, self.fields, "pixels")
        if as_ in ("pixels", "numpy"):
            table = self._pixel_table(rectangle, fill_lower, field, weights, divisive)
            return self._frame(table, join) if as_ == "pixels" else table
        if as_ == "dense":
            return self._dense(rectangle, field, weights, divisive)
        import scipy.sparse

        shape = (rectangle[1] - rectangle[0], rectangle[3] - rectangle[2])
        if as_ == "csr":
            offsets, columns, values = self._map.fetch_csr(
                rectangle, True, field, weights, divisive
            )
            return scipy.sparse.csr_array((values, columns, offsets), shape=shape)
        rows, columns, values = self._map.fetch(rectangle, True, field, weights, divisive)
        return scipy.sparse.coo_array(
            (values, (rows - rectangle[0], columns - rectangle[2])), shape=shape
        )

    def pixels(
        self,
        region: Region = None,
        region2: Region = None,
        *,
        balance: Balance = False,
        divisive: bool | None = None,
        field: str = "count",
        fill_lower: bool = False,
    ) -> Iterator[dict[str, Array]]:
        """The pixels block by block, as fetch(as_="numpy") gives them, in little memory."""
        rectangle = self._rectangle(region, region2)
        weights = self._weight_name(balance)
        self._check_name(field, self.fields, "pixels")
        blocks = self._map.blocks(rectangle, fill_lower, field, "", None)
        while (block := blocks.next()) is not None:
            yield self._with_balanced(block, field, weights, divisive)

    def _rectangle(self, region: Region, region2: Region) -> Rectangle:
        rows = self.extent(region)
        return (*rows, *(rows if region2 is None else self.extent(region2)))

    def _weight_name(self, balance: Balance) -> str:
        if balance is False:
            return ""
        name = "weight" if balance is True else balance
        self._check_name(name, self.bin_columns, "bins")
        return name

    def _factors(self, weights: str, divisive: bool | None) -> npt.NDArray[np.float64]:
        """What a count is multiplied by for each of its bins."""
        divides = weights in _DIVISIVE if divisive is None else divisive
        factors = self._all_weights(weights)
        with np.errstate(divide="ignore"):
            return 1 / factors if divides else factors

    def _dense(
        self, rectangle: Rectangle, field: str, weights: str, divisive: bool | None
    ) -> Array:
        first, end, first2, end2 = rectangle
        rows, columns, values = self._map.fetch(rectangle, True, field, weights, divisive)
        matrix = np.zeros((end - first, end2 - first2), dtype=values.dtype)
        matrix[rows - first, columns - first2] = values
        if weights:
            factors = self._factors(weights, divisive)
            matrix[np.isnan(factors[first:end]), :] = np.nan
            matrix[:, np.isnan(factors[first2:end2])] = np.nan
        return matrix

    def _pixel_table(
        self,
        rectangle: Rectangle,
        fill_lower: bool,
        field: str,
        weights: str,
        divisive: bool | None,
    ) -> dict[str, Array]:
        pixels = self._map.fetch(rectangle, fill_lower, field, "", None)
        return self._with_balanced(pixels, field, weights, divisive)

    def _with_balanced(
        self,
        pixels: tuple[Array, Array, Array],
        field: str,
        weights: str,
        divisive: bool | None,
    ) -> dict[str, Array]:
        rows, columns, values = pixels
        table = {"bin1_id": rows, "bin2_id": columns, field: values}
        if weights:
            factors = self._factors(weights, divisive)
            table["balanced"] = factors[rows] * factors[columns] * values
        return table

    def _frame(self, table: dict[str, Array], join: bool) -> pd.DataFrame:
        import pandas

        frame = pandas.DataFrame(table)
        if not join:
            return frame
        bins = self.bins(columns=(), as_="pandas")
        sides = [
            bins.take(frame.pop(f"bin{side}_id").to_numpy())
            .add_suffix(str(side))
            .reset_index(drop=True)
            for side in (1, 2)
        ]
        return pandas.concat([*sides, frame], axis=1)


def _check_choice(option: str, word: str, words: tuple[str, ...]) -> None:
    if word not in words:
        raise UsageError(f"{option}: '{word}' is not among: {', '.join(words)}")


def open(cool_uri: PathLike) -> ContactMap:
    """Opens a map, FILE or FILE::GROUP, for reading.

    A child process keeps the file open until the map is closed or forgotten, so that a damaged
    file cannot harm this process.
    """
    return ContactMap(cool_uri)
