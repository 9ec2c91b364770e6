#include "cli/report_writer.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/text_output.hpp"

namespace ziggurat::cli {

void write_report(const ReportRequest& request, const std::string& path, Console& console) {
  const std::string file = request.source.substr(0, request.source.find("::"));
  const std::string out =
      path.empty() ? std::filesystem::path(file).replace_extension(".html").string() : path;
  // Fails on a bad name before the map is read.
  TextOutput output(out);
  const MapReport report = measure_map(request, console);
  output.text() = report_page(report, request.colours);
  output.finish();
  console.settle();
  for (const Finding& finding : report.findings) {
    if (finding.kind == FindingKind::look) {
      console.note(fmt::format("look here: {}. {}", finding.title, finding.text));
    }
  }
}

}  // namespace ziggurat::cli
