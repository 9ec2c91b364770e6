#include "engine/row_digests.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "blocks.hpp"

namespace ziggurat::engine {
namespace {

// Of a map with 6 rows whose blocks end at `cuts`.
template <typename Number>
RowDigests digests_of(const Table<Number>& table, const std::vector<std::size_t>& cuts = {}) {
  RowDigests digests(6);
  add_blocks(digests, table, cuts);
  digests.finish();
  return digests;
}

const Table<std::int32_t> kMap{{0, 0, 3}, {0, 4, 1}, {2, 2, 7}, {2, 3, 2}, {2, 5, 9}, {4, 4, 1}};

std::optional<std::uint64_t> difference_to(const Table<std::int32_t>& other) {
  return digests_of(kMap).first_difference(digests_of(other), 0);
}

}  // namespace

TEST_CASE("digests do not depend on where blocks are cut") {
  const RowDigests whole = digests_of(kMap);
  CHECK(whole.n_pixels() == 6);
  for (std::size_t a = 0; a <= 6; ++a) {
    for (std::size_t b = a; b <= 6; ++b) {
      CHECK_FALSE(whole.first_difference(digests_of(kMap, {a, b}), 0));
    }
  }
}

TEST_CASE("the first row that differs is found") {
  const auto changed = [](std::size_t i, TestPixel<std::int32_t> pixel) {
    Table<std::int32_t> table = kMap;
    table[i] = pixel;
    return difference_to(table);
  };
  CHECK_FALSE(difference_to(kMap));
  CHECK(changed(0, {0, 0, 4}) == 0U);
  CHECK(changed(3, {2, 4, 2}) == 2U);
  CHECK(changed(5, {5, 5, 1}) == 4U);
}

TEST_CASE("a count that moved within a row or to another is found") {
  Table<std::int32_t> table = kMap;
  ++table[2].value;
  --table[3].value;
  CHECK(difference_to(table) == 2U);
  table = kMap;
  --table[1].value;
  ++table[2].value;
  CHECK(difference_to(table) == 0U);
}

TEST_CASE("a pixel of zero is a pixel, and a missing row is not an empty one") {
  Table<std::int32_t> table = kMap;
  table.insert(table.begin() + 2, {1, 1, 0});
  CHECK(difference_to(table) == 1U);
  table = kMap;
  table.pop_back();
  CHECK(difference_to(table) == 4U);
  CHECK_FALSE(digests_of(Table<std::int32_t>{}).first_difference(RowDigests(6), 0));
}

TEST_CASE("integers compare by value, whatever form they came in") {
  Table<std::int64_t> wide;
  for (const TestPixel<std::int32_t>& pixel : kMap)
    wide.push_back({pixel.row, pixel.column, pixel.value});
  CHECK_FALSE(digests_of(kMap).first_difference(digests_of(wide), 0));
  wide[4].value += std::int64_t{1} << 32;
  CHECK(digests_of(kMap).first_difference(digests_of(wide), 0) == 2U);
}

TEST_CASE("float rows compare by position, and by total within the tolerance") {
  const Table<double> map{{1, 1, 0.5}, {1, 2, 1.5}, {3, 3, 4.0}};
  const auto difference = [&](const Table<double>& other, double tolerance) {
    return digests_of(map).first_difference(digests_of(other), tolerance);
  };
  CHECK_FALSE(difference({{1, 1, 1.5}, {1, 2, 0.5}, {3, 3, 4.0}}, 0));
  CHECK(difference({{1, 1, 0.5}, {1, 3, 1.5}, {3, 3, 4.0}}, 0.1) == 1U);
  CHECK(difference({{1, 1, 0.5}, {1, 2, 1.5}, {3, 3, 4.01}}, 0.001) == 3U);
  CHECK_FALSE(difference({{1, 1, 0.5}, {1, 2, 1.5}, {3, 3, 4.01}}, 0.01));
}

TEST_CASE("what is not a number counts for its position and not for the total") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Table<double> map{{1, 1, 0.5}, {1, 2, nan}};
  CHECK_FALSE(digests_of(map).first_difference(digests_of(map), 0));
  CHECK_FALSE(
      digests_of(map).first_difference(digests_of(Table<double>{{1, 1, 0.5}, {1, 2, 0}}), 0));
  CHECK(digests_of(map).first_difference(digests_of(Table<double>{{1, 1, 0.5}}), 0) == 1U);
}

TEST_CASE("float32 rows are digested as well, cut or not") {
  const Table<float> map{{0, 0, 0.5F}, {0, 1, 0.25F}, {5, 5, 8.0F}};
  CHECK_FALSE(digests_of(map).first_difference(digests_of(map, {1, 2}), 0));
}

TEST_CASE("maps of different sizes differ where the smaller ends") {
  CHECK(RowDigests(6).first_difference(RowDigests(4), 0) == 4U);
  CHECK(RowDigests(4).first_difference(RowDigests(6), 0) == 4U);
}

TEST_CASE("a row that the map does not have is refused") {
  CHECK_THROWS_WITH(digests_of(Table<std::int32_t>{{6, 6, 1}}), "a reader sent row 6");
}

}  // namespace ziggurat::engine
