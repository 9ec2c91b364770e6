#include "genome/bin_columns.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "ziggurat/error.hpp"

using Catch::Matchers::Contains;
using ziggurat::Error;
using ziggurat::genome::chrom_offsets_from_ids;
using ziggurat::genome::inferred_bin_size;

namespace {

using Numbers = std::vector<std::int64_t>;

std::optional<std::int64_t> inferred(const Numbers& offsets, const Numbers& starts,
                                     const Numbers& ends) {
  return inferred_bin_size(offsets, starts, ends);
}

Numbers offsets_of(const Numbers& ids, std::int64_t n_chroms) {
  return chrom_offsets_from_ids(ids, n_chroms);
}

}  // namespace

TEST_CASE("chromosome offsets from the ids of the rows") {
  CHECK(offsets_of({0, 0, 1, 2, 2, 2}, 3) == Numbers{0, 2, 3, 6});
  CHECK(offsets_of({1, 1, 3}, 5) == Numbers{0, 0, 2, 2, 3, 3});
  CHECK(offsets_of({}, 2) == Numbers{0, 0, 0});
  CHECK(offsets_of({}, 0) == Numbers{0});
}

TEST_CASE("interleaved, disordered and unknown chromosomes are refused with the row") {
  CHECK_THROWS_WITH(offsets_of({0, 0, 1, 0}, 2), Contains("row 3"));
  CHECK_THROWS_WITH(offsets_of({1, 0}, 2), Contains("row 1"));
  CHECK_THROWS_WITH(offsets_of({0, 1, 2}, 2), Contains("row 2"));
  CHECK_THROWS_WITH(offsets_of({-1, 0}, 2), Contains("row 0"));
  CHECK_THROWS_AS(offsets_of({0}, 0), Error);
}

TEST_CASE("the bin size is the one width of all bins but the last of each chromosome") {
  CHECK(inferred({0, 3, 5}, {0, 10, 20, 0, 10}, {10, 20, 25, 10, 90}) == 10);
  CHECK(inferred({0, 3, 5}, {0, 10, 20, 0, 11}, {10, 20, 25, 11, 90}) == std::nullopt);
}

TEST_CASE("no bin size can be inferred without inner bins") {
  CHECK(inferred({0, 1, 2}, {0, 0}, {10, 10}) == std::nullopt);
  CHECK(inferred({0, 0}, {}, {}) == std::nullopt);
  CHECK(inferred({0}, {}, {}) == std::nullopt);
}
