// The report of --perf as text.
#pragma once

#include <string>

#include "ziggurat/perf.hpp"

namespace ziggurat::cli {

// For people: lines, each ended. For programs: one JSON object in one line.
[[nodiscard]] std::string perf_table(const PerfReport& report);
[[nodiscard]] std::string perf_json(const PerfReport& report);

}  // namespace ziggurat::cli
