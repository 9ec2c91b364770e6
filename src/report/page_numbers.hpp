// What the page's script needs to tell values under the pointer, as JSON.
// Thread rules: a free function of its arguments.
#pragma once

#include <string>
#include <string_view>

#include "report/palette.hpp"
#include "ziggurat/report.hpp"

namespace ziggurat::report {

// Safe within a script element: no "<" in it.
// As text of JSON that may also stand in a page: no < in it.
[[nodiscard]] std::string quoted(std::string_view text);

[[nodiscard]] std::string page_numbers(const MapReport& report, const Palette& palette);

}  // namespace ziggurat::report
