#include "report/line_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/plot_plane.hpp"
#include "report/scale.hpp"
#include "report/words.hpp"

namespace ziggurat::report {

namespace {

std::optional<PlotPlane> plane_of(const MapReport& report) {
  PlotPlane plane;
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

// Distance to the power of -1, through the middle of the finest level's points.
std::string guide(const PlotPlane& plane, const std::vector<DecayPoint>& points) {
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

std::string decay_lines(const MapReport& report, const PlotPlane& plane) {
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
    const LineLook look{share, 1.6 + 6.4 * share};
    if (!path.empty()) out += level_line(look, path, name);
    out += legend_row(plane, i, look, name);
  }
  return out;
}

}  // namespace

std::string decay_figure(const MapReport& report) {
  const auto plane = plane_of(report);
  if (!plane) return "";
  std::string out = fmt::format(
      R"(<svg class="plot" id="decay" viewBox="0 0 770 {:.0f}" role="img" tabindex="0" )"
      R"(aria-label="Contacts for each square megabase of the map against distance, both axes logarithmic, a line a level. The table below holds the numbers." )"
      R"(data-plane="{}">)",
      plane_height(*plane, report.levels.size()), plane_data(*plane));
  out += plane_grid(*plane, bp_text, tick_text);
  const double trans = report.levels.front().trans_density;
  if (trans > 0) {
    const double y = plane->y(trans);
    out += fmt::format(
        R"(<path class="guide" d="M{:.1f} {:.1f}h{:.1f}"/><text class="note" x="{:.1f}" y="{:.1f}">between chromosomes</text>)",
        plane->left, y, plane->width, plane->left + 8, y - 6);
  }
  out += guide(*plane, report.levels.front().decay);
  out += decay_lines(report, *plane);
  return out + plane_labels(*plane, "Distance along the chromosome") +
         R"(<circle class="spot" r="0"/></svg>)";
}

}  // namespace ziggurat::report
