#!/usr/bin/env python3
"""Write the inputs of the vectors: tiny seeded maps, and BED files, into inputs/.

Each map is there for one trait; the comment at its line says which. Needs numpy and h5py only.
"""

import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from support.coolfile import write_map  # noqa: E402  (needs the path above)
from support.maps import fixed_bins, make_map  # noqa: E402

INPUTS = HERE / "inputs"

BED_FILES = {
    "mask1.bed": "chr1\t5000\t7500\n",
    "mask2.bed": "chr1\t5000\t7500\nchr2\t0\t1\n",
    "mask_header.bed": "chrom\tstart\tend\nchr1\t5000\t7500\nchr3\t1000\t1000\nchr3\t1500\t1500\n",
}


def put(
    name,
    chroms,
    bin_size,
    pixels,
    *,
    bins=None,
    columns=None,
    assembly="vec1",
    metadata=None,
    attrs=None,
    **how,
):
    m = make_map(chroms, bin_size, pixels, bins)
    if columns:
        order = np.lexsort((pixels[1], pixels[0]))
        m = m.with_columns(**{k: np.asarray(v)[order] for k, v in columns.items()})
    described = {
        "genome-assembly": assembly,
        "metadata": json.dumps(metadata or {}),
        "creation-date": "2020-02-02T02:02:02.020202",
        "generated-by": "make_vectors",
    }
    how.setdefault("bin_columns", {})
    m.bin_columns = how.pop("bin_columns")
    m.square = how.pop("square", False)
    write_map(INPUTS / f"{name}.cool", m, attrs={**described, **(attrs or {})}, **how)


def sampled_pairs(rng, nbins, draws, square=False):
    i = rng.integers(0, nbins, draws)
    j = rng.integers(0, nbins, draws)
    if not square:
        i, j = np.minimum(i, j), np.maximum(i, j)
    key = np.unique(i * nbins + j)
    return key // nbins, key % nbins


def sampled(name, seed, chroms, bin_size, draws, low, high, dtype=np.int32, **how):
    """A sparse map: `draws` random pairs with counts from low to high."""
    rng = np.random.default_rng(seed)
    nbins = len(fixed_bins(chroms.values(), bin_size)[0])
    i, j = sampled_pairs(rng, nbins, draws, how.get("square", False))
    put(name, chroms, bin_size, (i, j, rng.integers(low, high, len(i)).astype(dtype)), **how)


def full(name, rng, chroms, bin_size, low, high, dtype):
    """Every pixel of the upper triangle."""
    i, j = np.triu_indices(len(fixed_bins(chroms.values(), bin_size)[0]))
    put(name, chroms, bin_size, (i, j, rng.integers(low, high, len(i)).astype(dtype)))


def realistic(rng, sizes, depth, trans, dead=()):
    """Poisson counts with distance decay, biased bins and dead bins."""
    nbins = sum(sizes)
    chrom = np.repeat(np.arange(len(sizes)), sizes)
    bias = rng.lognormal(0, 0.35, nbins)
    bias[list(dead)] *= 0.002
    i, j = np.triu_indices(nbins)
    mean = np.where(chrom[i] == chrom[j], depth / (j - i + 1.0), trans) * bias[i] * bias[j]
    count = rng.poisson(mean)
    kept = count > 0
    return i[kept], j[kept], count[kept].astype(np.int32)


def variable_bins():
    rng = np.random.default_rng(103)
    chroms, bins = {}, []
    for c, (name, nbins) in enumerate([("c1", 43), ("c2", 21), ("c3", 1), ("c4", 8)]):
        end = np.cumsum(rng.integers(5, 900, nbins))
        chroms[name] = int(end[-1])
        bins += [(c, int(s), int(e)) for s, e in zip(np.r_[0, end[:-1]], end)]
    i, j = np.triu_indices(len(bins))
    kept = rng.random(len(i)) < 0.55
    count = rng.integers(1, 30, kept.sum()).astype(np.int32)
    put("varbins", chroms, None, (i[kept], j[kept], count), bins=np.array(bins).T)


def float_counts():
    chroms = {"c1": 640, "c2": 333}
    for name, dtype, seed in (("floatcount", np.float64, 104), ("float32count", np.float32, 105)):
        rng = np.random.default_rng(seed)
        i, j = sampled_pairs(rng, 195, 5000)
        put(name, chroms, 5, (i, j, rng.lognormal(0, 3, len(i)).astype(dtype)))
    rng = np.random.default_rng(106)
    i, j = sampled_pairs(rng, 195, 1500)
    count = rng.random(len(i))
    count[rng.random(len(i)) < 0.2] = np.nan
    put("floatnan", chroms, 5, (i, j, count))


def extra_columns():
    rng = np.random.default_rng(107)
    i, j = sampled_pairs(rng, 178, 2000)
    count = rng.integers(1, 50, len(i)).astype(np.int32)
    columns = {
        "x": rng.random(len(i)).astype(np.float32),
        "k": rng.integers(0, 9, len(i)).astype(np.int16),
    }
    put(
        "extracol",
        {"c1": 1050, "c2": 700, "c3": 30},
        10,
        (i, j, count),
        columns=columns,
        bin_columns={"gc": rng.random(178)},
    )


def small_chromosomes():
    rng = np.random.default_rng(108)
    chroms = {f"s{k:03d}": int(rng.integers(3, 75)) for k in range(150)}
    i, j = sampled_pairs(rng, len(fixed_bins(chroms.values(), 25)[0]), 4000)
    put("tinychroms", chroms, 25, (i, j, rng.integers(1, 20, len(i)).astype(np.int32)))

    rng = np.random.default_rng(109)
    i, j = np.triu_indices(114)
    kept = rng.random(len(i)) < 0.35
    count = rng.integers(1, 9, kept.sum()).astype(np.int32)
    put("shortchrom", {"big": 1000, "tiny": 7, "mid": 130}, 10, (i[kept], j[kept], count))


def sparse_or_empty():
    chroms = {"c1": 100, "c2": 70, "c3": 30}
    put("empty", chroms, 10, ([], [], np.array([], np.int32)))
    put("onepixel", chroms, 10, ([3], [12], np.array([7], np.int32)))

    rng = np.random.default_rng(110)
    i, j = sampled_pairs(rng, 160, 3000)
    loud = ~(((i >= 80) & (i < 110)) | ((j >= 80) & (j < 110)))
    count = rng.integers(1, 30, loud.sum()).astype(np.int32)
    put("silentchrom", {"c1": 800, "quiet": 300, "c3": 500}, 10, (i[loud], j[loud], count))


def large_integers():
    rng = np.random.default_rng(111)
    chroms = {"c1": 240, "c2": 100}
    full("int32over", rng, chroms, 10, 2**28, 2**30, np.int32)
    full("int64count", rng, chroms, 10, 2**33, 2**41, np.int64)
    full("uint16count", rng, chroms, 10, 0, 40000, np.uint16)


def for_balancing():
    sizes = [70, 50, 36, 20, 9, 2]
    rng = np.random.default_rng(113)
    chroms = {f"chr{k + 1}": s * 1000 - int(rng.integers(0, 999)) for k, s in enumerate(sizes)}
    pixels = realistic(rng, sizes, 900.0, 1.1, dead=(0, 1, 33, 34, 71, 119, 150, 185))
    put("hic", chroms, 1000, pixels, assembly="hgvec")

    rng = np.random.default_rng(114)  # a weight column that no tool would compute
    pixels = realistic(rng, [40, 24], 300.0, 2.0)
    weight = rng.random(64)
    weight[[3, 50]] = np.nan
    put(
        "preweighted",
        {"chr1": 40000, "chr2": 23500},
        1000,
        pixels,
        bin_columns={"weight": weight},
        column_attrs={
            "bins/weight": {
                "tol": 1e-5,
                "min_nnz": np.int64(10),
                "scale": 123.5,
                "converged": True,
                "note": "by hand",
            }
        },
    )

    rng = np.random.default_rng(115)  # every bin meets one partner only: the iteration oscillates
    put(
        "isolated",
        {"c1": 400},
        10,
        (np.arange(20), np.arange(20, 40), rng.integers(1, 90, 20).astype(np.int32)),
    )

    rng = np.random.default_rng(120)  # over 8192 bins, where block-wise sums of marginals show
    nbins = 9500
    i = np.repeat(np.arange(nbins - 40), 2)
    key = np.unique(i * nbins + i + rng.integers(2, 40, len(i)))
    count = rng.integers(20, 30, len(key)).astype(np.int32)
    put("manybins", {"L1": 70000, "L2": 25000}, 10, (key // nbins, key % nbins, count))


def zeros_and_duplicates():
    chroms = {"c1": 300, "c2": 200}
    rng = np.random.default_rng(116)
    i, j = np.triu_indices(50)
    count = rng.integers(0, 3, len(i)).astype(np.int32)
    count[(i == 7) | (j == 7)] = 0
    put("zeros", chroms, 10, (i, j, count))

    i, j = sampled_pairs(rng, 50, 900)
    twice = rng.random(len(i)) < 0.1
    count = rng.integers(1, 9, len(i) + twice.sum()).astype(np.int32)
    put("duppix", chroms, 10, (np.r_[i, i[twice]], np.r_[j, j[twice]], count))


def old_style():
    """Schema 2: byte strings, no storage-mode, no sum; chromosomes not in name order."""
    attrs = {
        "bin-type": np.bytes_("fixed"),
        "genome-assembly": np.bytes_("vec1"),
        "creation-date": np.bytes_("2020-02-02T02:02:02.020202"),
        "generated-by": np.bytes_("make_vectors"),
        "format-version": np.int64(2),
    }
    sampled(
        "oldstyle",
        119,
        {"II": 520, "I": 700},
        10,
        1200,
        1,
        9,
        attrs=attrs,
        drop_attrs=("storage-mode", "sum", "format-url"),
    )


def main():
    INPUTS.mkdir(exist_ok=True)
    sampled(
        "symm",
        101,
        {"chr1": 10550, "chr2": 7000, "chrM": 300, "chrX": 4210},
        100,
        4000,
        1,
        60,
        assembly="toyA",
        metadata={"lab": "x", "n": [1, 2]},
    )
    sampled("square", 102, {"a": 1000, "b": 455}, 20, 2500, 1, 40, square=True)
    variable_bins()
    float_counts()
    extra_columns()
    small_chromosomes()
    sparse_or_empty()
    large_integers()
    sampled("primes", 112, {"p1": 10007, "p2": 7919, "p3": 1009, "p4": 101}, 30, 5000, 1, 100)
    for_balancing()
    zeros_and_duplicates()
    sampled("wide", 117, {"c1": 9000, "c2": 3000}, 10, 600, 1, 5)
    sampled(
        "manycontigs",
        118,
        {f"contig{k:09d}": 15 + k % 20 for k in range(3400)},
        20,
        1500,
        1,
        5,
        enum=False,
    )
    old_style()
    for name, content in BED_FILES.items():
        (INPUTS / name).write_text(content)


if __name__ == "__main__":
    main()
