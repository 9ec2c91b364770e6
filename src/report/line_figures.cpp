#include "report/line_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/scale.hpp"
#include "report/words.hpp"

namespace ziggurat::report {

namespace {

// The plane of a figure with two logarithmic axes.
struct Plane {
  double left = 64;
  double top = 12;
  double width = 560;
  double height = 372;
  double x_low = 0;
  double x_high = 0;
  double y_low = 0;
  double y_high = 0;

  [[nodiscard]] double x(double value) const {
    return left + width * std::log(value / x_low) / std::log(x_high / x_low);
  }
  [[nodiscard]] double y(double value) const {
    return top + height - height * std::log(value / y_low) / std::log(y_high / y_low);
  }
};

std::optional<Plane> plane_of(const MapReport& report) {
  Plane plane;
  for (const LevelNumbers& level : report.levels) {
    for (const DecayPoint& point : level.decay) {
      if (plane.x_low == 0) {
        plane.x_low = plane.x_high = point.distance;
        plane.y_low = plane.y_high = point.density;
      }
      plane.x_low = std::min(plane.x_low, point.distance);
      plane.x_high = std::max(plane.x_high, point.distance);
      plane.y_low = std::min(plane.y_low, point.density);
      plane.y_high = std::max(plane.y_high, point.density);
    }
  }
  if (plane.x_low == 0) return std::nullopt;
  const double trans = report.levels.front().trans_density;
  if (trans > 0) plane.y_low = std::min(plane.y_low, trans);
  constexpr double kRoom = 1.4;
  plane.x_low /= kRoom;
  plane.x_high *= kRoom;
  plane.y_low /= kRoom;
  plane.y_high *= kRoom;
  return plane;
}

std::string plane_axes(const Plane& plane) {
  std::string out;
  for (const double tick : log_ticks(plane.x_low, plane.x_high)) {
    const double x = plane.x(tick);
    out += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}v{:.1f}"/>)", x, plane.top,
                       plane.height);
    out += fmt::format(R"(<text class="tick" text-anchor="middle" x="{:.1f}" y="{:.1f}">{}</text>)",
                       x, plane.top + plane.height + 17, bp_text(tick));
  }
  for (const double tick : log_ticks(plane.y_low, plane.y_high)) {
    const double y = plane.y(tick);
    out += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}h{:.1f}"/>)", plane.left, y,
                       plane.width);
    out += fmt::format(R"(<text class="tick" text-anchor="end" x="{:.1f}" y="{:.1f}">{}</text>)",
                       plane.left - 7, y + 4, tick_text(tick));
  }
  return out;
}

// Distance to the power of -1, through the middle of the finest level's points.
std::string guide(const Plane& plane, const std::vector<DecayPoint>& points) {
  if (points.size() < 2) return "";
  const DecayPoint& middle = points[points.size() / 2];
  constexpr double kLift = 2.2;
  const double product = middle.distance * middle.density * kLift;
  const double from = std::max(middle.distance / 6, product / plane.y_high);
  const double to = std::min(middle.distance * 6, plane.x_high);
  if (to <= from) return "";
  return fmt::format(
      R"(<path class="guide" d="M{:.1f} {:.1f}L{:.1f} {:.1f}"/><text class="note" x="{:.1f}" y="{:.1f}">distance⁻¹</text>)",
      plane.x(from), plane.y(product / from), plane.x(to), plane.y(product / to),
      plane.x(std::sqrt(from * to)) + 8, plane.y(product / std::sqrt(from * to)) - 4);
}

std::string decay_lines(const MapReport& report, const Plane& plane) {
  const double n = static_cast<double>(report.levels.size());
  std::string out;
  for (std::size_t i = report.levels.size(); i-- > 0;) {
    const LevelNumbers& level = report.levels[i];
    const double share = n > 1 ? static_cast<double>(i) / (n - 1) : 0;
    std::string path;
    for (const DecayPoint& point : level.decay) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", plane.x(point.distance),
                          plane.y(point.density));
    }
    const std::string name = resolution_text(level.bin_size);
    if (!path.empty()) {
      out += fmt::format(
          R"(<path class="decay" data-level="{}" style="--share:{:.3f};stroke-width:{:.2f}" d="{}"><title>{}</title></path>)",
          i, share, 1.6 + 6.4 * share, path, name);
    }
    const double y = plane.top + 26 + 20 * static_cast<double>(i);
    const double x = plane.left + plane.width + 22;
    out += fmt::format(
        R"(<path class="decay" style="--share:{:.3f};stroke-width:{:.2f}" d="M{:.1f} {:.1f}h20"/>)"
        R"(<text class="label" x="{:.1f}" y="{:.1f}">{}</text>)",
        share, 1.6 + 6.4 * share, x, y, x + 30, y + 4, name);
  }
  return out;
}

// Runs of columns of one shade as one rectangle each, in one path for each of four shades.
std::string masked_row(const std::vector<double>& shares, double left, double each, double y,
                       double height) {
  constexpr int kShadesOfRow = 4;
  std::string out;
  const auto shade_of = [&](std::size_t i) {
    return static_cast<int>(std::ceil(std::min(shares[i], 1.0) * kShadesOfRow));
  };
  for (int shade = 1; shade <= kShadesOfRow; ++shade) {
    std::string path;
    for (std::size_t i = 0; i < shares.size();) {
      std::size_t end = i + 1;
      while (end < shares.size() && shade_of(end) == shade_of(i)) ++end;
      if (shade_of(i) == shade) {
        path += fmt::format(
            "M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z", left + each * static_cast<double>(i), y,
            each * static_cast<double>(end - i), height, each * static_cast<double>(end - i));
      }
      i = end;
    }
    if (!path.empty()) {
      out += fmt::format(R"(<path class="masked" style="--shade:{:.2f}" d="{}"/>)",
                         static_cast<double>(shade) / kShadesOfRow, path);
    }
  }
  return out;
}

struct TrackLayout {
  double left = 64;
  double width = 926;
  double top = 10;
  double height = 130;
  double row = 11;
  double gap = 30;
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

std::string decay_figure(const MapReport& report) {
  const auto plane = plane_of(report);
  if (!plane) return "";
  const double rows = 26 + 20 * static_cast<double>(report.levels.size());
  std::string out = fmt::format(
      R"(<svg class="plot" id="decay" viewBox="0 0 770 {:.0f}" role="img" tabindex="0" )"
      R"(aria-label="Contacts for each square megabase of the map against distance, both axes logarithmic, a line a level. The table below holds the numbers." )"
      R"(data-plane="{} {} {} {} {} {} {} {}">)",
      std::max(434.0, rows + 20), plane->left, plane->top, plane->width, plane->height,
      plane->x_low, plane->x_high, plane->y_low, plane->y_high);
  out += plane_axes(*plane);
  const double trans = report.levels.front().trans_density;
  if (trans > 0) {
    const double y = plane->y(trans);
    out += fmt::format(
        R"(<path class="guide" d="M{:.1f} {:.1f}h{:.1f}"/><text class="note" x="{:.1f}" y="{:.1f}">between chromosomes</text>)",
        plane->left, y, plane->width, plane->left + 8, y - 6);
  }
  out += guide(*plane, report.levels.front().decay);
  out += decay_lines(report, *plane);
  out += fmt::format(
      R"(<text class="label" x="{:.1f}" y="{:.1f}">Bins of</text>)"
      R"(<text class="label" text-anchor="middle" x="{:.1f}" y="{:.1f}">Distance along the chromosome</text>)"
      R"(<circle class="spot" r="0"/></svg>)",
      plane->left + plane->width + 22, plane->top + 8, plane->left + plane->width / 2,
      plane->top + plane->height + 40);
  return out;
}

std::string track_figure(const MapReport& report) {
  const TrackLayout at;
  const GenomeTrack& track = report.track;
  std::vector<double> sorted = track.coverage;
  std::sort(sorted.begin(), sorted.end());
  constexpr double kCut = 0.995;
  const double high =
      sorted[static_cast<std::size_t>(kCut * static_cast<double>(sorted.size() - 1))];
  const double most = high > 0 ? 1.15 * high : 1;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < track.masked.size(); ++i) {
    if (!track.masked[i].empty()) rows.push_back(i);
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
  const double each = at.width / static_cast<double>(track.coverage.size());
  double y = floor + at.gap + 14;
  if (!rows.empty()) {
    out +=
        fmt::format(R"(<text class="note" x="{:.1f}" y="{:.1f}">Bins left out of balancing</text>)",
                    at.left, y - 6);
  }
  for (const std::size_t i : rows) {
    out += fmt::format(
        R"(<text class="tick" text-anchor="end" x="{:.1f}" y="{:.1f}">{}</text><rect class="lane" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>)",
        at.left - 7, y + at.row - 2, resolution_text(report.levels[i].bin_size), at.left, y,
        at.width, at.row);
    out += masked_row(track.masked[i], at.left, each, y, at.row);
    y += at.row + 3;
  }
  return out + R"(<path class="cursor-line"/></svg>)";
}

}  // namespace ziggurat::report
