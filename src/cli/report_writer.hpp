// The page of a map, under its name when it is complete: for `report` and for `zoomify --report`.
// Thread rules: one thread at a time.
#pragma once

#include <string>

#include "cli/console.hpp"
#include "ziggurat/report.hpp"

namespace ziggurat::cli {

// `path`: empty: that of the source with the suffix .html. Throws Error.
void write_report(const ReportRequest& request, const std::string& path, Console& console);

}  // namespace ziggurat::cli
