#include "balance/numpy_sums.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace ziggurat::balance {
namespace {

constexpr std::size_t kBlock = 8192;        // NumPy's buffer size in elements
constexpr std::size_t kRun = 128;           // longest run that is not halved
constexpr std::size_t kLanes = 8;           // interleaved sums within a run
constexpr std::size_t kParallelBlocks = 8;  // below this, tasks cost more than they save

template <typename Term>
double run_sum(std::size_t begin, std::size_t n, const Term& term) {
  if (n < kLanes) {
    double sum = -0.0;
    for (std::size_t i = 0; i < n; ++i) sum += term(begin + i);
    return sum;
  }
  std::array<double, kLanes> lane;
  for (std::size_t k = 0; k < kLanes; ++k) lane[k] = term(begin + k);
  std::size_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] += term(begin + i + k);
  }
  double sum =
      ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  for (; i < n; ++i) sum += term(begin + i);
  return sum;
}

template <typename Term>
double pairwise_sum(std::size_t begin, std::size_t n, const Term& term) {
  if (n <= kRun) return run_sum(begin, n, term);
  const std::size_t half = n / 2 / kLanes * kLanes;
  return pairwise_sum(begin, half, term) + pairwise_sum(begin + half, n - half, term);
}

template <typename Term>
double blocked_sum(std::size_t n, const Term& term) {
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  std::vector<double> partial(blocks);
  const auto add_block = [&](std::size_t b) {
    partial[b] = pairwise_sum(b * kBlock, std::min(kBlock, n - b * kBlock), term);
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

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace ziggurat::balance
