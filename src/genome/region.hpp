// Regions of the genome as users write them, and the bins they touch.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "genome/bins.hpp"

namespace ziggurat::genome {

// [start, end) in bp on one chromosome, 0 <= start <= end <= its length.
struct Region {
  std::int64_t chromosome = 0;  // index in the chromosome table
  std::int64_t start = 0;
  std::int64_t end = 0;

  friend bool operator==(const Region&, const Region&) = default;
};

// Half-open range of bin ids.
struct BinRange {
  std::int64_t first = 0;
  std::int64_t end = 0;

  friend bool operator==(const BinRange&, const BinRange&) = default;
};

// `chr`, `chr:start-end` or `chr:start-` (to the end of the chromosome). Positions may have commas
// and a unit (1,500,000 or 1.5M or 1500kb: powers of 1000). Names may hold colons themselves: the
// longest known name that begins the text is taken.
// Throws: Error{usage} for an unknown name, a malformed range, or one out of the chromosome.
[[nodiscard]] Region parse_region(std::string_view text,
                                  const std::vector<Chromosome>& chromosomes);

// From the first bin that ends after region.start up to the first later one that starts at or
// after region.end. An empty region inside a bin touches that bin; on a border it touches none.
// What sticks out of the chromosome touches nothing.
[[nodiscard]] BinRange bins_touching(const BinTable& bins, const Region& region);

}  // namespace ziggurat::genome
