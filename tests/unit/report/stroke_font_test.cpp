#include "report/stroke_font.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace ziggurat::report;

TEST_CASE("letters stand side by side on the base line") {
  const TextStrokes l = strokes_of("L");
  REQUIRE(l.strokes.size() == 2);
  CHECK(l.strokes[0].x1 == l.strokes[0].x2);
  CHECK(l.strokes[0].y1 == -6);
  CHECK(l.strokes[0].y2 == 0);
  CHECK(l.strokes[1].y1 == 0);
  CHECK(l.strokes[1].y2 == 0);
  const TextStrokes two = strokes_of("LL");
  REQUIRE(two.strokes.size() == 4);
  CHECK(two.strokes[2].x1 == Approx(l.strokes[0].x1 + l.width));
  CHECK(two.width == Approx(2 * l.width));
}

TEST_CASE("every letter of a title is drawn within its width") {
  const std::string_view letters =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.,:;-+/()_";
  for (const char c : letters) {
    CAPTURE(c);
    const TextStrokes text = strokes_of({&c, 1});
    CHECK_FALSE(text.strokes.empty());
    for (const Stroke& s : text.strokes) {
      CHECK(std::min(s.x1, s.x2) >= 0);
      CHECK(std::max(s.x1, s.x2) <= text.width);
      CHECK(std::min(s.y1, s.y2) >= -7);
      CHECK(std::max(s.y1, s.y2) <= 3);
    }
  }
}

TEST_CASE("a blank is room without strokes") {
  CHECK(strokes_of(" ").strokes.empty());
  CHECK(strokes_of(" ").width > 0);
  CHECK(strokes_of("").width == 0);
}
