#include "coarsen/positive_row.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include "coarsen/row_kernels.hpp"

namespace ziggurat::coarsen {
namespace {

using Columns = std::vector<std::uint32_t>;
using Counts = std::vector<std::int32_t>;
using Sums = std::vector<std::pair<std::uint32_t, std::int32_t>>;

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

Columns identity(std::uint32_t n) {
  Columns ids(n);
  for (std::uint32_t i = 0; i < n; ++i) ids[i] = i;
  return ids;
}

Sums drained(PositiveRow& row, std::size_t most) {
  Columns columns(most + kSlack);
  Counts counts(most + kSlack);
  const std::size_t n = row.drain(columns.data(), counts.data());
  REQUIRE(n <= most);
  Sums sums;
  for (std::size_t i = 0; i < n; ++i) sums.emplace_back(columns[i], counts[i]);
  return sums;
}

}  // namespace

TEST_CASE("a positive row adds up counts and gives them back in order") {
  std::mt19937 random(1);
  for (const Isa isa : available_isas()) {
    for (const std::uint32_t n :
         {1U, 15U, 16U, 17U, 1023U, 1024U, 1025U, 65535U, 65537U, 200000U}) {
      const Columns ids = identity(n);
      PositiveRow row(n, isa);
      for (const std::size_t n_pixels : {1U, 3U, 300U, 20000U}) {
        std::map<std::uint32_t, std::int32_t> expected;
        for (int run = 0; run < 3; ++run) {
          Columns columns{n - 1};
          Counts counts{1};
          // Near one another and far apart.
          const auto first = static_cast<std::uint32_t>(random() % n);
          for (std::size_t i = 0; i < n_pixels; ++i) {
            const auto step = static_cast<std::uint32_t>(random() % 200);
            columns.push_back(i % 2 == 0 ? std::min(n - 1, first + step)
                                         : static_cast<std::uint32_t>(random() % n));
            counts.push_back(1 + static_cast<std::int32_t>(random() % 1000));
          }
          for (std::size_t i = 0; i < columns.size(); ++i) expected[columns[i]] += counts[i];
          REQUIRE(row.add(columns, counts, ids.data()));
        }
        CHECK(drained(row, expected.size()) == Sums(expected.begin(), expected.end()));
        CHECK(row.empty());
        CHECK(drained(row, 0).empty());
      }
    }
  }
}

TEST_CASE("a positive row takes columns by their ids") {
  const Columns ids{0, 0, 1, 2};
  for (const Isa isa : available_isas()) {
    PositiveRow row(3, isa);
    REQUIRE(row.add(Columns{0, 1, 2, 3}, Counts{1, 2, 4, 8}, ids.data()));
    REQUIRE(row.add(Columns{1, 2, 3}, Counts{16, 32, 64}, ids.data()));
    CHECK(drained(row, 3) == Sums{{0, 19}, {1, 36}, {2, 72}});
  }
}

TEST_CASE("a positive row adds nothing of what it refuses") {
  const Columns ids = identity(4);
  for (const Isa isa : available_isas()) {
    PositiveRow row(4, isa);
    CHECK_FALSE(row.add(Columns{0, 1, 2}, Counts{5, 0, 5}, ids.data()));
    CHECK_FALSE(row.add(Columns{0, 1, 2}, Counts{5, 5, -1}, ids.data()));
    CHECK_FALSE(row.add(Columns{1}, Counts{std::numeric_limits<std::int32_t>::min()}, ids.data()));
    CHECK_FALSE(row.add(Columns{0, 1}, Counts{kMost, 1}, ids.data()));
    CHECK(row.empty());
    REQUIRE(row.add(Columns{1, 2}, Counts{kMost - 3, 2}, ids.data()));
    CHECK_FALSE(row.add(Columns{3}, Counts{2}, ids.data()));
    REQUIRE(row.add(Columns{3}, Counts{1}, ids.data()));
    CHECK(drained(row, 3) == Sums{{1, kMost - 3}, {2, 2}, {3, 1}});
    CHECK(row.add(Columns{0}, Counts{kMost}, ids.data()));
  }
}

}  // namespace ziggurat::coarsen
