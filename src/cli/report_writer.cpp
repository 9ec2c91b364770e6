#include "cli/report_writer.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "cli/text_output.hpp"

namespace ziggurat::cli {

void write_report(const ReportRequest& request, const ReportOutputs& outputs, Console& console) {
  const std::string file = request.source.substr(0, request.source.find("::"));
  const std::string out = outputs.page.empty()
                              ? std::filesystem::path(file).replace_extension(".html").string()
                              : outputs.page;
  // Fails on a bad name before the map is read.
  TextOutput page(out, file);
  std::optional<TextOutput> multiqc;
  if (!outputs.multiqc.empty()) multiqc.emplace(outputs.multiqc, file);
  const MapReport report = measure_map(request, console);
  page.text() = report_page(report, request.colours);
  page.finish();
  if (multiqc) {
    multiqc->text() = multiqc_content(report);
    multiqc->finish();
  }
  console.settle();
  for (const Finding& finding : report.findings) {
    if (finding.kind == FindingKind::look) {
      console.note(fmt::format("look here: {}. {}", finding.title, finding.text));
    }
  }
}

}  // namespace ziggurat::cli
