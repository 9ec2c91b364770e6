// What a pass over a value column learns: extremes, total, zeros, negatives, and what is not
// finite.
//
// A level's `sum` attribute, its stored type and the warnings about odd counts come from here.
// Thread rules: values; tallies of parts made on several threads are merged in table order.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "pixels/kahan.hpp"

namespace ziggurat::pixels {

__extension__ typedef __int128 Int128;

// Of integers; everything exact.
struct IntegerTally {
  std::int64_t n = 0;
  std::int64_t n_zero = 0;
  std::int64_t n_negative = 0;
  std::int64_t min = std::numeric_limits<std::int64_t>::max();  // as it stands when n is 0
  std::int64_t max = std::numeric_limits<std::int64_t>::min();
  Int128 sum = 0;

  // For T = std::int32_t, std::uint32_t, std::int64_t.
  template <typename T>
  void add(std::span<const T> values);
  void merge(const IntegerTally& other);

  // sum as int64. Throws: Error{format} when it is beyond int64; the caller adds file and column.
  [[nodiscard]] std::int64_t checked_sum() const;
};

// Of floating point. NaN is counted and otherwise left out. The total is compensated, and each
// value's part in it depends on its place in the table alone, so it does not matter how the table
// is cut into spans for add(). merge() adds totals, and gives the same only for the same parts.
struct FloatTally {
  std::int64_t n = 0;
  std::int64_t n_zero = 0;
  std::int64_t n_negative = 0;  // -inf included
  std::int64_t n_not_finite = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  // Value i goes to lane i % 4: one compensated sum waits for itself, four overlap.
  std::array<KahanSum<double>, 4> lanes;

  // For T = float, double.
  template <typename T>
  void add(std::span<const T> values);
  void merge(const FloatTally& other);

  [[nodiscard]] double sum() const;
};

// Index of the first NaN or infinity; nothing when there is none. For T = float, double.
template <typename T>
[[nodiscard]] std::optional<std::int64_t> first_not_finite(std::span<const T> values);

}  // namespace ziggurat::pixels
