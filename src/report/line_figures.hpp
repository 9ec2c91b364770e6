// Figures made of lines, as SVG: contacts by distance, how balancing went, and coverage along the
// genome.
// Thread rules: free functions of their arguments.
#pragma once

#include <string>

#include "ziggurat/report.hpp"

namespace ziggurat::report {

// Empty when no level has a point.
[[nodiscard]] std::string decay_figure(const MapReport& report);
// Variance after each round of the column that is shown; empty when it is not known of any level.
[[nodiscard]] std::string variance_figure(const MapReport& report);
[[nodiscard]] std::string track_figure(const MapReport& report);

}  // namespace ziggurat::report
