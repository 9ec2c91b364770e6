// What the page's script needs to tell values under the pointer, as JSON.
// Thread rules: a free function of its arguments.
#pragma once

#include <string>

#include "report/palette.hpp"
#include "ziggurat/report.hpp"

namespace ziggurat::report {

// Safe within a script element: no "<" in it.
[[nodiscard]] std::string page_numbers(const MapReport& report, const Palette& palette);

}  // namespace ziggurat::report
