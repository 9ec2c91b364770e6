// Cutting a run of segments into the chunks and stripes that a marginal pass works on.
#pragma once

#include <span>
#include <vector>

#include "balance/marginals.hpp"

namespace ziggurat::balance {

// Chunks in table order, each with as many stripes as suit the calling TBB arena. How many there
// are has no influence on any sum.
[[nodiscard]] std::vector<PassChunk> plan_chunks(std::span<const Segment> segments,
                                                 Borders borders);

}  // namespace ziggurat::balance
