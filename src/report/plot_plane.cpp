#include "report/plot_plane.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/scale.hpp"

namespace ziggurat::report {

namespace {

constexpr double kLegendTop = 26;
constexpr double kLegendRow = 20;
constexpr double kLegendGap = 22;

}  // namespace

std::string plane_grid(const PlotPlane& plane, const TickText& x_text, const TickText& y_text) {
  constexpr int kLinearTicks = 8;
  std::string out;
  for (const double tick : plane.x_is_log ? log_ticks(plane.x_low, plane.x_high)
                                          : linear_ticks(plane.x_low, plane.x_high, kLinearTicks)) {
    const double x = plane.x(tick);
    out += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}v{:.1f}"/>)", x, plane.top,
                       plane.height);
    out += fmt::format(R"(<text class="tick" text-anchor="middle" x="{:.1f}" y="{:.1f}">{}</text>)",
                       x, plane.top + plane.height + 17, x_text(tick));
  }
  // Of many powers of ten every second or third.
  constexpr double kLeastApart = 19;
  double last = plane.top + plane.height + kLeastApart;
  for (const double tick : log_ticks(plane.y_low, plane.y_high)) {
    const double y = plane.y(tick);
    if (last - y < kLeastApart) continue;
    last = y;
    out += fmt::format(R"(<path class="grid" d="M{:.1f} {:.1f}h{:.1f}"/>)", plane.left, y,
                       plane.width);
    out += fmt::format(R"(<text class="tick" text-anchor="end" x="{:.1f}" y="{:.1f}">{}</text>)",
                       plane.left - 7, y + 4, y_text(tick));
  }
  return out;
}

std::string plane_data(const PlotPlane& plane) {
  return fmt::format("{} {} {} {} {} {} {} {} {}", plane.left, plane.top, plane.width, plane.height,
                     plane.x_low, plane.x_high, plane.y_low, plane.y_high,
                     plane.x_is_log ? "log" : "linear");
}

std::string level_line(const LineLook& look, const std::string& path, const std::string& title) {
  return fmt::format(
      R"(<path class="decay" style="--share:{:.3f};stroke-width:{:.2f}" d="{}"><title>{}</title></path>)",
      look.share, look.breadth, path, title);
}

std::string legend_row(const PlotPlane& plane, std::size_t row, const LineLook& look,
                       const std::string& text) {
  const double y = plane.top + kLegendTop + kLegendRow * static_cast<double>(row);
  const double x = plane.left + plane.width + kLegendGap;
  return fmt::format(
      R"(<path class="decay" style="--share:{:.3f};stroke-width:{:.2f}" d="M{:.1f} {:.1f}h20"/>)"
      R"(<text class="label" x="{:.1f}" y="{:.1f}">{}</text>)",
      look.share, look.breadth, x, y, x + 30, y + 4, text);
}

std::string plane_labels(const PlotPlane& plane, const std::string& x_label) {
  return fmt::format(R"(<text class="label" x="{:.1f}" y="{:.1f}">Bins of</text>)"
                     R"(<text class="label" text-anchor="middle" x="{:.1f}" y="{:.1f}">{}</text>)",
                     plane.left + plane.width + kLegendGap, plane.top + 8,
                     plane.left + plane.width / 2, plane.top + plane.height + 40, x_label);
}

double plane_height(const PlotPlane& plane, std::size_t n_rows) {
  return std::max(plane.top + plane.height + 50,
                  kLegendTop + kLegendRow * (static_cast<double>(n_rows) + 1));
}

}  // namespace ziggurat::report
