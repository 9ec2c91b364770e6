#include "report/palette.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "ziggurat/error.hpp"

using namespace ziggurat::report;

TEST_CASE("every shade of a colour map can be told from the others") {
  REQUIRE(palette_names().size() == 5);
  for (const std::string& name : palette_names()) {
    CAPTURE(name);
    std::set<int> colours;
    for (const Rgb colour : palette(name)) {
      colours.insert(colour.red << 16 | colour.green << 8 | colour.blue);
    }
    CHECK(colours.size() == 256);
  }
}

TEST_CASE("colour maps have the ends they are known by") {
  CHECK(palette("viridis").front() == Rgb{68, 1, 84});
  CHECK(palette("viridis").at(254) == Rgb{253, 231, 37});
  CHECK(palette("greys").front() == Rgb{255, 255, 255});
  CHECK(palette("greys").at(127) == Rgb{128, 128, 128});
  CHECK(palette("greys").at(254) == Rgb{0, 0, 0});
  // One that goes apart from its middle is neutral there.
  const Rgb middle = palette("coolwarm").at(127);
  CHECK(std::abs(middle.red - middle.blue) < 12);
  CHECK(palette("coolwarm").front().blue > palette("coolwarm").front().red);
  CHECK(palette("coolwarm").at(254).red > palette("coolwarm").at(254).blue);
}

TEST_CASE("an unknown colour map is named with those there are") {
  CHECK_THROWS_WITH(palette("pink"), Catch::Contains("pink") && Catch::Contains("viridis"));
  CHECK_THROWS_AS(palette(""), ziggurat::Error);
}
