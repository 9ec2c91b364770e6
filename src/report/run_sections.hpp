// Parts of the page that tell of runs: how balancing went, and where time went.
// Thread rules: free functions of their arguments.
#pragma once

#include <string>

#include "ziggurat/report.hpp"

namespace ziggurat::report {

// Empty for a map without weights.
[[nodiscard]] std::string balancing_section(const MapReport& report);
[[nodiscard]] std::string time_section(const MapReport& report);

}  // namespace ziggurat::report
