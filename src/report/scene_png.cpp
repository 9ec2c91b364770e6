// A scene as pixels: rectangles by nearest cell, strokes with soft edges.
#include <algorithm>
#include <cmath>

#include "report/png.hpp"
#include "report/scene.hpp"
#include "report/stroke_font.hpp"

namespace ziggurat::report {

namespace {

constexpr Rgb kPaper{255, 255, 255};
constexpr Rgb kInk{27, 26, 24};
constexpr Rgb kLine{85, 81, 75};
// Of the height of a font: what capitals take, and how broad a pen writes it.
constexpr double kCapitals = 0.7;
constexpr double kPen = 0.105;

class Canvas {
 public:
  Canvas(std::int64_t width, std::int64_t height)
      : width_(width), height_(height), pixels_(static_cast<std::size_t>(width * height), kPaper) {}

  void draw(const SceneImage& image) {
    const auto x_end = std::min<std::int64_t>(width_, std::llround(image.x + image.width));
    const auto y_end = std::min<std::int64_t>(height_, std::llround(image.y + image.height));
    for (std::int64_t y = std::llround(image.y); y < y_end; ++y) {
      const std::int64_t row = cell(static_cast<double>(y) - image.y, image.height, image.rows);
      for (std::int64_t x = std::llround(image.x); x < x_end; ++x) {
        const std::int64_t column =
            cell(static_cast<double>(x) - image.x, image.width, image.columns);
        at(x, y) = image.pixels[static_cast<std::size_t>(row * image.columns + column)];
      }
    }
  }

  void draw(const Stroke& stroke, double breadth, Rgb ink) {
    const double reach = breadth / 2 + 1;
    const std::int64_t x_first = bound(std::min(stroke.x1, stroke.x2) - reach, width_);
    const std::int64_t x_last = bound(std::max(stroke.x1, stroke.x2) + reach, width_);
    const std::int64_t y_first = bound(std::min(stroke.y1, stroke.y2) - reach, height_);
    const std::int64_t y_last = bound(std::max(stroke.y1, stroke.y2) + reach, height_);
    for (std::int64_t y = y_first; y <= y_last; ++y) {
      for (std::int64_t x = x_first; x <= x_last; ++x) {
        const double far =
            distance(stroke, static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5);
        blend(at(x, y), ink, std::clamp(breadth / 2 + 0.5 - far, 0.0, 1.0));
      }
    }
  }

  void draw(const SceneText& text) {
    const TextStrokes drawn = strokes_of(text.text);
    const double unit = text.size * kCapitals / 6;
    const double width = drawn.width * unit;
    const double left = text.anchor == Anchor::start    ? text.x
                        : text.anchor == Anchor::middle ? text.x - width / 2
                                                        : text.x - width;
    for (const Stroke& stroke : drawn.strokes) {
      draw({left + stroke.x1 * unit, text.y + stroke.y1 * unit, left + stroke.x2 * unit,
            text.y + stroke.y2 * unit},
           text.size * kPen, kInk);
    }
  }

  [[nodiscard]] std::vector<Rgb> take() { return std::move(pixels_); }

 private:
  static std::int64_t cell(double place, double length, std::int64_t n) {
    const auto at = static_cast<std::int64_t>((place + 0.5) / length * static_cast<double>(n));
    return std::clamp<std::int64_t>(at, 0, n - 1);
  }

  static std::int64_t bound(double place, std::int64_t end) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(place)), 0, end - 1);
  }

  static double distance(const Stroke& stroke, double x, double y) {
    const double dx = stroke.x2 - stroke.x1;
    const double dy = stroke.y2 - stroke.y1;
    const double length = dx * dx + dy * dy;
    const double along =
        length > 0 ? std::clamp(((x - stroke.x1) * dx + (y - stroke.y1) * dy) / length, 0.0, 1.0)
                   : 0;
    return std::hypot(x - stroke.x1 - along * dx, y - stroke.y1 - along * dy);
  }

  static void blend(Rgb& pixel, Rgb ink, double share) {
    const auto mixed = [&](std::uint8_t from, std::uint8_t to) {
      return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
    };
    pixel = {mixed(pixel.red, ink.red), mixed(pixel.green, ink.green), mixed(pixel.blue, ink.blue)};
  }

  Rgb& at(std::int64_t x, std::int64_t y) {
    return pixels_[static_cast<std::size_t>(y * width_ + x)];
  }

  std::int64_t width_;
  std::int64_t height_;
  std::vector<Rgb> pixels_;
};

}  // namespace

std::vector<Rgb> scene_pixels(const Scene& scene) {
  Canvas canvas(scene.width, scene.height);
  for (const SceneImage& image : scene.images) canvas.draw(image);
  for (const SceneLine& line : scene.lines) {
    canvas.draw({line.x1, line.y1, line.x2, line.y2}, 1, kLine);
  }
  for (const SceneText& text : scene.texts) canvas.draw(text);
  return canvas.take();
}

std::string scene_as_png(const Scene& scene) {
  return png_of_colours(scene.width, scene.height, scene_pixels(scene));
}

}  // namespace ziggurat::report
