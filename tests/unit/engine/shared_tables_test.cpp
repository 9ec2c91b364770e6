#include "engine/shared_tables.hpp"

#include <catch2/catch.hpp>
#include <cstring>

namespace ziggurat::engine {
namespace {

using Ids = std::vector<std::uint32_t>;

// Chromosomes of 5, 1 and 2 bins.
genome::BinTable base() { return genome::BinTable::uniform({{"a", 50}, {"b", 7}, {"c", 20}}, 10); }

Ids ids_of(const SharedTables& tables, std::size_t level, std::size_t n_base_bins) {
  const reader::JobLevel& job = tables.levels()[level];
  Ids ids(job.n_ids);
  const auto bytes = tables.memory().bytes().subspan(
      (n_base_bins + 1) * sizeof(std::int64_t) + job.ids_at * sizeof(std::uint32_t),
      ids.size() * sizeof(std::uint32_t));
  std::memcpy(ids.data(), bytes.data(), bytes.size());
  return ids;
}

}  // namespace

TEST_CASE("each level finds its ids behind the row offsets") {
  const SharedTables tables(base(), {{coarsen::kBase, 2}, {0, 3}, {coarsen::kBase, 5}});
  REQUIRE(tables.levels().size() == 3);
  CHECK(ids_of(tables, 0, 8) == Ids{0, 0, 1, 1, 2, 3, 4, 4});
  CHECK(ids_of(tables, 1, 8) == Ids{0, 0, 0, 1, 2});
  CHECK(ids_of(tables, 2, 8) == Ids{0, 0, 0, 0, 0, 1, 2, 2});
}

TEST_CASE("levels tell their bins and what they are made from") {
  const SharedTables tables(base(), {{coarsen::kBase, 2}, {0, 3}});
  CHECK(tables.levels()[0].predecessor == coarsen::kBase);
  CHECK(tables.levels()[0].n_ids == 8);
  CHECK(tables.levels()[0].n_bins == 5);
  CHECK(tables.levels()[1].predecessor == 0);
  CHECK(tables.levels()[1].n_ids == 5);
  CHECK(tables.levels()[1].n_bins == 3);
  CHECK(tables.bins(0).bin_size() == 20);
  CHECK(tables.bins(1).bin_size() == 60);
  CHECK(tables.bins(1).n_bins() == 3);
}

TEST_CASE("a level of factor 1 has the bins of its predecessor") {
  const SharedTables tables(base(), {{coarsen::kBase, 1}});
  CHECK(ids_of(tables, 0, 8) == Ids{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(tables.bins(0).bin_size() == 10);
}

TEST_CASE("row offsets are of their own, zero at first") {
  const SharedTables tables(base(), {{coarsen::kBase, 2}});
  REQUIRE(tables.row_offsets().size() == 9);
  for (std::int64_t& offset : tables.row_offsets()) {
    CHECK(offset == 0);
    offset = -1;
  }
  CHECK(ids_of(tables, 0, 8) == Ids{0, 0, 1, 1, 2, 3, 4, 4});
}

TEST_CASE("without levels there are the row offsets alone") {
  const SharedTables tables(base(), {});
  CHECK(tables.memory().bytes().size() == 72);
}

}  // namespace ziggurat::engine
