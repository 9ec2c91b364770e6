// Sums of integers are exact without 128-bit arithmetic in the loop. Read as unsigned, a value v is
// v + 2^64 [v < 0]; its 32-bit halves added up apart cannot overflow 64 bits within a stretch of
// 2^31 values. So the sum of a stretch is low + 2^32 high - 2^64 negatives, and the loop is shifts
// and additions that the compiler can vectorise. Values of 32 bits need no more than an int64. Cost
// (from cache): 0.45 ns a value for int32, 0.9 for int64.
#include "pixels/value_tally.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "base/check.hpp"

namespace ziggurat::pixels {
namespace {

// Long enough to forget the cost of a stretch, short enough to stay in the first-level cache for
// the several loops over it.
constexpr std::size_t kStretch = 2048;

template <typename T>
std::int64_t count_zeros(std::span<const T> values) {
  std::uint32_t zeros = 0;
  for (const T value : values) zeros += value == T(0) ? 1U : 0U;
  return zeros;
}

template <typename T>
std::int64_t count_negatives(std::span<const T> values) {
  std::uint32_t negatives = 0;
  for (const T value : values) negatives += value < T(0) ? 1U : 0U;
  return negatives;
}

template <typename T>
Int128 exact_sum(std::span<const T> values, std::int64_t) {
  std::int64_t sum = 0;
  for (const T value : values) sum += value;
  return sum;
}

template <>
Int128 exact_sum(std::span<const std::int64_t> values, std::int64_t negatives) {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  for (const std::int64_t value : values) {
    const std::uint64_t bits = static_cast<std::uint64_t>(value);
    low += bits & 0xffffffffU;
    high += bits >> 32;
  }
  return Int128{low} + (Int128{high} << 32) - (Int128{negatives} << 64);
}

template <typename T>
void add_stretch(IntegerTally& tally, std::span<const T> values) {
  T least = values[0];
  T greatest = values[0];
  for (const T value : values) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  const std::int64_t negatives = least < 0 ? count_negatives(values) : 0;
  tally.n += static_cast<std::int64_t>(values.size());
  if (least <= 0 && greatest >= 0) tally.n_zero += count_zeros(values);
  tally.n_negative += negatives;
  tally.min = std::min(tally.min, std::int64_t{least});
  tally.max = std::max(tally.max, std::int64_t{greatest});
  tally.sum += exact_sum(values, negatives);
}

// Its sign bit is set when value is NaN or infinite: all bits of the exponent are set then, and
// one more carries into the sign. Unlike a comparison, this is vectorised for doubles under SSE2.
template <typename T>
auto mark_not_finite(T value) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kExponent = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  constexpr Bits kUnit = std::bit_cast<Bits>(std::numeric_limits<T>::min());
  return (std::bit_cast<Bits>(value) & kExponent) + kUnit;
}

}  // namespace

template <typename T>
void IntegerTally::add(std::span<const T> values) {
  for (std::size_t begin = 0; begin < values.size(); begin += kStretch) {
    add_stretch(*this, values.subspan(begin, std::min(kStretch, values.size() - begin)));
  }
}

void IntegerTally::merge(const IntegerTally& other) {
  n += other.n;
  n_zero += other.n_zero;
  n_negative += other.n_negative;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  sum += other.sum;
}

std::int64_t IntegerTally::checked_sum() const {
  if (sum < std::numeric_limits<std::int64_t>::min() ||
      sum > std::numeric_limits<std::int64_t>::max()) {
    fail(ErrorCode::format, "the total of {} values is beyond a 64-bit integer", n);
  }
  return static_cast<std::int64_t>(sum);
}

template <typename T>
void FloatTally::add(std::span<const T> values) {
  for (const T stored : values) {
    KahanSum<double>& lane = lanes[static_cast<std::size_t>(n++) % lanes.size()];
    n_not_finite += std::isfinite(stored) ? 0 : 1;
    if (std::isnan(stored)) continue;
    const double value = static_cast<double>(stored);
    n_zero += value == 0.0 ? 1 : 0;
    n_negative += value < 0.0 ? 1 : 0;
    min = std::min(min, value);
    max = std::max(max, value);
    lane.add(value);
  }
}

void FloatTally::merge(const FloatTally& other) {
  n += other.n;
  n_zero += other.n_zero;
  n_negative += other.n_negative;
  n_not_finite += other.n_not_finite;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  lanes[0].add(other.sum());
}

double FloatTally::sum() const {
  KahanSum<double> total;
  for (const KahanSum<double>& lane : lanes) total.add(lane.sum);
  return total.sum;
}

template <typename T>
std::optional<std::int64_t> first_not_finite(std::span<const T> values) {
  for (std::size_t begin = 0; begin < values.size(); begin += kStretch) {
    const auto stretch = values.subspan(begin, std::min(kStretch, values.size() - begin));
    auto marks = mark_not_finite(T(0));
    for (const T value : stretch) marks |= mark_not_finite(value);
    if (std::countl_zero(marks) != 0) continue;
    const auto first = std::find_if_not(stretch.begin(), stretch.end(),
                                        [](T value) { return std::isfinite(value); });
    return static_cast<std::int64_t>(begin) + (first - stretch.begin());
  }
  return std::nullopt;
}

template void IntegerTally::add(std::span<const std::int32_t>);
template void IntegerTally::add(std::span<const std::uint32_t>);
template void IntegerTally::add(std::span<const std::int64_t>);
template void FloatTally::add(std::span<const float>);
template void FloatTally::add(std::span<const double>);
template std::optional<std::int64_t> first_not_finite(std::span<const float>);
template std::optional<std::int64_t> first_not_finite(std::span<const double>);

}  // namespace ziggurat::pixels
