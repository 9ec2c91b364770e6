// Whether levels that lie in one file can be those of one map, as far as their tables and
// attributes tell; pixels are not read.
// Thread rules: a free function of its arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/plan.hpp"

namespace ziggurat::engine {

// `resolutions`: what the levels are called, ascending, one for each. A level need not come from
// another that does not divide it, so only the others are compared. Throws Error{format} naming two
// levels that do not agree, or one whose bins have another width than its name says.
void require_levels_of_one_map(const std::vector<Source>& levels,
                               const std::vector<std::int64_t>& resolutions);

}  // namespace ziggurat::engine
