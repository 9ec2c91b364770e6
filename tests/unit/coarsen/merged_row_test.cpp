#include "coarsen/merged_row.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace ziggurat::coarsen {
namespace {

using Columns = std::vector<std::uint32_t>;
using Counts = std::vector<std::int32_t>;
using Sums = std::vector<std::pair<std::uint32_t, std::int32_t>>;

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

// Two chromosomes of five bins each.
const Columns kIds{0, 0, 1, 1, 2, 3, 3, 4, 4, 5};

Sums drained(MergedRow& row, std::size_t most) {
  Columns columns(most);
  Counts counts(most);
  const std::size_t n = row.drain(columns.data(), counts.data());
  REQUIRE(n <= most);
  Sums sums;
  for (std::size_t i = 0; i < n; ++i) sums.emplace_back(columns[i], counts[i]);
  return sums;
}

}  // namespace

TEST_CASE("a merged row adds up what two fine rows have in a coarse column") {
  MergedRow row;
  REQUIRE(row.add(6, Columns{0, 1, 4, 9}, Counts{1, 2, 4, 8}, kIds.data()));
  REQUIRE(row.add(7, Columns{2, 3, 4, 5}, Counts{16, 32, 64, 128}, kIds.data()));
  CHECK(drained(row, 8) == Sums{{0, 3}, {1, 48}, {2, 68}, {3, 128}, {5, 8}});
  CHECK(row.empty());
  CHECK(drained(row, 0).empty());
}

TEST_CASE("a merged row takes a fine row in pieces, cut anywhere") {
  const Columns columns{0, 1, 2, 3, 7, 8};
  const Counts counts{1, 2, 4, 8, 16, 32};
  for (std::size_t cut = 0; cut <= columns.size(); ++cut) {
    MergedRow row;
    const std::span<const std::uint32_t> c(columns);
    const std::span<const std::int32_t> n(counts);
    REQUIRE(row.add(0, c.first(cut), n.first(cut), kIds.data()));
    REQUIRE(row.add(0, c.subspan(cut), n.subspan(cut), kIds.data()));
    REQUIRE(row.add(1, Columns{7}, Counts{64}, kIds.data()));
    CHECK(drained(row, 7) == Sums{{0, 3}, {1, 12}, {4, 112}});
  }
}

TEST_CASE("a fine row that begins anew is another") {
  MergedRow row;
  REQUIRE(row.add(4, Columns{0, 2, 9}, Counts{1, 2, 4}, kIds.data()));
  REQUIRE(row.add(4, Columns{2, 9}, Counts{8, 16}, kIds.data()));
  CHECK_FALSE(row.add(4, Columns{0}, Counts{32}, kIds.data()));
  CHECK(drained(row, 5) == Sums{{0, 1}, {1, 10}, {5, 20}});
}

TEST_CASE("a merged row adds nothing of what it refuses") {
  MergedRow row;
  CHECK_FALSE(row.add(0, Columns{0, 2}, Counts{5, 0}, kIds.data()));
  CHECK_FALSE(row.add(0, Columns{0, 2}, Counts{5, -1}, kIds.data()));
  CHECK_FALSE(row.add(0, Columns{0, 1}, Counts{kMost, 1}, kIds.data()));
  CHECK(row.empty());
  REQUIRE(row.add(0, Columns{1, 2}, Counts{kMost - 3, 2}, kIds.data()));
  CHECK_FALSE(row.add(1, Columns{2}, Counts{2}, kIds.data()));
  REQUIRE(row.add(1, Columns{2}, Counts{1}, kIds.data()));
  CHECK_FALSE(row.add(2, Columns{2}, Counts{0}, kIds.data()));
  CHECK(drained(row, 3) == Sums{{0, kMost - 3}, {1, 3}});
}

TEST_CASE("a merged row has no room for a third fine row") {
  MergedRow row;
  REQUIRE(row.add(0, Columns{1}, Counts{1}, kIds.data()));
  REQUIRE(row.add(1, Columns{2}, Counts{2}, kIds.data()));
  CHECK_FALSE(row.add(2, Columns{3}, Counts{4}, kIds.data()));
  CHECK(drained(row, 2) == Sums{{0, 1}, {1, 2}});
}

TEST_CASE("merged rows of any shape hold the sums") {
  std::mt19937 random(1);
  constexpr std::uint32_t kBins = 500;
  Columns ids(kBins);
  for (std::uint32_t i = 0; i < kBins; ++i) ids[i] = i / 2;
  MergedRow row;
  for (int round = 0; round < 500; ++round) {
    std::map<std::uint32_t, std::int32_t> expected;
    const unsigned sparsity = 1 + static_cast<unsigned>(random() % 60);
    for (std::uint32_t fine_row = 0; fine_row < 1 + random() % 2; ++fine_row) {
      Columns columns;
      Counts counts;
      for (std::uint32_t column = 0; column < kBins; ++column) {
        if (random() % sparsity != 0) continue;
        columns.push_back(column);
        counts.push_back(1 + static_cast<std::int32_t>(random() % 1000));
        expected[ids[column]] += counts.back();
      }
      REQUIRE(row.add(fine_row, columns, counts, ids.data()));
    }
    CHECK(drained(row, 2 * std::size_t{kBins}) == Sums(expected.begin(), expected.end()));
  }
}

}  // namespace ziggurat::coarsen
