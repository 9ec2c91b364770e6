"""Contact maps in memory, seeded example data, and exact coarsening to compare with.

The expected pixels are worked out here with Python integers and numpy from the definition alone:
bins are pooled by position within their chromosome, pixels that share a pair of pooled bins are
added up. Nothing of a tool under test is used, and no sum can overflow.
"""

from dataclasses import dataclass, field, replace

import numpy as np

INT64_MAX = 2**63 - 1


@dataclass
class Map:
    names: list
    lengths: np.ndarray
    chrom: np.ndarray
    start: np.ndarray
    end: np.ndarray
    bin1: np.ndarray
    bin2: np.ndarray
    columns: dict  # pixel values by name; "count" is the usual one
    bin_size: int | None = None  # None: bins of varying width
    square: bool = False
    bin_columns: dict = field(default_factory=dict)
    attrs: dict = field(default_factory=dict)

    @property
    def nbins(self):
        return len(self.chrom)

    @property
    def nnz(self):
        return len(self.bin1)

    @property
    def count(self):
        return self.columns["count"]

    def chrom_offset(self):
        return np.searchsorted(self.chrom, np.arange(len(self.names) + 1))

    def bin1_offset(self):
        return np.searchsorted(self.bin1, np.arange(self.nbins + 1))

    def said_bin_size(self):
        """What files say of it: nothing where bins differ, but for the last of a chromosome."""
        inner = np.diff(self.chrom, append=-1) == 0
        even = bool(((self.end - self.start)[inner] == self.bin_size).all())
        return self.bin_size if even else None

    def with_columns(self, **columns):
        return replace(self, columns={**self.columns, **columns})

    def take(self, which):
        """The same map with the pixels `which` (a mask, or positions in the order wanted)."""
        return replace(
            self,
            bin1=self.bin1[which],
            bin2=self.bin2[which],
            columns={k: v[which] for k, v in self.columns.items()},
        )

    def sorted(self):
        ahead = np.diff(self.bin1)
        if np.all((ahead > 0) | ((ahead == 0) & (np.diff(self.bin2) >= 0))):
            return self
        return self.take(np.lexsort((self.bin2, self.bin1)))


def fixed_bins(lengths, size):
    """(chrom, start, end) of bins of one size; the last of a chromosome may be shorter."""
    chrom, start, end = [], [], []
    for i, length in enumerate(lengths):
        s = np.arange(0, length, size, dtype=np.int64)
        chrom.append(np.full(len(s), i, dtype=np.int64))
        start.append(s)
        end.append(np.minimum(s + size, length))
    return np.concatenate(chrom), np.concatenate(start), np.concatenate(end)


def make_map(chroms, bin_size, pixels=None, bins=None, **more):
    """A map over `chroms` = {name: length}. `pixels` = (bin1, bin2, count) in any order."""
    lengths = np.array(list(chroms.values()), dtype=np.int64)
    chrom, start, end = bins if bins is not None else fixed_bins(lengths, bin_size)
    bin1, bin2, count = pixels if pixels is not None else ([], [], np.array([], dtype=np.int32))
    return Map(
        list(chroms),
        lengths,
        np.asarray(chrom),
        np.asarray(start),
        np.asarray(end),
        np.asarray(bin1, dtype=np.int64),
        np.asarray(bin2, dtype=np.int64),
        {"count": np.asarray(count)},
        bin_size,
        **more,
    ).sorted()


def decaying_pixels(rng, chrom, scale=60.0, trans=1.0):
    """Upper-triangle pixels whose mean falls with distance, as real maps do."""
    i, j = np.triu_indices(len(chrom))
    chrom = np.asarray(chrom)
    mean = np.where(chrom[i] == chrom[j], scale / (1.0 + j - i), trans)
    count = rng.poisson(mean)
    kept = count > 0
    return i[kept], j[kept], count[kept].astype(np.int32)


EXAMPLE_CHROMS = {"chr1": 61_500, "chr2": 25_000, "chrM": 900, "chrX": 33_333}


def example_map(seed=1, chroms=None, bin_size=1000, scale=60.0, trans=1.0, **more):
    chroms = chroms or EXAMPLE_CHROMS
    bins = fixed_bins(list(chroms.values()), bin_size)
    pixels = decaying_pixels(np.random.default_rng(seed), bins[0], scale, trans)
    return make_map(chroms, bin_size, pixels, bins, **more)


def without_bins(m, dropped):
    """The map with gaps where these bins were; their pixels go, too."""
    kept = np.setdiff1d(np.arange(m.nbins), dropped)
    new_id = np.full(m.nbins, -1)
    new_id[kept] = np.arange(len(kept))
    left = m.take((new_id[m.bin1] >= 0) & (new_id[m.bin2] >= 0))
    return replace(
        left,
        chrom=m.chrom[kept],
        start=m.start[kept],
        end=m.end[kept],
        bin1=new_id[left.bin1],
        bin2=new_id[left.bin2],
    )


def square_map(seed=2):
    """A map in square storage whose triangles differ."""
    upper = example_map(seed)
    rng = np.random.default_rng(seed)
    i = rng.integers(0, upper.nbins, 3000)
    j = rng.integers(0, upper.nbins, 3000)
    key = np.unique(i * upper.nbins + j)
    count = rng.integers(1, 40, len(key)).astype(np.int32)
    return replace(
        upper,
        bin1=key // upper.nbins,
        bin2=key % upper.nbins,
        columns={"count": count},
        square=True,
    )


def variable_map(seed=3, chroms=None):
    """Bins of varying width, as restriction fragments have."""
    chroms = chroms or {"ctgA": 8_000, "ctgB": 5_500, "ctgC": 300}
    rng = np.random.default_rng(seed)
    chrom, start, end = [], [], []
    for i, length in enumerate(chroms.values()):
        cuts = np.unique(np.r_[0, rng.integers(40, length, max(1, length // 260)), length])
        chrom += [i] * (len(cuts) - 1)
        start += cuts[:-1].tolist()
        end += cuts[1:].tolist()
    return make_map(chroms, None, decaying_pixels(rng, chrom), (chrom, start, end))


def dense_map(chroms, bin_size, seed, low, high, dtype):
    """Every pixel of the upper triangle stored, with counts from low to high."""
    bins = fixed_bins(list(chroms.values()), bin_size)
    i, j = np.triu_indices(len(bins[0]))
    count = np.random.default_rng(seed).integers(low, high, len(i)).astype(dtype)
    return make_map(chroms, bin_size, (i, j, count), bins)


def pooled_bins(source, factor):
    """Pool `factor` consecutive bins of each chromosome: (new id by bin, chrom, start, end).

    A group that is not full, the last of its chromosome, ends where the chromosome does.
    """
    position = np.arange(source.nbins) - source.chrom_offset()[source.chrom]
    opens = position % factor == 0
    first = np.flatnonzero(opens)
    last = np.r_[first[1:], source.nbins][: len(first)] - 1
    chrom = source.chrom[first]
    full = last - first == factor - 1
    end = np.where(full, source.end[last], np.asarray(source.lengths)[chrom])
    return np.cumsum(opens) - 1, chrom, source.start[first], end


def exact_sums(values, group, ngroups):
    """Sums by group: Python integers for integer values, float64 for the others."""
    if values.dtype.kind == "f":
        return np.bincount(group, weights=values.astype(np.float64), minlength=ngroups)
    if values.astype(object).sum() <= INT64_MAX and (not len(values) or values.min() >= 0):
        sums = np.zeros(ngroups, dtype=np.int64)
        np.add.at(sums, group, values.astype(np.int64))
        return sums.astype(object)
    sums = np.zeros(ngroups, dtype=object)
    np.add.at(sums, group, values.astype(object))
    return sums


def coarsened(source, factor, fold=False):
    """The exact map `factor` times as coarse. `fold` mirrors lower-triangle pixels up first."""
    new_id, chrom, start, end = pooled_bins(source, factor)
    a, b = new_id[source.bin1], new_id[source.bin2]
    if fold:
        a, b = np.minimum(a, b), np.maximum(a, b)
    pair, group = np.unique(a * len(chrom) + b, return_inverse=True)
    columns = {k: exact_sums(v, group, len(pair)) for k, v in source.columns.items()}
    return Map(
        source.names,
        source.lengths,
        chrom,
        start,
        end,
        pair // max(len(chrom), 1),
        pair % max(len(chrom), 1),
        columns,
        source.bin_size and source.bin_size * factor,
        source.square,
    )


def stored_dtype(source_dtype, sums):
    """What a column of sums must be stored as: the source's type, or the next wider that holds all.

    Wider types keep the source's signedness; the narrowest that is wide enough is wanted.
    """
    dtype = np.dtype(source_dtype).newbyteorder("=")
    if dtype.kind == "f" or not len(sums):
        return dtype
    low, high = min(map(int, sums)), max(map(int, sums))
    for size in (1, 2, 4, 8):
        candidate = np.dtype(f"{dtype.kind}{size}")
        info = np.iinfo(candidate)
        if size >= dtype.itemsize and info.min <= low and high <= info.max:
            return candidate
    raise ValueError("the sums fit no 64-bit type")
