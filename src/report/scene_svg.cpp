#include <fmt/format.h>

#include "report/png.hpp"
#include "report/scene.hpp"
#include "report/words.hpp"

namespace ziggurat::report {

namespace {

const char* word(Anchor anchor) {
  switch (anchor) {
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
    case Anchor::start:
      break;
  }
  return "start";
}

}  // namespace

std::string scene_as_svg(const Scene& scene) {
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img">)"
      "\n<title>{2}</title>\n"
      R"(<rect width="{0}" height="{1}" fill="#fff"/>)"
      "\n",
      scene.width, scene.height, escaped(scene.title));
  for (const SceneImage& image : scene.images) {
    out += fmt::format(
        R"(<image x="{}" y="{}" width="{}" height="{}" preserveAspectRatio="none" style="image-rendering:pixelated" href="{}"/>)"
        "\n",
        image.x, image.y, image.width, image.height,
        data_uri(png_of_colours(image.columns, image.rows, image.pixels)));
  }
  out += R"(<g fill="none" stroke="#55514b">)";
  for (const SceneLine& line : scene.lines) {
    out += fmt::format(R"(<path d="M{:.2f} {:.2f}L{:.2f} {:.2f}"/>)", line.x1, line.y1, line.x2,
                       line.y2);
  }
  out +=
      "</g>\n<g fill=\"#1b1a18\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\">";
  for (const SceneText& text : scene.texts) {
    out += fmt::format(R"(<text x="{:.2f}" y="{:.2f}" font-size="{}" text-anchor="{}">{}</text>)",
                       text.x, text.y, text.size, word(text.anchor), escaped(text.text));
  }
  return out + "</g>\n</svg>\n";
}

}  // namespace ziggurat::report
