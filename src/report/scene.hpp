// A plot before it is drawn: what stands where, in pixels from the upper left corner.
// Thread rules: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/palette.hpp"

namespace ziggurat::report {

struct SceneImage {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  std::int64_t columns = 0;
  std::int64_t rows = 0;
  std::vector<Rgb> pixels;  // rows * columns, each drawn as a rectangle
};

struct SceneLine {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
};

enum class Anchor { start, middle, end };

struct SceneText {
  double x = 0;
  double y = 0;  // of the base line
  Anchor anchor = Anchor::start;
  std::string text;
  double size = 12;  // height of the font
};

struct Scene {
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::string title;  // for those who do not see it
  std::vector<SceneImage> images;
  std::vector<SceneLine> lines;
  std::vector<SceneText> texts;
};

[[nodiscard]] std::string scene_as_svg(const Scene& scene);
// Row by row, width * height of them.
[[nodiscard]] std::vector<Rgb> scene_pixels(const Scene& scene);
[[nodiscard]] std::string scene_as_png(const Scene& scene);

}  // namespace ziggurat::report
