// The page of a map and what goes with it, under their names when they are complete: for `report`,
// and for the option --report of commands that make or balance maps.
// Thread rules: one thread at a time.
#pragma once

#include <string>

#include "cli/console.hpp"
#include "ziggurat/report.hpp"

namespace ziggurat::cli {

struct ReportOutputs {
  std::string page = {};     // empty: named as the source, with the suffix .html
  std::string multiqc = {};  // empty: none
};

// What is found wrong with the map is said in notes. Throws Error.
void write_report(const ReportRequest& request, const ReportOutputs& outputs, Console& console);

}  // namespace ziggurat::cli
