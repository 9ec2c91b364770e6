#include "balance/numpy_sums.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "pixels/numpy_sum.hpp"

namespace ziggurat::balance {
namespace {

using pixels::kNumpyBlock;

constexpr std::size_t kParallelBlocks = 8;  // below this, tasks cost more than they save

template <typename Term>
double blocked_sum(std::size_t n, const Term& term) {
  const std::size_t blocks = (n + kNumpyBlock - 1) / kNumpyBlock;
  std::vector<double> partial(blocks);
  const auto add_block = [&](std::size_t b) {
    partial[b] = pixels::numpy_block_sum<double>(b * kNumpyBlock,
                                                 std::min(kNumpyBlock, n - b * kNumpyBlock), term);
  };
  if (blocks < kParallelBlocks) {
    for (std::size_t b = 0; b < blocks; ++b) add_block(b);
  } else {
    tbb::parallel_for(std::size_t{0}, blocks, add_block);
  }
  double sum = 0;
  for (const double p : partial) sum += p;
  return sum;
}

}  // namespace

double numpy_mean(std::span<const double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  return blocked_sum(values.size(), [values](std::size_t i) { return values[i]; }) /
         static_cast<double>(values.size());
}

double numpy_variance(std::span<const double> values, double mean) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto square = [values, mean](std::size_t i) {
    const double deviation = values[i] - mean;
    return deviation * deviation;
  };
  return blocked_sum(values.size(), square) / static_cast<double>(values.size());
}

double blocked_dot(std::span<const double> a, std::span<const double> b) {
  return blocked_sum(a.size(), [a, b](std::size_t i) { return a[i] * b[i]; });
}

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace ziggurat::balance
