#include "report/page_numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/shown.hpp"
#include "report/words.hpp"

namespace ziggurat::report {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '<' || code < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

namespace {

// Numbers that are none are null.
template <typename List>
std::string list_text(const List& list) {
  std::vector<std::string> texts;
  for (const auto& one : list) {
    texts.push_back(std::isfinite(static_cast<double>(one)) ? fmt::format("{}", one) : "null");
  }
  return fmt::format("[{}]", fmt::join(texts, ","));
}

std::string weights_text(const WeightNumbers* weights) {
  if (weights == nullptr) return "";
  std::string out = fmt::format(R"(,"masked":{})", weights->n_masked);
  if (weights->n_left_out) out += R"(,"left_out":)" + list_text(*weights->n_left_out);
  if (!weights->variances.empty()) out += R"(,"variances":)" + list_text(weights->variances);
  return out;
}

std::string level_text(const LevelNumbers& level, const WeightNumbers* weights) {
  std::vector<std::string> points;
  for (const DecayPoint& point : level.decay) {
    points.push_back(fmt::format("[{},{},{}]", point.distance, point.density, point.contacts));
  }
  return fmt::format(
      R"({{"name":{},"group":{},"bins":{},"pixels":{},"contacts":{},"cis":{},"decay":[{}]{}}})",
      quoted(resolution_text(level.bin_size)), quoted(level.group), level.n_bins, level.n_pixels,
      level.contacts, level.cis, fmt::join(points, ","), weights_text(weights));
}

std::string track_text(const GenomeTrack& track) {
  std::vector<std::string> spans;
  for (const PictureSpan& span : track.spans) {
    spans.push_back(fmt::format("[{},{},{},{}]", quoted(span.name), span.first_cell, span.n_cells,
                                span.length));
  }
  const auto row_text = [](const std::vector<double>& row) {
    if (std::all_of(row.begin(), row.end(), [](double share) { return share == 0; })) {
      return std::string("[]");
    }
    std::vector<std::string> cells;
    for (const double share : row) cells.push_back(fmt::format("{:.2g}", share));
    return fmt::format("[{}]", fmt::join(cells, ","));
  };
  std::vector<std::string> levels;
  for (const auto& by_rule : track.masked) {
    std::vector<std::string> rows;
    for (const std::vector<double>& row : by_rule) rows.push_back(row_text(row));
    levels.push_back(fmt::format("[{}]", fmt::join(rows, ",")));
  }
  std::vector<std::string> coverage;
  for (const double value : track.coverage) coverage.push_back(fmt::format("{:.6g}", value));
  return fmt::format(R"({{"spans":[{}],"coverage":[{}],"masked":[{}]}})", fmt::join(spans, ","),
                     fmt::join(coverage, ","), fmt::join(levels, ","));
}

}  // namespace

std::string page_numbers(const MapReport& report, const Palette& palette) {
  std::vector<std::string> levels;
  for (const LevelNumbers& level : report.levels) {
    levels.push_back(level_text(level, weights_shown(report, level)));
  }
  std::vector<int> colours;
  for (const Rgb colour : palette) {
    colours.push_back(colour.red << 16 | colour.green << 8 | colour.blue);
  }
  std::vector<std::string> rules;
  for (std::size_t rule = 0; rule < kLeftOutBy; ++rule) {
    rules.push_back(quoted(rule_text(static_cast<LeftOutBy>(rule))));
  }
  return fmt::format(R"({{"levels":[{}],"track":{},"palette":[{}],"rules":[{}]}})",
                     fmt::join(levels, ","), track_text(report.track), fmt::join(colours, ","),
                     fmt::join(rules, ","));
}

}  // namespace ziggurat::report
