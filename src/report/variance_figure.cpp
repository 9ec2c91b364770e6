// How balancing went: the variance of the coverage after each round, a line a level, down to the
// tolerance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/line_figures.hpp"
#include "report/plot_plane.hpp"
#include "report/scale.hpp"
#include "report/shown.hpp"
#include "report/words.hpp"

namespace ziggurat::report {

namespace {

// See BalanceIteration::anderson.
constexpr double kAcceleratedShare = 0.01;

bool is_drawn(double variance) { return variance > 0 && std::isfinite(variance); }

std::optional<double> stops_at(const WeightNumbers& weights) {
  if (!weights.tolerance || !is_drawn(*weights.tolerance)) return std::nullopt;
  return *weights.tolerance * (weights.accelerated ? kAcceleratedShare : 1);
}

struct Curve {
  const WeightNumbers* weights = nullptr;
  LineLook look;
  std::string name;
};

// The finest level first, those left out of which nothing is known.
std::vector<Curve> curves_of(const MapReport& report) {
  const double n = static_cast<double>(report.levels.size());
  std::vector<Curve> curves;
  for (std::size_t i = 0; i < report.levels.size(); ++i) {
    const WeightNumbers* weights = weights_shown(report, report.levels[i]);
    if (weights == nullptr || weights->variances.empty()) continue;
    const double share = n > 1 ? static_cast<double>(i) / (n - 1) : 0;
    curves.push_back(
        {weights, {share, 1.6 + 2.4 * share}, resolution_text(report.levels[i].bin_size)});
  }
  return curves;
}

std::optional<PlotPlane> plane_of(const std::vector<Curve>& curves) {
  PlotPlane plane;
  plane.height = 280;
  plane.x_is_log = false;
  std::size_t n_rounds = 0;
  const auto include = [&](double variance) {
    if (!is_drawn(variance)) return;
    plane.y_low = plane.y_low == 0 ? variance : std::min(plane.y_low, variance);
    plane.y_high = std::max(plane.y_high, variance);
  };
  for (const Curve& curve : curves) {
    n_rounds = std::max(n_rounds, curve.weights->variances.size());
    for (const double variance : curve.weights->variances) include(variance);
    include(stops_at(*curve.weights).value_or(0));
  }
  if (plane.y_low == 0) return std::nullopt;
  constexpr double kRoom = 3;
  plane.x_low = 0;
  plane.x_high = static_cast<double>(n_rounds) + 1;
  plane.y_low /= kRoom;
  plane.y_high *= kRoom;
  return plane;
}

std::string curve_path(const PlotPlane& plane, const std::vector<double>& variances) {
  std::string path;
  for (std::size_t i = 0; i < variances.size(); ++i) {
    if (!is_drawn(variances[i])) continue;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L",
                        plane.x(static_cast<double>(i) + 1), plane.y(variances[i]));
  }
  // A single round is a point: the round ends of a line without length.
  return path.find('L') == std::string::npos && !path.empty() ? path + "h0" : path;
}

std::string tolerance_lines(const std::vector<Curve>& curves, const PlotPlane& plane) {
  std::vector<double> limits;
  std::string out;
  for (const Curve& curve : curves) {
    const std::optional<double> limit = stops_at(*curve.weights);
    if (!limit || std::find(limits.begin(), limits.end(), *limit) != limits.end()) continue;
    limits.push_back(*limit);
    const double y = plane.y(*limit);
    out += fmt::format(
        R"(<path class="guide" d="M{:.1f} {:.1f}h{:.1f}"/><text class="note" x="{:.1f}" y="{:.1f}">balanced below {}</text>)",
        plane.left, y, plane.width, plane.left + 8, y - 6, tick_text(*limit));
  }
  return out;
}

}  // namespace

std::string variance_figure(const MapReport& report) {
  const std::vector<Curve> curves = curves_of(report);
  const auto plane = plane_of(curves);
  if (!plane) return "";
  std::string out = fmt::format(
      R"(<svg class="plot" id="variance" viewBox="0 0 770 {:.0f}" role="img" tabindex="0" )"
      R"(aria-label="Variance of the balanced coverage after each round of balancing, on a logarithmic axis, a line a level. The table below holds the last." )"
      R"(data-plane="{}">)",
      plane_height(*plane, curves.size()), plane_data(*plane));
  out += plane_grid(*plane, short_text, tick_text);
  out += tolerance_lines(curves, *plane);
  for (std::size_t i = curves.size(); i-- > 0;) {
    const std::string path = curve_path(*plane, curves[i].weights->variances);
    if (!path.empty()) out += level_line(curves[i].look, path, curves[i].name);
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    out += legend_row(*plane, i, curves[i].look, curves[i].name);
  }
  return out + plane_labels(*plane, "Rounds of balancing") +
         R"(<circle class="spot" r="0"/></svg>)";
}

}  // namespace ziggurat::report
