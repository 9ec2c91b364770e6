#include "coarsen/group_aggregator.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <random>

#include "batches.hpp"
#include "coarsen/sum_aggregator.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::coarsen {
namespace {

using Ids = std::vector<std::uint32_t>;

// Chromosomes of 7, 1 and 5 bins, pooled by 3.
const Ids kIds{0, 0, 0, 1, 1, 1, 2, 3, 4, 4, 4, 5, 5};
constexpr std::uint32_t kCoarse = 6;

PixelBatch fed(RowAggregator& aggregator, const std::vector<PixelBatch>& batches) {
  PixelBatch out;
  for (const PixelBatch& batch : batches) aggregator.consume(batch, out);
  aggregator.finish(out);
  return out;
}

PixelBatch grouped(const std::vector<FieldRule>& rules, const std::vector<PixelBatch>& batches) {
  return fed(*make_group_aggregator(kIds, rules), batches);
}

FieldRule rule(Aggregation aggregation, NumberType source, NumberType target) {
  return {aggregation, source, target, false};
}

// The same map with values whose sums depend on the order of additions.
template <typename Number>
std::vector<TestPixel<Number>> random_reals(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<TestPixel<Number>> table;
  for (const Count& pixel : random_map(13, seed)) {
    const auto scale = static_cast<Number>(1U << (random() % 20));
    table.push_back({pixel.row, pixel.column, static_cast<Number>(pixel.value) / scale / 7});
  }
  return table;
}

// (0, 1), (0, 2) and (1, 2) fall into one coarse pixel, (0, 3) into another.
const std::vector<Count> kFew{{0, 1, 4}, {0, 2, -1}, {0, 3, 6}, {1, 2, 9}};

}  // namespace

TEST_CASE("integer sums by groups are those by dense rows") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const std::vector<Count> table = random_map(13, seed);
    const std::vector<PixelBatch> parts{compact(table, 0, table.size() / 2),
                                        compact(table, table.size() / 2, table.size())};
    const auto dense = make_sum_aggregator(kIds, kCoarse, pixels::ColumnKind::integer);
    const PixelBatch by_group =
        grouped({rule(Aggregation::sum, NumberType::i32, NumberType::i32)}, parts);
    REQUIRE_FALSE(table.empty());
    CHECK(counts_of(by_group) == counts_of(fed(*dense, parts)));
  }
}

TEMPLATE_TEST_CASE("float sums by groups are those by dense rows, bit for bit", "", float, double) {
  const bool is_double = sizeof(TestType) == 8;
  const NumberType type = is_double ? NumberType::f64 : NumberType::f32;
  for (unsigned seed = 0; seed < 10; ++seed) {
    const std::vector<TestPixel<TestType>> table = random_reals<TestType>(seed);
    const std::vector<PixelBatch> parts{general(table, 0, table.size() / 3),
                                        general(table, table.size() / 3, table.size())};
    const auto dense = make_sum_aggregator(kIds, kCoarse, pixels::kind_of(type));
    CHECK(pixels_of<TestType>(grouped({rule(Aggregation::sum, type, type)}, parts)) ==
          pixels_of<TestType>(fed(*dense, parts)));
  }
}

TEST_CASE("each coarse pixel is reduced by the aggregation asked for, in table order") {
  const auto integers = [](Aggregation aggregation) {
    return counts_of(
        grouped({rule(aggregation, NumberType::i32, NumberType::i64)}, {compact(kFew)}));
  };
  CHECK(integers(Aggregation::max) == std::vector<Count>{{0, 0, 9}, {0, 1, 6}});
  CHECK(integers(Aggregation::min) == std::vector<Count>{{0, 0, -1}, {0, 1, 6}});
  CHECK(integers(Aggregation::first) == std::vector<Count>{{0, 0, 4}, {0, 1, 6}});
  CHECK(integers(Aggregation::last) == std::vector<Count>{{0, 0, 9}, {0, 1, 6}});
  CHECK(integers(Aggregation::size) == std::vector<Count>{{0, 0, 3}, {0, 1, 1}});
  const PixelBatch mean =
      grouped({rule(Aggregation::mean, NumberType::i32, NumberType::f64)}, {compact(kFew)});
  CHECK(pixels_of<double>(mean) == std::vector<TestPixel<double>>{{0, 0, 4.0}, {0, 1, 6.0}});
}

TEST_CASE("several columns are reduced side by side") {
  PixelBatch batch = general(kFew);
  batch.values.emplace_back(std::vector<double>{0.5, 0.25, 8.0, 0.125});
  const PixelBatch out = grouped({rule(Aggregation::sum, NumberType::i32, NumberType::i32),
                                  rule(Aggregation::max, NumberType::f64, NumberType::f64)},
                                 {batch});
  CHECK(pixels_of<std::int64_t>(out, 0) == std::vector<Count>{{0, 0, 12}, {0, 1, 6}});
  CHECK(pixels_of<double>(out, 1) == std::vector<TestPixel<double>>{{0, 0, 0.5}, {0, 1, 8.0}});
}

TEST_CASE("values are handed on as they read back from the stored type") {
  // 2049 lies half way between two float16 numbers; the even one is 2048.
  const std::vector<TestPixel<float>> table{{0, 0, 2048.0F}, {1, 1, 1.0F}};
  const PixelBatch half =
      grouped({{Aggregation::sum, NumberType::f16, NumberType::f16, true}}, {general(table)});
  CHECK(pixels_of<float>(half) == std::vector<TestPixel<float>>{{0, 0, 2048.0F}});
  CHECK(half.exact_total == 2049.0);

  const PixelBatch truncated = grouped({rule(Aggregation::mean, NumberType::i32, NumberType::i32)},
                                       {compact({{0, 0, 3}, {0, 1, 4}, {3, 3, -3}, {3, 4, -4}})});
  CHECK(counts_of(truncated) == std::vector<Count>{{0, 0, 3}, {1, 1, -3}});
}

TEST_CASE("the exact total is kept for the count column alone, and across rows") {
  const std::vector<Count> table{{0, 0, 1}, {0, 1, 2}, {3, 3, 5}};
  const auto total = [&](FieldRule asked) {
    return grouped({asked}, {compact(table)}).exact_total;
  };
  CHECK(total({Aggregation::mean, NumberType::i32, NumberType::i32, true}) == 6.5);
  CHECK_FALSE(total({Aggregation::mean, NumberType::i32, NumberType::i32, false}));
  CHECK_FALSE(total({Aggregation::sum, NumberType::i32, NumberType::i32, true}));
}

TEST_CASE("integers may outgrow the stored type, but not int64") {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const auto sum = [](std::int64_t a, std::int64_t b) {
    return counts_of(grouped({rule(Aggregation::sum, NumberType::i8, NumberType::i8)},
                             {general<std::int64_t>({{0, 0, a}, {0, 1, b}})}));
  };
  CHECK(sum(127, 127) == std::vector<Count>{{0, 0, 254}});
  CHECK(sum(most, 0) == std::vector<Count>{{0, 0, most}});
  CHECK_THROWS_WITH(sum(most, 1),
                    "coarse pixel (0, 0): a sum of pixel values is beyond a 64-bit integer");
}

TEST_CASE("plain sums take the dense way, all else the other") {
  const auto is_compact = [](FieldRule asked, const PixelBatch& in) {
    return fed(*make_aggregator(kIds, kCoarse, {asked}), {in}).compact;
  };
  CHECK(is_compact(rule(Aggregation::sum, NumberType::i32, NumberType::i32), compact(kFew)));
  CHECK(is_compact(rule(Aggregation::sum, NumberType::u8, NumberType::i64), compact(kFew)));
  CHECK_FALSE(is_compact(rule(Aggregation::max, NumberType::i32, NumberType::i32), compact(kFew)));
  const PixelBatch reals = fed(
      *make_aggregator(kIds, kCoarse, {rule(Aggregation::sum, NumberType::i32, NumberType::f64)}),
      {compact(kFew)});
  CHECK(pixels_of<double>(reals) == std::vector<TestPixel<double>>{{0, 0, 12.0}, {0, 1, 6.0}});
}

}  // namespace ziggurat::coarsen
