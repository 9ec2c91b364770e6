// Where on the axis of a map a contact's end lies: a chromosome by name, and the bin of a position.
// Thread rules: immutable once made; any number of threads may ask.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "genome/bins.hpp"

namespace ziggurat::contacts {

class Places {
 public:
  static constexpr std::int32_t kUnknown = -1;
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

  // Keeps a reference to `bins`. Of two chromosomes with one name the first is found.
  explicit Places(const genome::BinTable& bins);

  // The chromosome of that exact name, or kUnknown.
  [[nodiscard]] std::int32_t chromosome(std::string_view name) const;
  [[nodiscard]] std::int64_t length(std::int32_t chromosome) const {
    return lengths_[static_cast<std::size_t>(chromosome)];
  }
  [[nodiscard]] std::string_view name(std::int32_t chromosome) const {
    return bins_.chromosomes()[static_cast<std::size_t>(chromosome)].name;
  }

  // The bin that holds a position, counted from 0; kNowhere between bins. The position just past a
  // chromosome's end counts as its last.
  // Requires: a known chromosome; 0 <= position <= its length.
  [[nodiscard]] std::uint32_t bin(std::int32_t chromosome, std::int64_t position) const;

  [[nodiscard]] std::int64_t n_bins() const { return bins_.n_bins(); }

 private:
  [[nodiscard]] std::size_t slot_of(std::string_view name) const;
  [[nodiscard]] std::uint32_t listed_bin(std::int64_t first, std::int64_t end,
                                         std::int64_t position) const;

  const genome::BinTable& bins_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> offsets_;  // first bin of each chromosome, and the number of bins
  std::int64_t width_ = 0;             // of uniform bins; 0: they are listed
  std::vector<std::int32_t> slots_;    // open addressing; a power of two, at most half full
};

}  // namespace ziggurat::contacts
