// A plot: the values of a region, as a scene with axes and a colour bar, in the format asked for.
#include "ziggurat/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "report/region_grid.hpp"
#include "report/scale.hpp"
#include "report/scene.hpp"
#include "report/terminal_picture.hpp"
#include "report/words.hpp"

namespace ziggurat {

namespace {

// NOLINTNEXTLINE(google-build-using-namespace): a public function stands above its layer's names
using namespace report;

constexpr std::int64_t kSmallest = 16;
constexpr std::int64_t kLargest = 8192;
constexpr Rgb kPaper{255, 255, 255};

ColourScale scale_for(const PlotRequest& request, const std::vector<float>& values) {
  ColourScale scale =
      request.is_oe ? scale_about_one(values, request.is_log) : scale_of(values, request.is_log);
  scale.low = request.low.value_or(scale.low);
  scale.high = request.high.value_or(scale.high);
  if (!(scale.high > scale.low) || (scale.is_log && scale.low <= 0)) {
    fail(ErrorCode::usage, "a scale from {} to {} is none{}", scale.low, scale.high,
         scale.is_log ? ": on a logarithmic one both are positive" : "");
  }
  return scale;
}

const Palette& palette_of(const PlotRequest& request) {
  if (!request.colours.empty()) return palette(request.colours);
  return palette(request.is_oe ? "coolwarm" : "fall");
}

class Plot {
 public:
  Plot(const PlotRequest& request, RegionGrid grid)
      : request_(request),
        grid_(std::move(grid)),
        palette_(palette_of(request)),
        scale_(scale_for(request, grid_.values)) {
    const double longest = static_cast<double>(std::max(grid_.rows.n_cells, grid_.columns.n_cells));
    each_ = static_cast<double>(request.side) / longest;
    width_ = std::round(each_ * static_cast<double>(grid_.columns.n_cells));
    height_ = request.is_triangle ? std::round(width_ / 2)
                                  : std::round(each_ * static_cast<double>(grid_.rows.n_cells));
    // Text keeps its share of large pictures.
    font_ = std::clamp(static_cast<double>(request.side) / 60, 11.0, 48.0);
    left_ = std::round(request.is_triangle ? font_ * 2 : font_ * 5);
    top_ = std::round(font_ * 2.6);
  }

  [[nodiscard]] SceneImage map() const {
    SceneImage image{left_, top_, width_, height_, grid_.columns.n_cells, grid_.rows.n_cells, {}};
    if (request_.is_triangle) {
      turn(image);
    } else {
      for (const float value : grid_.values) image.pixels.push_back(colour(value));
    }
    return image;
  }

  [[nodiscard]] Scene scene() const {
    Scene scene;
    scene.width = static_cast<std::int64_t>(left_ + width_ + font_ * 7);
    scene.height = static_cast<std::int64_t>(top_ + height_ + font_ * 2.6);
    scene.title = title();
    scene.images.push_back(map());
    scene.texts.push_back({left_, top_ - font_, Anchor::start, scene.title, font_});
    column_axis(scene);
    if (request_.is_triangle) {
      scene.lines.push_back({left_, top_ + height_, left_ + width_, top_ + height_});
    } else {
      row_axis(scene);
      frame(scene, left_, top_, width_, height_);
    }
    bar(scene);
    return scene;
  }

 private:
  [[nodiscard]] Rgb colour(float value) const {
    return palette_[scale_.shade(static_cast<double>(value))];
  }

  // The upper triangle turned by 45 degrees, its diagonal below: a pixel shows the cells whose
  // middle it is, as far apart as it is high.
  void turn(SceneImage& image) const {
    image.columns = static_cast<std::int64_t>(width_);
    image.rows = static_cast<std::int64_t>(height_);
    const std::int64_t n = grid_.rows.n_cells;
    for (std::int64_t y = 0; y < image.rows; ++y) {
      const double apart = (height_ - static_cast<double>(y) - 0.5) / each_;
      for (std::int64_t x = 0; x < image.columns; ++x) {
        const double middle = (static_cast<double>(x) + 0.5) / each_;
        const auto i = static_cast<std::int64_t>(std::floor(middle - apart));
        const auto j = static_cast<std::int64_t>(std::floor(middle + apart));
        const bool inside = i >= 0 && j < n;
        image.pixels.push_back(inside ? colour(grid_.values[static_cast<std::size_t>(i * n + j)])
                                      : kPaper);
      }
    }
  }

  [[nodiscard]] std::string title() const {
    const auto region = [](const GridAxis& axis) {
      return fmt::format("{}:{}-{}", axis.chromosome, whole_text(axis.start), whole_text(axis.end));
    };
    std::string text = region(grid_.rows);
    if (!request_.columns.empty()) text += " x " + region(grid_.columns);
    text += fmt::format("  {}", resolution_text(grid_.bin_size));
    if (grid_.bins_per_cell > 1) text += fmt::format(" x {}", grid_.bins_per_cell);
    text += request_.weights.empty() ? ", raw" : ", balanced by " + request_.weights;
    return request_.is_oe ? text + ", observed/expected" : text;
  }

  static double unit_of(const GridAxis& axis) {
    return axis.end >= 1e6 ? 1e6 : axis.end >= 1e3 ? 1e3 : 1;
  }

  static std::string position_text(double bp, const GridAxis& axis, double step) {
    const double unit = unit_of(axis);
    const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step / unit) - 1e-9)));
    return fmt::format("{:.{}f}", bp / unit, digits);
  }

  static const char* unit_name(const GridAxis& axis) {
    return unit_of(axis) > 1e5 ? "Mb" : unit_of(axis) > 1 ? "kb" : "bp";
  }

  static double step_of(const std::vector<double>& ticks) {
    return ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  }

  void column_axis(Scene& scene) const {
    const GridAxis& axis = grid_.columns;
    const auto ticks =
        linear_ticks(axis.start, axis.end, static_cast<int>(std::max(2.0, width_ / (font_ * 7))));
    const double floor = top_ + height_;
    double unit_from = left_ + width_;
    for (const double tick : ticks) {
      const double x = left_ + (tick - axis.start) / (axis.end - axis.start) * width_;
      scene.lines.push_back({x, floor, x, floor + font_ * 0.35});
      const std::string text = position_text(tick, axis, step_of(ticks));
      scene.texts.push_back({x, floor + font_ * 1.5, Anchor::middle, text, font_});
      unit_from = std::max(unit_from, x + font_ * 0.35 * static_cast<double>(text.size()));
    }
    scene.texts.push_back(
        {unit_from + font_ * 0.7, floor + font_ * 1.5, Anchor::start, unit_name(axis), font_});
  }

  void row_axis(Scene& scene) const {
    const GridAxis& axis = grid_.rows;
    const auto ticks =
        linear_ticks(axis.start, axis.end, static_cast<int>(std::max(2.0, height_ / (font_ * 7))));
    for (const double tick : ticks) {
      const double y = top_ + (tick - axis.start) / (axis.end - axis.start) * height_;
      scene.lines.push_back({left_ - font_ * 0.35, y, left_, y});
      scene.texts.push_back({left_ - font_ * 0.6, y + font_ * 0.35, Anchor::end,
                             position_text(tick, axis, step_of(ticks)), font_});
    }
  }

  static void frame(Scene& scene, double x, double y, double width, double height) {
    scene.lines.push_back({x, y, x + width, y});
    scene.lines.push_back({x, y + height, x + width, y + height});
    scene.lines.push_back({x, y, x, y + height});
    scene.lines.push_back({x + width, y, x + width, y + height});
  }

  void bar(Scene& scene) const {
    const double x = left_ + width_ + font_ * 1.3;
    const double width = std::round(font_ * 0.9);
    const double height = std::round(std::min(height_, std::max(height_ * 0.4, font_ * 10)));
    SceneImage image{x, top_, width, height, 1, kShades, {}};
    for (int i = kShades; i-- > 0;) image.pixels.push_back(palette_[static_cast<std::size_t>(i)]);
    scene.images.push_back(std::move(image));
    frame(scene, x, top_, width, height);
    double used = -font_;
    const auto ticks = scale_.is_log ? log_ticks(scale_.low, scale_.high)
                                     : linear_ticks(scale_.low, scale_.high, 5);
    for (const double tick : ticks) {
      const double place = scale_.place(tick) * height;
      if (place - used < font_ * 1.1) continue;
      used = place;
      const double y = top_ + height - place;
      scene.lines.push_back({x + width, y, x + width + font_ * 0.3, y});
      scene.texts.push_back({x + width + font_ * 0.55, y + font_ * 0.35, Anchor::start,
                             short_text(tick), font_ * 0.92});
    }
  }

  const PlotRequest& request_;
  RegionGrid grid_;
  const Palette& palette_;
  ColourScale scale_;
  double each_ = 1;  // pixels a cell
  double width_ = 0;
  double height_ = 0;
  double font_ = 12;
  double left_ = 0;
  double top_ = 0;
};

}  // namespace

std::string plot_map(const PlotRequest& request, PlotFormat format, Observer& observer) {
  if (request.side < kSmallest || request.side > kLargest) {
    fail(ErrorCode::usage, "a plot is {} to {} pixels wide, not {}", kSmallest, kLargest,
         request.side);
  }
  if (request.is_triangle && !request.columns.empty()) {
    fail(ErrorCode::usage, "a triangle shows one region, not two");
  }
  static_cast<void>(palette_of(request));
  const Plot plot(request, read_region(request, observer));
  switch (format) {
    case PlotFormat::svg:
      return scene_as_svg(plot.scene());
    case PlotFormat::blocks: {
      const SceneImage map = plot.map();
      return as_blocks(map.columns, map.rows, map.pixels);
    }
    case PlotFormat::sixel: {
      const Scene scene = plot.scene();
      return as_sixel(scene.width, scene.height, scene_pixels(scene)) + "\n";
    }
    case PlotFormat::kitty:
      return as_kitty(scene_as_png(plot.scene()));
    case PlotFormat::png:
      break;
  }
  return scene_as_png(plot.scene());
}

}  // namespace ziggurat
