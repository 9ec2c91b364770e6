#include "report/page_numbers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "report/words.hpp"

namespace ziggurat::report {

namespace {

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

std::string level_text(const LevelNumbers& level) {
  std::vector<std::string> points;
  for (const DecayPoint& point : level.decay) {
    points.push_back(fmt::format("[{},{},{}]", point.distance, point.density, point.contacts));
  }
  return fmt::format(
      R"({{"name":{},"group":{},"bins":{},"pixels":{},"contacts":{},"cis":{},"decay":[{}]}})",
      quoted(resolution_text(level.bin_size)), quoted(level.group), level.n_bins, level.n_pixels,
      level.contacts, level.cis, fmt::join(points, ","));
}

std::string track_text(const GenomeTrack& track) {
  std::vector<std::string> spans;
  for (const PictureSpan& span : track.spans) {
    spans.push_back(fmt::format("[{},{},{},{}]", quoted(span.name), span.first_cell, span.n_cells,
                                span.length));
  }
  std::vector<std::string> rows;
  for (const auto& shares : track.masked) {
    std::vector<std::string> cells;
    for (const double share : shares) cells.push_back(fmt::format("{:.2g}", share));
    rows.push_back(fmt::format("[{}]", fmt::join(cells, ",")));
  }
  std::vector<std::string> coverage;
  for (const double value : track.coverage) coverage.push_back(fmt::format("{:.6g}", value));
  return fmt::format(R"({{"spans":[{}],"coverage":[{}],"masked":[{}]}})", fmt::join(spans, ","),
                     fmt::join(coverage, ","), fmt::join(rows, ","));
}

}  // namespace

std::string page_numbers(const MapReport& report, const Palette& palette) {
  std::vector<std::string> levels;
  for (const LevelNumbers& level : report.levels) levels.push_back(level_text(level));
  std::vector<int> colours;
  for (const Rgb colour : palette) {
    colours.push_back(colour.red << 16 | colour.green << 8 | colour.blue);
  }
  return fmt::format(R"({{"levels":[{}],"track":{},"palette":[{}]}})", fmt::join(levels, ","),
                     track_text(report.track), fmt::join(colours, ","));
}

}  // namespace ziggurat::report
