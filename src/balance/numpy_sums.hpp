// Mean, variance and median as NumPy computes them, to the bit.
//
// Problem: the rounds of the correction divide by a mean and stop on a variance; weights that are
// to be compared with those of NumPy programs need its order of additions.
// Method: NumPy adds blocks of 8192 elements one after the other; within a block it halves
// (at multiples of 8) down to runs of at most 128, which eight interleaved sums add up.
// The order is also a good one: the error grows with the logarithm of a block's length.
// Thread rules: free functions; the work of all but median is spread over the calling TBB arena,
// block by block, and added in order.
#pragma once

#include <span>
#include <vector>

namespace ziggurat::balance {

// NaN for no values.
[[nodiscard]] double numpy_mean(std::span<const double> values);

// Population variance about mean; NaN for no values.
[[nodiscard]] double numpy_variance(std::span<const double> values, double mean);

// Sum of a[i] * b[i] in that order of additions. Requires: equal lengths.
[[nodiscard]] double blocked_dot(std::span<const double> a, std::span<const double> b);

// The middle value, or half the sum of the two middle ones; NaN for no values.
// Requires: no NaN among them.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace ziggurat::balance
