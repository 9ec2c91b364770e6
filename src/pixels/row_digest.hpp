// A 64-bit fingerprint of one matrix row, made while its pixels stream by.
//
// `verify` compares a stored level with the one it should be, row by row, and keeps a digest a row
// instead of the pixels. What must hold:
// * the digest of a row does not depend on how the row was cut into pieces;
// * any change of a column, a value or the order of pixels changes it, short of a 2^-64 accident;
// * so does the number of pixels, since pixels of the value 0 count as pixels.
// It guards against faults, not against somebody who builds collisions on purpose.
//
// Method: a pixel and its position in the row are hashed together and the hashes are added up.
// The position makes order matter, it is known wherever a piece begins, and the additions do not
// wait for one another as a chained hash would (measured: 2 ns a pixel). Hashing one pixel is a
// bijection while its value is below 2^32, so a single changed pixel is always noticed.
//
// Values are taken as int64; for floating point the bits of the double, where -0.0 and 0.0 differ
// and all NaN are made one. Digests are compared within one run only: they are not stored.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/check.hpp"

namespace ziggurat::pixels {

class RowDigest {
 public:
  // Appends pixels to the row. Requires: as many values as columns.
  template <typename Value>
  void add(std::span<const std::uint32_t> columns, std::span<const Value> values) noexcept {
    ZIGGURAT_ASSERT(columns.size() == values.size());
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      sum += mix(word(columns[i], value_bits(values[i])) + (n_pixels_ + i) * kPositionStep);
    }
    sum_ += sum;
    n_pixels_ += columns.size();
  }

  // The digest of the pixels so far; a row without pixels has one too.
  [[nodiscard]] std::uint64_t value() const noexcept { return mix(sum_ + n_pixels_); }

 private:
  static constexpr std::uint64_t kPositionStep = 0x9e3779b97f4a7c15U;

  // Bijective: xor-shifts and odd multiplications can all be undone.
  static constexpr std::uint64_t mix(std::uint64_t bits) noexcept {
    bits ^= bits >> 32;
    bits *= 0x9fb21c651e98df25U;
    bits ^= bits >> 29;
    bits *= 0xd6e8feb86659fd93U;
    bits ^= bits >> 32;
    return bits;
  }

  // Column and low half of the value side by side; the high half, mostly zero, spread over both.
  static constexpr std::uint64_t word(std::uint32_t column, std::uint64_t value) noexcept {
    return ((value << 32) | column) ^ ((value >> 32) * 0xff51afd7ed558ccdU);
  }

  static std::uint64_t value_bits(std::int64_t value) noexcept {
    return static_cast<std::uint64_t>(value);
  }
  static std::uint64_t value_bits(std::int32_t value) noexcept {
    return value_bits(std::int64_t{value});
  }
  static std::uint64_t value_bits(double value) noexcept {
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<std::uint64_t>(value);
  }
  static std::uint64_t value_bits(float value) noexcept {
    return value_bits(static_cast<double>(value));
  }

  std::uint64_t sum_ = 0;
  std::uint64_t n_pixels_ = 0;
};

}  // namespace ziggurat::pixels
