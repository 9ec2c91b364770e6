"""A map that keeps a run busy for a moment: two million pixels, hard to compress."""

import numpy as np

from support.coolfile import write_map
from support.maps import make_map


def distinct_keys(rng, end, n):
    """About n random numbers below `end` in rising order: sorting or hashing them takes seconds."""
    key = np.cumsum(rng.integers(1, 2 * end // n, n))
    return key[key < end]


def write_large_map(path, n_pixels=2_000_000):
    rng = np.random.default_rng(97)
    nbins = 20_000
    key = distinct_keys(rng, nbins * nbins, n_pixels)
    i, j = key // nbins, key % nbins
    upper = i <= j
    count = rng.integers(1, 2**20, upper.sum()).astype(np.int32)
    m = make_map({"c1": 12_000_000, "c2": 8_000_000}, 1000, (i[upper], j[upper], count))
    return write_map(
        path, m, filters={"compression": "gzip", "compression_opts": 1, "chunks": 8192}
    )
