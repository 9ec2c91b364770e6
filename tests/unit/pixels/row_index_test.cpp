#include "pixels/row_index.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "ziggurat/error.hpp"

namespace ziggurat::pixels {
namespace {

using Rows = std::vector<std::uint32_t>;
using Offsets = std::vector<std::int64_t>;

// Offsets by definition: how many pixels have a smaller row.
Offsets counted(const Rows& rows, std::int64_t n_bins) {
  Offsets offsets;
  for (std::int64_t row = 0; row <= n_bins; ++row) {
    offsets.push_back(std::count_if(rows.begin(), rows.end(), [row](auto r) { return r < row; }));
  }
  return offsets;
}

Rows random_sorted_rows(std::mt19937& random, std::uint32_t n_bins, std::uint32_t longest_run) {
  Rows rows;
  for (std::uint32_t row = 0; row < n_bins; ++row) {
    if (random() % 3 == 0) continue;
    rows.insert(rows.end(), random() % (longest_run + 1), row);
  }
  return rows;
}

std::optional<PixelFault> append(RowIndexBuilder& builder, const Rows& rows) {
  return builder.append(std::span<const std::uint32_t>(rows));
}

}  // namespace

TEST_CASE("rows, empty ones among them, get their offsets") {
  RowIndexBuilder builder(7);
  REQUIRE_FALSE(append(builder, {1, 1, 1, 2, 5}).has_value());
  CHECK(builder.end_pixel() == 5);
  CHECK(std::move(builder).finish(7) == Offsets{0, 0, 3, 4, 4, 4, 5, 5});
}

TEST_CASE("a table without pixels has an index of zeros") {
  CHECK(RowIndexBuilder(3).finish(3) == Offsets{0, 0, 0, 0});
  CHECK(RowIndexBuilder(0).finish(0) == Offsets{0});
}

TEST_CASE("a span of rows in the middle of a table") {
  RowIndexBuilder builder(100, 40, 1000);
  REQUIRE_FALSE(append(builder, {41, 41, 43}).has_value());
  CHECK(std::move(builder).finish(45) == Offsets{1000, 1000, 1002, 1002, 1003, 1003});
}

TEST_CASE("pieces of any size give the same index") {
  std::mt19937 random(11);
  for (const std::uint32_t longest_run : {1U, 3U, 20U, 200U, 700U}) {
    const std::uint32_t n_bins = 200;
    const Rows rows = random_sorted_rows(random, n_bins, longest_run);
    RowIndexBuilder builder(n_bins);
    for (std::size_t begin = 0; begin < rows.size();) {
      const std::size_t n = std::min<std::size_t>(rows.size() - begin, random() % 300);
      REQUIRE_FALSE(builder.append(std::span(rows).subspan(begin, n)).has_value());
      begin += n;
    }
    CHECK(std::move(builder).finish(n_bins) == counted(rows, n_bins));
  }
}

TEST_CASE("runs give the index that their pixels would") {
  RowIndexBuilder builder(9);
  const std::vector<RowRun> runs = {{1, 3}, {2, 0}, {2, 1}, {2, 2}, {7, 1}};
  REQUIRE_FALSE(builder.append(std::span(runs)).has_value());
  CHECK(std::move(builder).finish(9) == counted({1, 1, 1, 2, 2, 2, 7}, 9));
}

TEST_CASE("a row id that goes down is found within a piece and between pieces") {
  Rows rows(500, 4);
  rows[321] = 3;
  RowIndexBuilder builder(10, 0, 1000);
  CHECK(append(builder, rows) == PixelFault{FaultKind::descending_row, 1321, 3, -1});

  RowIndexBuilder other(10);
  REQUIRE_FALSE(append(other, {2, 6}).has_value());
  CHECK(append(other, {5}) == PixelFault{FaultKind::descending_row, 2, 5, -1});

  RowIndexBuilder span(10, 5, 50);
  CHECK(append(span, {4, 5}) == PixelFault{FaultKind::descending_row, 50, 4, -1});
}

TEST_CASE("a row id outside the matrix is found, the first breach first") {
  RowIndexBuilder builder(10);
  CHECK(append(builder, {2, 9, 10, 11}) == PixelFault{FaultKind::out_of_range, 2, 10, -1});
  RowIndexBuilder next(10);
  CHECK(append(next, {2, 10}) == PixelFault{FaultKind::out_of_range, 1, 10, -1});
  RowIndexBuilder other(10);
  CHECK(append(other, {2, 4000000000U, 3}) ==
        PixelFault{FaultKind::out_of_range, 1, 4000000000, -1});
  RowIndexBuilder runs(10);
  const std::vector<RowRun> bad = {{3, 2}, {10, 1}};
  CHECK(runs.append(std::span(bad)) == PixelFault{FaultKind::out_of_range, 2, 10, -1});
}

TEST_CASE("an end that the pixels contradict is our own mistake") {
  RowIndexBuilder builder(10);
  REQUIRE_FALSE(append(builder, {2, 6}).has_value());
  CHECK_THROWS_AS(RowIndexBuilder(builder).finish(6), Error);
  CHECK_THROWS_AS(RowIndexBuilder(builder).finish(11), Error);
  CHECK(RowIndexBuilder(builder).finish(7).size() == 8);
}

}  // namespace ziggurat::pixels
