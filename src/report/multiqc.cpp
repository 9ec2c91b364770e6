// The numbers of a report as MultiQC's custom content: each map leaves one file, and MultiQC makes
// one table of all files with the same id.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/page_numbers.hpp"
#include "report/shown.hpp"
#include "ziggurat/report.hpp"

namespace ziggurat {

namespace {

// NOLINTNEXTLINE(google-build-using-namespace): a public function stands above its layer's names
using namespace report;

struct Column {
  const char* key;
  const char* title;
  const char* description;
  const char* more;  // members of the heading besides
};

constexpr Column kColumns[] = {
    {"look", "Look here", "Findings that the report says to look at; 0 is sound",
     R"("min":0,"format":"{:,.0f}","scale":"Reds")"},
    {"contacts", "Contacts", "Sum of the counts", R"("min":0,"format":"{:,.0f}","scale":"Blues")"},
    {"within", "Within", "Contacts within chromosomes",
     R"("min":0,"max":100,"suffix":" %","format":"{:,.1f}","scale":"RdYlGn")"},
    {"power", "Power", "Power of the distance that contacts go with; near -1 is usual",
     R"("format":"{:,.2f}","scale":false)"},
    {"pixels", "Pixels", "Pixels of the finest level",
     R"("min":0,"format":"{:,.0f}","scale":"Greys","hidden":true)"},
    {"finest", "Finest", "Bin size of the finest level",
     R"("suffix":" bp","format":"{:,.0f}","scale":false)"},
    {"good_for", "Good for", "Finest bin size at which 80 % of the bins have 1,000 contacts",
     R"("suffix":" bp","format":"{:,.0f}","scale":false)"},
    {"levels", "Levels", "Levels of the map", R"("format":"{:,.0f}","scale":false)"},
    {"balanced", "Balanced", "Levels whose weights converged",
     R"("min":0,"format":"{:,.0f}","scale":false)"},
    {"left_out", "Left out", "Bins of the finest level that have no weight",
     R"("min":0,"max":100,"suffix":" %","format":"{:,.1f}","scale":"Oranges")"},
    {"evenness", "Evenness",
     "Standard deviation over mean of the balanced coverage at the finest level",
     R"("min":0,"suffix":" %","format":"{:,.2f}","scale":"Oranges","hidden":true)"},
};

class Row {
 public:
  void add(const char* key, double value) {
    if (std::isfinite(value)) members_.push_back(fmt::format(R"("{}": {})", key, value));
  }
  template <typename Value>
  void add(const char* key, const std::optional<Value>& value, double factor = 1) {
    if (value) add(key, factor * static_cast<double>(*value));
  }
  [[nodiscard]] std::string text() const { return fmt::format("{}", fmt::join(members_, ", ")); }

 private:
  std::vector<std::string> members_;
};

void add_weights(const MapReport& report, Row& row) {
  const auto converged = [&](const LevelNumbers& level) {
    const WeightNumbers* weights = weights_shown(report, level);
    return weights != nullptr && weights->converged.value_or(false);
  };
  row.add("balanced", static_cast<double>(
                          std::count_if(report.levels.begin(), report.levels.end(), converged)));
  const LevelNumbers& finest = report.levels.front();
  const WeightNumbers* weights = weights_shown(report, finest);
  if (weights == nullptr) return;
  if (finest.n_bins > 0) {
    row.add("left_out",
            100 * static_cast<double>(weights->n_masked) / static_cast<double>(finest.n_bins));
  }
  row.add("evenness", weights->spread, 100);
}

Row row_of(const MapReport& report) {
  const LevelNumbers& finest = report.levels.front();
  Row row;
  row.add("look", static_cast<double>(
                      std::count_if(report.findings.begin(), report.findings.end(),
                                    [](const Finding& f) { return f.kind == FindingKind::look; })));
  row.add("contacts", finest.contacts);
  if (finest.contacts > 0) row.add("within", 100 * finest.cis / finest.contacts);
  row.add("power", report.decay_slope);
  row.add("pixels", static_cast<double>(finest.n_pixels));
  row.add("finest", finest.bin_size);
  const auto well = std::find_if(report.levels.begin(), report.levels.end(), is_well_covered);
  if (well != report.levels.end()) row.add("good_for", well->bin_size);
  row.add("levels", static_cast<double>(report.levels.size()));
  add_weights(report, row);
  return row;
}

std::string sample_name(const MapReport& report) {
  const std::string name = report.file.substr(report.file.find_last_of('/') + 1);
  const std::size_t dot = name.find_last_of('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

}  // namespace

std::string multiqc_content(const MapReport& report) {
  std::vector<std::string> headings;
  for (const Column& column : kColumns) {
    headings.push_back(fmt::format(R"(    "{}": {{"title":{},"description":{},{}}})", column.key,
                                   quoted(column.title), quoted(column.description), column.more));
  }
  return fmt::format(R"({{
  "id": "ziggurat_report",
  "section_name": "Contact maps",
  "description": "What `ziggurat report` found in each map.",
  "plot_type": "table",
  "pconfig": {{"id": "ziggurat_report_table", "title": "Contact maps"}},
  "headers": {{
{}
  }},
  "data": {{{}: {{{}}}}}
}}
)",
                     fmt::join(headings, ",\n"), quoted(sample_name(report)),
                     row_of(report).text());
}

}  // namespace ziggurat
