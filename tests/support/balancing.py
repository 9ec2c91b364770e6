"""What balanced weights must be: which bins are masked, and that the other rows sum to one.

Both follow from the documented filters and from what balancing is for, so weights are judged
without a second implementation of the iteration.
"""

import numpy as np


def _marginals(m, values):
    return np.bincount(m.bin1, values, m.nbins) + np.bincount(m.bin2, values, m.nbins)


def masked_bins(m, *, cis=False, ignore_diags=2, mad_max=5, min_nnz=10, min_count=0, blacklist=()):
    """Mask of the bins that the filters leave out, by the defaults of the command line."""
    values = m.count.astype(np.float64)
    if cis:
        values[m.chrom[m.bin1] != m.chrom[m.bin2]] = 0
    values[np.abs(m.bin2 - m.bin1) < ignore_diags] = 0
    marginal = _marginals(m, values)
    masked = _marginals(m, (values != 0).astype(np.float64)) < min_nnz
    if min_count:
        masked |= marginal < min_count
    if mad_max > 0:
        masked |= _outliers(m, marginal, mad_max)
    masked[list(blacklist)] = True
    return masked


def _outliers(m, marginal, mad_max):
    """Bins more than mad_max median deviations below the median, after scaling by chromosome."""
    scaled = np.zeros(m.nbins)
    for c in range(len(m.names)):
        inside = m.chrom == c
        positive = marginal[inside & (marginal > 0)]
        if len(positive):
            scaled[inside] = marginal[inside] / np.median(positive)
    logs = np.log(scaled[scaled > 0])
    if not len(logs):
        return np.zeros(m.nbins, dtype=bool)
    middle = np.median(logs)
    return scaled < np.exp(middle - mad_max * np.median(np.abs(logs - middle)))


def _dense(m, ignore_diags):
    # A pixel on the diagonal counts twice in its row, as everywhere in this field.
    matrix = np.zeros((m.nbins, m.nbins))
    kept = np.abs(m.bin2 - m.bin1) >= ignore_diags
    values = m.count[kept].astype(np.float64)
    np.add.at(matrix, (m.bin1[kept], m.bin2[kept]), values)
    np.add.at(matrix, (m.bin2[kept], m.bin1[kept]), values)
    return matrix


def row_sums(m, weights, mode="all", ignore_diags=2):
    """Sums of the balanced rows; "cis" within chromosomes, "trans" between them."""
    x = np.nan_to_num(weights)
    matrix = _dense(m, ignore_diags)
    same = m.chrom[:, None] == m.chrom[None, :]
    if mode == "cis":
        matrix = np.where(same, matrix, 0)
    elif mode == "trans":
        sizes = np.bincount(m.chrom, minlength=len(m.names))
        x = x / (1.0 - sizes[m.chrom] / m.nbins)
        matrix = np.where(same, 0, matrix)
    return x * (matrix @ x)


def check_balanced(m, weights, masked, *, mode="all", ignore_diags=2, tolerance=1e-3):
    """Masked bins are NaN and no others; every other balanced row sums to one."""
    weights = np.asarray(weights, dtype=np.float64)
    assert len(weights) == m.nbins
    assert not np.isinf(weights).any()
    assert np.array_equal(np.isnan(weights), masked), "masked bins"
    kept = ~masked
    assert (weights[kept] > 0).all()
    sums = row_sums(m, weights, mode, ignore_diags)[kept]
    assert np.abs(sums - 1).max(initial=0) < tolerance, "balanced rows do not sum to one"
