#include "pixels/value_tally.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "ziggurat/error.hpp"

namespace ziggurat::pixels {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

template <typename T>
IntegerTally tally_of(const std::vector<T>& values) {
  IntegerTally tally;
  tally.add(std::span<const T>(values));
  return tally;
}

}  // namespace

TEST_CASE("a tally of integers counts, bounds and adds") {
  const IntegerTally tally = tally_of<std::int32_t>({3, 0, -2, 7, 0});
  CHECK(tally.n == 5);
  CHECK(tally.n_zero == 2);
  CHECK(tally.n_negative == 1);
  CHECK(tally.min == -2);
  CHECK(tally.max == 7);
  CHECK(tally.checked_sum() == 8);
}

TEST_CASE("zeros at the edge of the values are counted") {
  CHECK(tally_of<std::int64_t>({0, 5}).n_zero == 1);
  CHECK(tally_of<std::int64_t>({-5, 0, 0}).n_zero == 2);
  CHECK(tally_of<std::int64_t>({0}).n_zero == 1);
}

TEST_CASE("unsigned values are not taken for negative ones") {
  const IntegerTally tally = tally_of<std::uint32_t>({4000000000U, 4000000000U});
  CHECK(tally.n_negative == 0);
  CHECK(tally.max == 4000000000);
  CHECK(tally.checked_sum() == 8000000000);
}

TEST_CASE("sums are exact on the way, and refused at the end when beyond 64 bits") {
  CHECK(tally_of<std::int64_t>({kMost, kMost, kLeast, kLeast, 5}).checked_sum() == 3);
  CHECK(tally_of<std::int64_t>({kMost, 1, -1}).checked_sum() == kMost);
  CHECK(tally_of<std::int64_t>({kLeast}).checked_sum() == kLeast);
  CHECK_THROWS_AS(tally_of<std::int64_t>({kMost, 1}).checked_sum(), Error);
  CHECK_THROWS_AS(tally_of<std::int64_t>({kLeast, -1}).checked_sum(), Error);
}

TEST_CASE("long random columns are tallied like a plain loop, whole or in merged parts") {
  std::mt19937_64 random(3);
  std::vector<std::int64_t> values(10000);
  for (std::int64_t& value : values) {
    value = static_cast<std::int64_t>(random()) >> (random() % 64);
  }
  Int128 sum = 0;
  std::int64_t zeros = 0;
  std::int64_t negatives = 0;
  for (const std::int64_t value : values) {
    sum += value;
    zeros += value == 0 ? 1 : 0;
    negatives += value < 0 ? 1 : 0;
  }
  const std::span<const std::int64_t> all(values);
  IntegerTally parts;
  parts.add(all.first(4321));
  IntegerTally rest;
  rest.add(all.subspan(4321));
  parts.merge(rest);
  for (const IntegerTally& tally : {tally_of(values), parts}) {
    CHECK(tally.n == 10000);
    CHECK((tally.sum == sum));
    CHECK(tally.n_zero == zeros);
    CHECK(tally.n_negative == negatives);
    CHECK(tally.min == *std::min_element(values.begin(), values.end()));
    CHECK(tally.max == *std::max_element(values.begin(), values.end()));
  }
}

TEST_CASE("a tally of floats leaves NaN out of everything but its count") {
  FloatTally tally;
  const std::vector<double> values = {7.5, -0.0, std::numeric_limits<double>::quiet_NaN(), -1.5,
                                      2.0};
  tally.add(std::span(values));
  CHECK(tally.n == 5);
  CHECK(tally.n_zero == 1);
  CHECK(tally.n_negative == 1);
  CHECK(tally.n_not_finite == 1);
  CHECK(tally.min == -1.5);
  CHECK(tally.max == 7.5);
  CHECK(tally.sum() == 8.0);
}

TEST_CASE("a total of floats is compensated") {
  // Added plainly, a million tenths come to 100000.00000133288.
  const std::vector<double> values(1000000, 0.1);
  FloatTally tally;
  tally.add(std::span(values));
  CHECK(tally.sum() == 100000.0);
}

TEST_CASE("a total of floats does not depend on how the table is cut") {
  std::mt19937_64 random(9);
  std::lognormal_distribution<double> counts(2.0, 3.0);
  std::vector<double> values(3001);
  for (double& value : values) value = counts(random);
  FloatTally whole;
  whole.add(std::span<const double>(values));
  FloatTally pieces;
  for (std::size_t begin = 0; begin < values.size();) {
    const std::size_t n = std::min<std::size_t>(values.size() - begin, random() % 11);
    pieces.add(std::span<const double>(values).subspan(begin, n));
    begin += n;
  }
  CHECK(pieces.sum() == whole.sum());
  CHECK(pieces.n == 3001);
  FloatTally twice = whole;
  twice.merge(whole);
  CHECK(twice.sum() == Approx(2 * whole.sum()).epsilon(1e-15));
  CHECK(twice.n == 6002);
}

TEST_CASE("infinities are counted and kept") {
  FloatTally tally;
  const std::vector<float> values = {1.0F, -std::numeric_limits<float>::infinity(), 2.0F};
  tally.add(std::span(values));
  CHECK(tally.n_not_finite == 1);
  CHECK(tally.n_negative == 1);
  CHECK(tally.sum() == -std::numeric_limits<double>::infinity());
}

TEST_CASE("the first value that is not finite is found wherever it is") {
  std::vector<float> floats(5000, std::numeric_limits<float>::max());
  CHECK_FALSE(first_not_finite(std::span<const float>(floats)).has_value());
  floats[4999] = std::numeric_limits<float>::infinity();
  CHECK(first_not_finite(std::span<const float>(floats)) == 4999);
  floats[2048] = -std::numeric_limits<float>::quiet_NaN();
  CHECK(first_not_finite(std::span<const float>(floats)) == 2048);
  const std::vector<double> doubles = {1e308, -std::numeric_limits<double>::infinity()};
  CHECK(first_not_finite(std::span<const double>(doubles)) == 1);
  CHECK_FALSE(first_not_finite(std::span<const double>()).has_value());
}

}  // namespace ziggurat::pixels
