#include "report/scale.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace ziggurat::report;

TEST_CASE("shades of a logarithmic scale") {
  const ColourScale scale{1, 10000, true};
  CHECK(scale.place(1) == 0);
  CHECK(scale.place(100) == Approx(0.5));
  CHECK(scale.place(1e9) == 1);
  CHECK(scale.shade(0) == 0);
  CHECK(scale.shade(-5) == 0);
  CHECK(scale.shade(1) == 0);
  CHECK(scale.shade(100) == 127);
  CHECK(scale.shade(10000) == 254);
  CHECK(scale.shade(1e12) == 254);
  CHECK(scale.shade(std::nan("")) == kMissing);
}

TEST_CASE("shades of a linear scale") {
  const ColourScale scale{10, 20, false};
  CHECK(scale.shade(10) == 0);
  CHECK(scale.shade(12.5) == 64);  // 63.5, rounded away from zero
  CHECK(scale.shade(15) == 127);
  CHECK(scale.shade(25) == 254);
}

TEST_CASE("a scale goes from percentile to percentile of what is positive") {
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 1.0F);
  // Ranks 0.02 * 999 = 19 and 0.998 * 999 = 997, from 0: the values 20 and 998, which of two digits
  // is 1000.
  values.insert(values.end(), 5000, 0.0F);
  values.push_back(-3);
  values.push_back(NAN);
  const ColourScale log = scale_of(values, true);
  CHECK(log.low == 20);
  CHECK(log.high == 1000);
  CHECK(log.is_log);
  // 0.98 * 999 = 979: the value 980.
  const ColourScale linear = scale_of(values, false);
  CHECK(linear.low == 0);
  CHECK(linear.high == 980);
}

TEST_CASE("a scale has ends also where there is nothing to tell them from") {
  CHECK(scale_of({}, true).low == 1);
  CHECK(scale_of({}, true).high == 10);
  const std::vector<float> same(10, 7.0F);
  CHECK(scale_of(same, true).low == Approx(7));
  CHECK(scale_of(same, true).high == Approx(70));
}

TEST_CASE("a scale of ratios lies evenly about 1") {
  const std::vector<float> little{1.0F, 1.1F, 0.9F, 0, NAN};
  CHECK(scale_about_one(little, true).high == 1.5);
  CHECK(scale_about_one(little, true).low == Approx(1 / 1.5));
  // A quarter counts as four: 99 of the 100 lie 4 from 1.
  std::vector<float> much(100, 0.25F);
  much[7] = 3000;
  const ColourScale scale = scale_about_one(much, true);
  CHECK(scale.high == Approx(4));
  CHECK(scale.low == Approx(0.25));
  CHECK(scale.shade(1) == 127);
  CHECK(scale_about_one(much, false).place(1) == 0.5);
}

TEST_CASE("marks of axes are round") {
  CHECK(linear_ticks(0, 100, 5) == std::vector<double>{0, 20, 40, 60, 80, 100});
  CHECK(linear_ticks(3, 17, 4) == std::vector<double>{5, 10, 15});
  CHECK(linear_ticks(5, 5, 4).empty());
  CHECK(log_ticks(0.5, 2000) == std::vector<double>{1, 10, 100, 1000});
  CHECK(log_ticks(1, 30) == std::vector<double>{1, 2, 5, 10, 20});
  CHECK(log_ticks(0, 10).empty());
}

TEST_CASE("numbers at marks") {
  CHECK(tick_text(0) == "0");
  CHECK(tick_text(0.001) == "0.001");
  CHECK(tick_text(250) == "250");
  CHECK(tick_text(5000) == "5,000");
  CHECK(tick_text(10000) == "10⁴");
  CHECK(tick_text(2e12) == "2×10¹²");
  CHECK(tick_text(1e-5) == "10⁻⁵");
}
