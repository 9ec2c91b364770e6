#include "coarsen/sum_aggregator.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <random>

#include "batches.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::coarsen {
namespace {

using Ids = std::vector<std::uint32_t>;

constexpr std::int64_t kMax32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMin32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();

PixelBatch pooled(const Ids& ids, std::uint32_t n_coarse, pixels::ColumnKind kind,
                  const std::vector<PixelBatch>& batches) {
  const std::unique_ptr<RowAggregator> aggregator = make_sum_aggregator(ids, n_coarse, kind);
  PixelBatch out;
  for (const PixelBatch& batch : batches) aggregator->consume(batch, out);
  aggregator->finish(out);
  return out;
}

PixelBatch pooled_integers(const Ids& ids, std::uint32_t n_coarse,
                           const std::vector<PixelBatch>& batches) {
  return pooled(ids, n_coarse, pixels::ColumnKind::integer, batches);
}

// Chromosomes of 3 and 1 bins and every cell of the upper triangle, as drawn in the header; each
// count is a bit of its own, so that a sum tells what went into it.
const Ids kDrawnIds{0, 0, 1, 2};
const std::vector<Count> kDrawn{{0, 0, 1},  {0, 1, 2},  {0, 2, 4},   {0, 3, 8},   {1, 1, 16},
                                {1, 2, 32}, {1, 3, 64}, {2, 2, 128}, {2, 3, 256}, {3, 3, 512}};
const std::vector<Count> kDrawnPooled{{0, 0, 1 + 2 + 16}, {0, 1, 4 + 32}, {0, 2, 8 + 64},
                                      {1, 1, 128},        {1, 2, 256},    {2, 2, 512}};

}  // namespace

TEST_CASE("rows on two sides of a chromosome's end do not meet") {
  CHECK(counts_of(pooled_integers(kDrawnIds, 3, {compact(kDrawn)})) == kDrawnPooled);
  CHECK(counts_of(pooled_integers(kDrawnIds, 3, {general(kDrawn)})) == kDrawnPooled);
}

TEST_CASE("batches may be cut anywhere") {
  for (std::size_t cut = 0; cut <= kDrawn.size(); ++cut) {
    const std::vector<PixelBatch> parts{compact(kDrawn, 0, cut),
                                        compact(kDrawn, cut, kDrawn.size())};
    CHECK(counts_of(pooled_integers(kDrawnIds, 3, parts)) == kDrawnPooled);
  }
}

TEST_CASE("rows of few pixels, of which two are merged, have the sums of any others") {
  std::mt19937 random(7);
  constexpr std::uint32_t kCoarse = 2000;
  Ids ids(2 * kCoarse);
  for (std::uint32_t i = 0; i < ids.size(); ++i) ids[i] = i / 2;
  for (int round = 0; round < 50; ++round) {
    // Counts of nearly every round are positive; in the others one that is not comes somewhere.
    const bool is_odd = round % 5 == 0;
    std::vector<Count> fine;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> sums;
    for (std::uint32_t row = 0; row < 40; ++row) {
      const auto step = 1 + static_cast<std::uint32_t>(random() % (round % 2 == 0 ? 500 : 10));
      for (std::uint32_t column = row; column < 2 * kCoarse;
           column += 1 + static_cast<std::uint32_t>(random() % step)) {
        std::int64_t count = 1 + static_cast<std::int64_t>(random() % 9);
        if (is_odd && random() % 100 == 0) count = random() % 2 == 0 ? -count : kMax32;
        fine.push_back({row, column, count});
        sums[{row / 2, column / 2}] += count;
      }
    }
    std::vector<Count> expected;
    for (const auto& [place, sum] : sums) expected.push_back({place.first, place.second, sum});
    const std::size_t cut = random() % fine.size();
    CHECK(counts_of(pooled_integers(
              ids, kCoarse, {compact(fine, 0, cut), compact(fine, cut, fine.size())})) == expected);
  }
}

TEST_CASE("rows that come again, as those of several maps do, are added up") {
  constexpr std::uint32_t kBins = 3000;
  Ids same(kBins);
  Ids halved(kBins);
  for (std::uint32_t i = 0; i < kBins; ++i) {
    same[i] = i;
    halved[i] = i / 2;
  }
  const std::vector<Count> one{{1, 1, 1}, {1, 8, 2}, {1, 2001, 4}};
  for (std::size_t n_maps = 1; n_maps < 6; ++n_maps) {
    const auto times = static_cast<std::int64_t>(n_maps);
    const std::vector<PixelBatch> batches(n_maps, compact(one));
    CHECK(counts_of(pooled_integers(same, kBins, batches)) ==
          std::vector<Count>{{1, 1, times}, {1, 8, 2 * times}, {1, 2001, 4 * times}});
    CHECK(counts_of(pooled_integers(halved, kBins / 2, batches)) ==
          std::vector<Count>{{0, 0, times}, {0, 4, 2 * times}, {0, 1000, 4 * times}});
  }
}

TEST_CASE("a coarse row goes out when a row of the next comes, the last by finish") {
  const auto aggregator = make_sum_aggregator(kDrawnIds, 3, pixels::ColumnKind::integer);
  PixelBatch out;
  aggregator->consume(compact(kDrawn, 0, 7), out);
  CHECK(out.size() == 0);
  aggregator->consume(compact(kDrawn, 7, 8), out);
  CHECK(out.runs == std::vector<RowRun>{{0, 3}});
  aggregator->finish(out);
  CHECK(out.runs == std::vector<RowRun>{{0, 3}, {1, 1}});
  aggregator->finish(out);
  CHECK(out.size() == 4);
}

TEST_CASE("rows without pixels make none, and a row may come as two runs") {
  PixelBatch batch;
  batch.runs = {{0, 0}, {1, 1}, {1, 1}, {2, 0}, {3, 1}};
  batch.columns = {1, 2, 3};
  batch.counts = {5, 6, 7};
  const PixelBatch out = pooled_integers(kDrawnIds, 3, {batch});
  CHECK(counts_of(out) == std::vector<Count>{{0, 0, 5}, {0, 1, 6}, {2, 2, 7}});
}

TEST_CASE("a sum of zero is a pixel") {
  CHECK(counts_of(pooled_integers({0, 0}, 1, {compact({{0, 0, 4}, {0, 1, -4}})})) ==
        std::vector<Count>{{0, 0, 0}});
}

TEST_CASE("what a row of 32-bit sums does not take may come anywhere in it") {
  // A coarse row of four, and one after it.
  const std::vector<Count> plain{{0, 0, 1}, {0, 4, 2}, {1, 1, 4}, {2, 4, 8}, {3, 3, 16}, {4, 4, 9}};
  for (std::size_t i = 0; i + 1 < plain.size(); ++i) {
    for (const std::int64_t odd : {std::int64_t{0}, std::int64_t{-7}, kMax32, kMin32}) {
      std::vector<Count> table = plain;
      table[i].value = odd;
      std::vector<Count> expected{{0, 0, 0}, {0, 1, 0}, {1, 1, 9}};
      for (std::size_t k = 0; k + 1 < table.size(); ++k) {
        expected[table[k].column < 4 ? 0 : 1].value += table[k].value;
      }
      CHECK(counts_of(pooled_integers({0, 0, 0, 0, 1}, 2, {compact(table)})) == expected);
    }
  }
}

TEST_CASE("sums that fit 32 bits stay compact") {
  const std::vector<Count> table{{0, 0, kMax32 - 1}, {0, 1, 1}, {2, 2, kMin32 + 1}, {2, 3, -1}};
  const PixelBatch out = pooled_integers({0, 0, 1, 1}, 2, {compact(table)});
  CHECK(out.compact);
  CHECK(counts_of(out) == std::vector<Count>{{0, 0, kMax32}, {1, 1, kMin32}});
}

TEST_CASE("the first sum beyond 32 bits widens the batch and what is in it") {
  const Ids ids{0, 0, 1, 1, 2, 2};
  for (const std::int64_t end : {kMax32, kMin32}) {
    const std::int64_t one = end > 0 ? 1 : -1;
    const std::vector<Count> table{{0, 1, 7}, {2, 2, end}, {3, 3, one}, {4, 4, 9}};
    const PixelBatch out = pooled_integers(ids, 3, {compact(table)});
    CHECK_FALSE(out.compact);
    CHECK(out.counts.empty());
    CHECK(counts_of(out) == std::vector<Count>{{0, 0, 7}, {1, 1, end + one}, {2, 2, 9}});
  }
}

TEST_CASE("a cleared batch is compact again") {
  const auto aggregator = make_sum_aggregator(kDrawnIds, 3, pixels::ColumnKind::integer);
  PixelBatch out;
  aggregator->consume(compact({{0, 0, kMax32}, {1, 1, kMax32}, {2, 2, 3}}), out);
  REQUIRE_FALSE(out.compact);
  out.clear();
  CHECK(out.compact);
  aggregator->finish(out);
  CHECK(out.compact);
  CHECK(counts_of(out) == std::vector<Count>{{1, 1, 3}});
}

TEST_CASE("sums up to the ends of int64 are exact, those beyond are refused") {
  const auto sum_of = [](std::int64_t a, std::int64_t b) {
    return counts_of(pooled_integers({0, 1, 1}, 2, {general<std::int64_t>({{0, 1, a}, {0, 2, b}})}))
        .at(0)
        .value;
  };
  CHECK(sum_of(kMax64 - 1, 1) == kMax64);
  CHECK(sum_of(kMin64 + 1, -1) == kMin64);
  CHECK(sum_of(kMax64, kMin64) == -1);
  CHECK_THROWS_WITH(sum_of(kMax64, 1), "the sum of counts in coarse pixel (0, 1) is beyond int64");
  CHECK_THROWS_WITH(sum_of(kMin64, -1), "the sum of counts in coarse pixel (0, 1) is beyond int64");
  try {
    (void)sum_of(kMax64, 1);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::format);
  }
}

// Each small term alone is half of the last place of 1 and would be lost.
TEMPLATE_TEST_CASE("float sums are compensated in their own type", "", float, double) {
  const TestType half = std::numeric_limits<TestType>::epsilon() / 2;
  const std::vector<TestPixel<TestType>> table{
      {0, 0, 1}, {0, 1, half}, {0, 2, half}, {1, 1, half}, {1, 2, half}};
  const pixels::ColumnKind kind = pixels::kind_of(general(table).values.front());
  const PixelBatch out = pooled({0, 0, 0}, 1, kind, {general(table)});
  CHECK(pixels_of<TestType>(out) == std::vector<TestPixel<TestType>>{{0, 0, 1 + 4 * half}});
}

TEST_CASE("what is not a number is left out of sums, yet its pixel stays") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<TestPixel<double>> table{{0, 0, 2.5}, {0, 1, nan}, {0, 2, nan}, {1, 1, 0.25}};
  const PixelBatch out =
      pooled({0, 0, 1}, 2, pixels::ColumnKind::double_precision, {general(table)});
  CHECK(pixels_of<double>(out) == std::vector<TestPixel<double>>{{0, 0, 2.75}, {0, 1, 0.0}});
}

TEST_CASE("sums of one row do not leak into the next") {
  const std::vector<TestPixel<float>> table{{0, 1, 3.0F}, {2, 2, 0.5F}, {2, 3, 0.5F}};
  const PixelBatch out =
      pooled({0, 0, 1, 1}, 2, pixels::ColumnKind::single_precision, {general(table)});
  CHECK(pixels_of<float>(out) == std::vector<TestPixel<float>>{{0, 0, 3.0F}, {1, 1, 1.0F}});
}

}  // namespace ziggurat::coarsen
