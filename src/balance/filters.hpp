// Which bins are left out of balancing, and by which rule.
// Thread rules: free functions; work is spread over the calling TBB arena, results do not depend
// on its size.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "balance/pixel_store.hpp"

namespace ziggurat::balance {

enum class MaskRule : std::uint8_t { none, min_nnz, min_count, mad_max, blacklist };
constexpr std::size_t kMaskRules = 5;

struct FilterOptions {
  std::int64_t min_nnz = 10;    // bins with fewer non-zero pixels go; 0 or less: off
  double min_count = 0;         // bins with a smaller sum go; 0: off
  double mad_max = 5;           // bins this many deviations below the median go; 0 or less: off
  std::vector<bool> blacklist;  // one entry a bin, or empty
};

struct BinMask {
  std::vector<MaskRule> rule;  // of each bin: the first rule that left it out
  std::vector<bool> masked;    // rule != none

  // Bins left out by each rule, indexed by MaskRule; [none] counts the bins that are kept.
  [[nodiscard]] std::array<std::int64_t, kMaskRules> counts() const;
};

// The rules, applied to the marginals of the store as it was built (so before drop()): with
// contacts cis these leave out pixels between chromosomes, with trans nothing is left out yet.
// A pixel on the diagonal counts twice in its bin.
[[nodiscard]] BinMask filter_bins(const PixelStore& store, const FilterOptions& options);

// The same rules, of marginals that were summed elsewhere, a bin each: the number of pixels that
// are not 0, and the counts. Requires: equal lengths; offsets as StoreLayout has them.
[[nodiscard]] BinMask filter_marginals(std::span<const double> nonzero,
                                       std::span<const double> counts,
                                       const std::vector<std::int64_t>& chrom_offsets,
                                       const FilterOptions& options);

}  // namespace ziggurat::balance
