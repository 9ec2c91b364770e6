#include "engine/spans.hpp"

#include <catch2/catch.hpp>
#include <ostream>
#include <random>

namespace ziggurat::reader {

bool operator==(const RowSpan& a, const RowSpan& b) {
  return a.first_row == b.first_row && a.end_row == b.end_row;
}
std::ostream& operator<<(std::ostream& out, const RowSpan& span) {
  return out << '[' << span.first_row << ", " << span.end_row << ')';
}

}  // namespace ziggurat::reader

namespace ziggurat::engine {
namespace {

using Spans = std::vector<reader::RowSpan>;

// Chromosomes of these numbers of bins.
genome::BinTable bins_of(const std::vector<std::int64_t>& counts) {
  std::vector<genome::Chromosome> chromosomes;
  for (const std::int64_t n : counts) {
    chromosomes.push_back({"c" + std::to_string(chromosomes.size()), n});
  }
  return genome::BinTable::uniform(std::move(chromosomes), 1);
}

// Offsets of rows that have `n` pixels each.
std::vector<std::int64_t> even_rows(std::int64_t rows, std::int64_t n) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t row = 0; row <= rows; ++row) offsets.push_back(row * n);
  return offsets;
}

}  // namespace

TEST_CASE("cuts lie at multiples of every factor within a chromosome, and at its end") {
  const genome::BinTable bins = bins_of({10, 3, 7});
  // Every level begins a row each 6 rows: candidates are 6, 10, 13, 19 and 20.
  CHECK(cut_spans(bins, even_rows(20, 1), {2, 3, 6}, 4) ==
        Spans{{0, 6}, {6, 10}, {10, 19}, {19, 20}});
  CHECK(cut_spans(bins, even_rows(20, 1), {2, 3}, 1) ==
        Spans{{0, 6}, {6, 10}, {10, 13}, {13, 19}, {19, 20}});
  CHECK(cut_spans(bins, even_rows(20, 1), {4, 6}, 1) == Spans{{0, 10}, {10, 13}, {13, 20}});
  CHECK(cut_spans(bins, even_rows(20, 1), {}, 9) == Spans{{0, 9}, {9, 18}, {18, 20}});
}

TEST_CASE("factors beyond every chromosome leave the ends of chromosomes") {
  const genome::BinTable bins = bins_of({10, 3, 7});
  const Spans by_chromosome{{0, 10}, {10, 13}, {13, 20}};
  for (const std::int64_t factor : {std::int64_t{11}, std::int64_t{1} << 62}) {
    CHECK(cut_spans(bins, even_rows(20, 1), {factor, 7, 3}, 1) == by_chromosome);
    CHECK(cut_spans(bins, even_rows(20, 1), {7, 3, factor}, 1) == by_chromosome);
  }
}

TEST_CASE("rows without pixels are covered as well") {
  const genome::BinTable bins = bins_of({10, 3, 7});
  CHECK(cut_spans(bins, even_rows(20, 0), {2}, 5) == Spans{{0, 20}});
  std::vector<std::int64_t> offsets(21, 8);
  offsets[0] = 0;
  CHECK(cut_spans(bins, offsets, {2}, 5) == Spans{{0, 2}, {2, 20}});
}

TEST_CASE("a map without bins has no spans") {
  const std::vector<std::int64_t> none{0};
  CHECK(cut_spans(bins_of({}), none, {2}, 5).empty());
  CHECK(cut_spans(bins_of({0, 0}), none, {2}, 5).empty());
}

TEST_CASE("whatever the map, spans cover all rows once, are large enough and cross no coarse row") {
  std::mt19937 random(1);
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::int64_t> counts;
    for (std::size_t n = 1 + random() % 5; n > 0; --n) counts.push_back(below(40));
    const genome::BinTable bins = bins_of(counts);
    std::vector<std::int64_t> offsets{0};
    for (std::int64_t row = 0; row < bins.n_bins(); ++row) {
      offsets.push_back(offsets.back() + below(10));
    }
    const std::vector<std::int64_t> factors{2 + below(3), 2 + below(5)};
    const Spans spans = cut_spans(bins, offsets, factors, 30);
    std::uint64_t covered = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
      REQUIRE(spans[i].first_row == covered);
      REQUIRE(spans[i].end_row > covered);
      covered = spans[i].end_row;
      if (i + 1 == spans.size()) break;
      CHECK(offsets[covered] - offsets[spans[i].first_row] >= 30);
      const auto cut = static_cast<std::int64_t>(covered);
      for (const std::int64_t factor : factors) {
        const std::vector<std::uint32_t> ids = bins.coarse_ids(factor);
        CHECK((cut == bins.n_bins() || ids[covered] != ids[covered - 1]));
      }
    }
    CHECK(covered == static_cast<std::uint64_t>(bins.n_bins()));
  }
}

TEST_CASE("no more readers are started than there are spans") {
  CHECK(worthwhile_readers(0, 8) == 1);
  CHECK(worthwhile_readers((1U << 19) - 1, 8) == 1);
  CHECK(worthwhile_readers(1U << 19, 8) == 2);
  CHECK(worthwhile_readers(std::uint64_t{100} << 19, 8) == 8);
  CHECK(worthwhile_readers(~std::uint64_t{0}, 8) == 8);
}

}  // namespace ziggurat::engine
