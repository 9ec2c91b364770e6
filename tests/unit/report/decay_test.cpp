#include "report/decay.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace ziggurat;
using namespace ziggurat::report;

TEST_CASE("contacts by distance over the area of the pairs of bins that far apart") {
  // Chromosomes of 5 and 3 bins of 100 kb. Pairs two apart: 3 + 1; three apart: 2; four apart: 1.
  // Classes are tenths of a decade: 200, 300 and 400 kb are in one each.
  const std::vector<std::int64_t> offsets{0, 5, 8};
  const std::vector<double> contacts{1000, 500, 8, 6, 0};
  const auto points = decay_of(contacts, offsets, 100'000, true);
  REQUIRE(points.size() == 2);
  CHECK(points[0].distance == 200'000);
  CHECK(points[0].contacts == 8);
  CHECK(points[0].density == Approx(8 / (4 * 0.01)));
  CHECK(points[1].distance == 300'000);
  CHECK(points[1].density == Approx(6 / (2 * 0.01)));
  // Of a square map there are twice as many cells.
  CHECK(decay_of(contacts, offsets, 100'000, false)[0].density == Approx(8 / (4 * 0.02)));
}

TEST_CASE("distances of one class are one point at the mean of their pairs") {
  // 21 bins of 1 kb: 13, 14 and 15 bins apart lie between 10^4.1 and 10^4.2; 8, 7 and 6 pairs.
  std::vector<double> contacts(21, 0);
  contacts[13] = 5;
  contacts[15] = 2;
  const auto points = decay_of(contacts, std::vector<std::int64_t>{0, 21}, 1000, true);
  REQUIRE(points.size() == 1);
  CHECK(points[0].contacts == 7);
  CHECK(points[0].distance == Approx((8 * 13.0 + 7 * 14 + 6 * 15) / 21 * 1000));
  CHECK(points[0].density == Approx(7 / (21 * 1e-6)));
}

TEST_CASE("between chromosomes") {
  const std::vector<Chromosome> chromosomes{{"a", 4'000'000}, {"b", 2'000'000}};
  CHECK(trans_density(80, chromosomes, true) == 10);
  CHECK(trans_density(80, chromosomes, false) == 5);
  CHECK(trans_density(80, {chromosomes.data(), 1}, true) == 0);
}

TEST_CASE("the exponent is that of the middle distances") {
  const std::vector<Chromosome> chromosomes{{"a", 40'000'000}};
  std::vector<DecayPoint> points;
  // From a 400th to a 25th of 40 Mb: 100 kb to 1.6 Mb, where the exponent is -1.5.
  for (const double d : {2e4, 1.5e5, 2e5, 4e5, 8e5, 1.5e6, 1e7}) {
    const bool middle = d >= 1e5 && d <= 1.6e6;
    points.push_back({d, middle ? std::pow(d, -1.5) : 1, 5000});
  }
  CHECK(*decay_slope(points, chromosomes) == Approx(-1.5));
  CHECK_FALSE(decay_slope({points.data(), 2}, chromosomes));
}

TEST_CASE("levels are compared where both hold enough") {
  LevelNumbers fine;
  fine.bin_size = 1000;
  fine.decay = {{1e4, 100, 5000}, {1e5, 10, 5000}, {1e6, 1, 5000}};
  LevelNumbers coarse;
  coarse.bin_size = 10'000;
  // At 50 kb, within four of its bins whatever it says; at 10^5.5 the finer has sqrt(10).
  coarse.decay = {
      {2e4, 9999, 5000}, {1e5, 10, 5000}, {std::pow(10, 5.5), 1.1 * std::sqrt(10), 5000}};
  const std::vector<LevelNumbers> levels{fine, coarse};
  CHECK(*decay_disagreement(levels) == Approx(0.1));
  std::vector<LevelNumbers> sparse = levels;
  for (DecayPoint& point : sparse[1].decay) point.contacts = 999;
  CHECK_FALSE(decay_disagreement(sparse));
}
