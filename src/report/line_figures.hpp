// Figures made of lines, as SVG: contacts by distance, and coverage along the genome.
// Thread rules: free functions of their arguments.
#pragma once

#include <string>

#include "ziggurat/report.hpp"

namespace ziggurat::report {

// Empty when no level has a point.
[[nodiscard]] std::string decay_figure(const MapReport& report);
[[nodiscard]] std::string track_figure(const MapReport& report);

}  // namespace ziggurat::report
