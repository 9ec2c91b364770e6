// Coverage along the genome, and below it a lane a level: where bins have no weight, and by which
// rule. A column of a lane has the colour of the rule that most of its bins broke, and is the
// denser the more they are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/line_figures.hpp"
#include "report/scale.hpp"
#include "report/words.hpp"

namespace ziggurat::report {

namespace {

constexpr int kShadesOfLane = 4;

using Shares = std::array<std::vector<double>, kLeftOutBy>;

// What a column of a lane is drawn as; shade 0: not at all.
struct LaneMark {
  std::size_t rule = 0;
  int shade = 0;

  bool operator==(const LaneMark&) const = default;
};

LaneMark mark_of(const Shares& shares, std::size_t column) {
  LaneMark mark;
  double total = 0;
  double most = 0;
  for (std::size_t rule = 0; rule < shares.size(); ++rule) {
    const double share = shares.at(rule)[column];
    total += share;
    if (share > most) {
      most = share;
      mark.rule = rule;
    }
  }
  // Sums of shares may miss a whole by a rounding.
  constexpr double kNothing = 1e-9;
  mark.shade = static_cast<int>(std::ceil(std::min(total, 1.0) * kShadesOfLane - kNothing));
  return mark;
}

std::string lane_path(const std::vector<LaneMark>& marks, LaneMark wanted, double left, double each,
                      double y, double height) {
  std::string path;
  for (std::size_t i = 0; i < marks.size();) {
    std::size_t end = i + 1;
    while (end < marks.size() && marks[end] == marks[i]) ++end;
    if (marks[i] == wanted) {
      path += fmt::format(
          "M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", left + each * static_cast<double>(i), y,
          each * static_cast<double>(end - i), height, each * static_cast<double>(end - i));
    }
    i = end;
  }
  return path;
}

// Runs of columns that look the same as one rectangle each, in one path for each look.
std::string lane(const Shares& shares, double left, double each, double y, double height) {
  std::vector<LaneMark> marks;
  for (std::size_t i = 0; i < shares.front().size(); ++i) marks.push_back(mark_of(shares, i));
  std::string out;
  for (std::size_t rule = 0; rule < kLeftOutBy; ++rule) {
    for (int shade = 1; shade <= kShadesOfLane; ++shade) {
      const std::string path = lane_path(marks, {rule, shade}, left, each, y, height);
      if (path.empty()) continue;
      out += fmt::format(R"(<path class="masked rule-{}" style="--shade:{:.2f}" d="{}"/>)", rule,
                         static_cast<double>(shade) / kShadesOfLane, path);
    }
  }
  return out;
}

// Names of the rules that left something out, with their colours.
std::string lane_legend(const GenomeTrack& track, double left, double y) {
  const auto occurs = [&](std::size_t rule) {
    return std::any_of(track.masked.begin(), track.masked.end(), [&](const Shares& shares) {
      const std::vector<double>& row = shares.at(rule);
      return std::any_of(row.begin(), row.end(), [](double share) { return share > 0; });
    });
  };
  constexpr double kFontWidth = 5.9;
  std::string out = fmt::format(
      R"(<text class="note" x="{:.1f}" y="{:.1f}">Bins left out of balancing</text>)", left, y);
  double x = left + 176;
  for (std::size_t rule = 0; rule < kLeftOutBy; ++rule) {
    if (!occurs(rule)) continue;
    const std::string name = rule_text(static_cast<LeftOutBy>(rule));
    out += fmt::format(
        R"(<rect class="masked rule-{}" style="--shade:1" x="{:.1f}" y="{:.1f}" width="11" height="11"/>)"
        R"(<text class="label" x="{:.1f}" y="{:.1f}">{}</text>)",
        rule, x, y - 10, x + 16, y, name);
    x += 40 + kFontWidth * static_cast<double>(name.size());
  }
  return out;
}

struct TrackLayout {
  double left = 64;
  double width = 926;
  double top = 14;
  double height = 130;
  double row = 11;
  double gap = 38;
};

std::string coverage_area(const GenomeTrack& track, const TrackLayout& at, double most) {
  const double each = at.width / static_cast<double>(track.coverage.size());
  const double floor = at.top + at.height;
  std::string out;
  double free_from = 0;
  for (std::size_t i = 0; i < track.spans.size(); ++i) {
    const PictureSpan& span = track.spans[i];
    const double x = at.left + each * static_cast<double>(span.first_cell);
    const double width = each * static_cast<double>(span.n_cells);
    std::string path = fmt::format("M{:.1f} {:.1f}", x, floor);
    for (std::int64_t k = 0; k < span.n_cells; ++k) {
      const double value = track.coverage[static_cast<std::size_t>(span.first_cell + k)];
      path += fmt::format("V{:.1f}h{:.2f}", floor - at.height * std::min(1.0, value / most), each);
    }
    out += fmt::format(R"(<path class="area {}" d="{}V{:.1f}z"/>)", i % 2 == 0 ? "even" : "odd",
                       path, floor);
    const std::string name =
        span.name.starts_with("chr") && span.name.size() > 3 ? span.name.substr(3) : span.name;
    const double half = 3.4 * static_cast<double>(name.size());
    const double middle = x + width / 2;
    if (middle - half < free_from) continue;
    free_from = middle + half + 4;
    out += fmt::format(R"(<text class="tick" text-anchor="middle" x="{:.1f}" y="{:.1f}">{}</text>)",
                       middle, floor + 16, escaped(name));
  }
  return out;
}

}  // namespace

std::string track_figure(const MapReport& report) {
  const TrackLayout at;
  const GenomeTrack& track = report.track;
  std::vector<double> sorted = track.coverage;
  std::sort(sorted.begin(), sorted.end());
  // A short chromosome of many copies, as that of mitochondria, must not flatten all others.
  constexpr double kCut = 0.98;
  constexpr double kRoom = 1.3;
  const double high =
      sorted[static_cast<std::size_t>(kCut * static_cast<double>(sorted.size() - 1))];
  const double most = high > 0 ? kRoom * high : 1;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < track.masked.size(); ++i) {
    if (!track.masked[i].front().empty()) rows.push_back(i);
  }
  const double floor = at.top + at.height;
  const double bottom =
      floor + at.gap + (rows.empty() ? 0 : 18 + (at.row + 3) * static_cast<double>(rows.size()));
  std::string out = fmt::format(
      R"(<svg class="plot" id="track" viewBox="0 0 1000 {:.0f}" role="img" tabindex="0" )"
      R"(aria-label="Contacts for each megabase along the genome, and below, level by level, where bins have no weight." )"
      R"(data-box="{} {} {} {:.1f}">)",
      bottom, at.left, at.top, at.width, bottom - at.top);
  for (const double tick : linear_ticks(0, most, 4)) {
    const double y = floor - at.height * tick / most;
    out += fmt::format(
        R"(<path class="grid" d="M{:.1f} {:.1f}h{:.1f}"/><text class="tick" text-anchor="end" x="{:.1f}" y="{:.1f}">{}</text>)",
        at.left, y, at.width, at.left - 7, y + 4, short_text(tick));
  }
  out += coverage_area(track, at, most);
  if (sorted.back() > most) {
    out += fmt::format(
        R"(<text class="note" text-anchor="end" x="{:.1f}" y="{:.1f}">what is higher is cut off, up to {}</text>)",
        at.left + at.width, at.top + 2, short_text(sorted.back()));
  }
  const double each = at.width / static_cast<double>(track.coverage.size());
  double y = floor + at.gap + 14;
  if (!rows.empty()) out += lane_legend(track, at.left, y - 8);
  for (const std::size_t i : rows) {
    out += fmt::format(
        R"(<text class="tick" text-anchor="end" x="{:.1f}" y="{:.1f}">{}</text><rect class="lane" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
        at.left - 7, y + at.row - 2, resolution_text(report.levels[i].bin_size), at.left, y,
        at.width, at.row);
    out += lane(track.masked[i], at.left, each, y, at.row);
    y += at.row + 3;
  }
  return out + R"(<path class="cursor-line"/></svg>)";
}

}  // namespace ziggurat::report
