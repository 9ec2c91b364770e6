// What a build is, apart from how it is done: every fact that its output depends on, in lines
// "what: value". Two runs with the same lines make the same bytes, wherever their files lie and
// however many processes they use.
// Thread rules: free functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan.hpp"

namespace ziggurat::engine {

// source_crcs: CRC-32 of each source file.
[[nodiscard]] std::string job_text(const BuildPlan& plan,
                                   const std::vector<std::uint32_t>& source_crcs);

// The first line in which they differ, said as "compression level 6 there and 5 here"; empty when
// they do not.
[[nodiscard]] std::string first_difference(const std::string& there, const std::string& here);

}  // namespace ziggurat::engine
