// Which resolutions to make, and each from which: the --resolutions grammar and the ladder plan.
//
// A resolution is a bin size in bp; for a map with variable bins it is the number of base bins that
// a bin pools, and the base has resolution 1.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "genome/bins.hpp"

namespace ziggurat::genome {

// From where to where an open-ended list runs, both ends included.
struct LadderRange {
  std::int64_t current = 1;  // resolution of the base
  std::int64_t maximum = 0;  // coarser levels would be under one 256-pixel screen tile wide
};

// Fixed bins: from the bin size to ceil(genome / 256). Variable bins: from 1 to the multiplier at
// which a bin of mean width reaches that.
[[nodiscard]] LadderRange ladder_range(const BinTable& bins);

// The resolutions that a list names, in the order asked for, without repeats. Comma-separated,
// case-insensitive parts: an integer; N or B (1,2,5,10.. or 1,2,4,8.. times the base); 5000N or
// 5000B (the same from 5000); 4DN (1000, 2000, then 5000N). Ladders end at range.maximum, so one
// that starts above it is empty and the result may be too.
// Throws: Error{usage} naming the part that is empty, not in the grammar, or not positive.
[[nodiscard]] std::vector<std::int64_t> expand_resolutions(std::string_view text,
                                                           const LadderRange& range);

// One level of the output and where it comes from.
struct LevelPlan {
  std::int64_t resolution = 0;
  int predecessor = -1;     // index in the plan of the level it is made from; -1: it is a base
  std::int64_t factor = 1;  // resolution / resolution of the predecessor; 1 for a base
  int base = 0;             // index of the base that it is, or descends from

  friend bool operator==(const LevelPlan&, const LevelPlan&) = default;
};

// All requested and base resolutions, ascending. A level comes from the largest smaller level that
// divides it; a base is taken as it is, even when a finer level would divide it. So a predecessor
// always stands before its levels.
// Throws: Error{usage} for a resolution that no base divides, that is below 1, or for two bases of
// one resolution.
[[nodiscard]] std::vector<LevelPlan> plan_levels(std::span<const std::int64_t> requested,
                                                 std::span<const std::int64_t> base_resolutions);

// How many times the legacy layout halves a map of fixed bins until its longest level fits one
// tile: ceil(log2(ceil(total_length / (256 * bin_size)))), 0 for a map that already does.
// Requires: total_length >= 0, bin_size >= 1.
[[nodiscard]] int legacy_zoom_levels(std::int64_t total_length, std::int64_t bin_size);

}  // namespace ziggurat::genome
