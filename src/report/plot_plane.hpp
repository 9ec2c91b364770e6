// The plane that lines are drawn on: from values to places in a figure, and its grid.
// Thread rules: values.
#pragma once

#include <cmath>
#include <functional>
#include <string>

namespace ziggurat::report {

// In units of the figure. Values grow to the right and upwards; those of a logarithmic axis are
// positive.
struct PlotPlane {
  double left = 64;
  double top = 12;
  double width = 560;
  double height = 372;
  double x_low = 0;
  double x_high = 0;
  double y_low = 0;
  double y_high = 0;
  bool x_is_log = true;  // the other axis always is

  [[nodiscard]] double x(double value) const {
    const double share = x_is_log ? std::log(value / x_low) / std::log(x_high / x_low)
                                  : (value - x_low) / (x_high - x_low);
    return left + width * share;
  }
  [[nodiscard]] double y(double value) const {
    return top + height - height * std::log(value / y_low) / std::log(y_high / y_low);
  }
};

using TickText = std::function<std::string(double)>;

// Lines and numbers of both axes.
[[nodiscard]] std::string plane_grid(const PlotPlane& plane, const TickText& x_text,
                                     const TickText& y_text);

// What the page's script needs to know of it: the value of the attribute data-plane.
[[nodiscard]] std::string plane_data(const PlotPlane& plane);

// The line of a level: 0 for the finest, 1 for the coarsest, which has a colour and a breadth by
// it.
struct LineLook {
  double share = 0;
  double breadth = 1;
};
[[nodiscard]] std::string level_line(const LineLook& look, const std::string& path,
                                     const std::string& title);

// A row of the legend to the right of the plane, the first being 0.
[[nodiscard]] std::string legend_row(const PlotPlane& plane, std::size_t row, const LineLook& look,
                                     const std::string& text);
// The heading of the legend, and what the horizontal axis shows.
[[nodiscard]] std::string plane_labels(const PlotPlane& plane, const std::string& x_label);
// Of a figure with so many rows in its legend.
[[nodiscard]] double plane_height(const PlotPlane& plane, std::size_t n_rows);

}  // namespace ziggurat::report
