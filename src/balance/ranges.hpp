// The bins that are balanced together: the whole map, or with contacts cis each chromosome.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "balance/marginals.hpp"
#include "balance/pixel_store.hpp"

namespace ziggurat::balance {

struct BinRange {
  std::int64_t chromosome = -1;  // -1 for the whole map
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::span<const Segment> segments;  // the store's, with all pixels of the range

  [[nodiscard]] std::int64_t size() const { return end - first; }
};

// In bin order. Segments are valid until the store changes.
[[nodiscard]] std::vector<BinRange> balanced_ranges(const PixelStore& store);

// Where cooler cuts the sums of a pass over one range.
[[nodiscard]] Borders borders_of(const StoreLayout& layout);

}  // namespace ziggurat::balance
