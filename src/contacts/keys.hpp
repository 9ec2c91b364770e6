// A pixel as one 64-bit number that sorts as the pixels of a map do.
//
//     | row | column | spare |
//
// Row and column take as many bits as the number of bins needs. Where contacts are counted, the
// spare bits hold how many there are, less one: so a table of counts is an array of plain numbers,
// and is sorted as such. Counts that do not fit take several records of one pixel. A key is never
// all ones, which marks the end of a run.
// Thread rules: a value.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace ziggurat::contacts {

class KeyLayout {
 public:
  // Requires: 0 <= n_bins <= genome::kMaxBins.
  explicit KeyLayout(std::int64_t n_bins)
      : bits_(static_cast<int>(
            std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(n_bins - 1, 1))))) {}

  [[nodiscard]] std::uint64_t key(std::uint32_t row, std::uint32_t column) const {
    return ((std::uint64_t{row} << bits_) | column) << spare_bits();
  }
  [[nodiscard]] std::uint32_t row(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key >> (spare_bits() + bits_));
  }
  [[nodiscard]] std::uint32_t column(std::uint64_t key) const {
    return static_cast<std::uint32_t>(pixel(key) & ((std::uint64_t{1} << bits_) - 1));
  }

  // The same for all keys of one pixel.
  [[nodiscard]] std::uint64_t pixel(std::uint64_t key) const { return key >> spare_bits(); }
  // 0 where there are too many bins for it.
  [[nodiscard]] int spare_bits() const { return 64 - 2 * bits_; }

  [[nodiscard]] std::uint64_t count(std::uint64_t key) const {
    return 1 + (key & ((std::uint64_t{1} << spare_bits()) - 1));
  }
  // The most that one record holds.
  [[nodiscard]] std::uint64_t most() const {
    return std::max<std::uint64_t>(1, (std::uint64_t{1} << spare_bits()) - 1);
  }

 private:
  int bits_;
};

}  // namespace ziggurat::contacts
