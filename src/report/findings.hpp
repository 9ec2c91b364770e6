// What the numbers of a report mean: sound, or worth a look, and why.
// Thread rules: a free function of its arguments.
#pragma once

#include <vector>

#include "ziggurat/report.hpp"

namespace ziggurat::report {

// Those to look at first, then what is good, then facts.
[[nodiscard]] std::vector<Finding> findings_of(const MapReport& report);

}  // namespace ziggurat::report
