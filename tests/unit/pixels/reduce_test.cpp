#include "pixels/reduce.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reduce_table.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::pixels {
namespace {

Column reduced(Aggregation aggregation, const Column& values,
               const std::vector<std::int64_t>& bounds) {
  Column out = make_column(result_kind(aggregation, kind_of(values)));
  reduce_groups(aggregation, values, bounds, out);
  return out;
}

// Equal to the last bit, where every NaN is as good as another.
bool same(std::int64_t a, std::int64_t b) { return a == b; }
bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void require_same(const Column& found, const Column& expected) {
  REQUIRE(found.index() == expected.index());
  REQUIRE(size(found) == size(expected));
  std::visit(
      [&found]<typename Values>(const Values& values) {
        for (std::size_t g = 0; g < values.size(); ++g) {
          INFO("group " << g << ": " << std::get<Values>(found)[g] << " for " << values[g]);
          CHECK(same(std::get<Values>(found)[g], values[g]));
        }
      },
      expected);
}

void require_table(const ReduceTable& table) {
  for (const auto& [aggregation, expected] : table.expected) {
    INFO(name(aggregation));
    require_same(reduced(aggregation, table.values, table.bounds), expected);
  }
}

template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  FAIL("nothing was thrown");
  return {ErrorCode::internal, ""};
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("integers are reduced as pandas reduces them") { require_table(kIntegerTable); }
TEST_CASE("floats are reduced as pandas reduces them") { require_table(kFloatTable); }
TEST_CASE("doubles are reduced as pandas reduces them") { require_table(kDoubleTable); }

TEST_CASE("the table covers every aggregation") { CHECK(kDoubleTable.expected.size() == 16); }

TEST_CASE("a float sum is compensated in float") {
  // 2^24 + 1 is no float: plainly added the ones are lost, and in double they would all count.
  const Column values = std::vector<float>{16777216.0F, 1.0F, 1.0F, 1.0F};
  require_same(reduced(Aggregation::sum, values, {0, 4}), std::vector<float>{16777220.0F});
}

TEST_CASE("groups are reduced apart and results are appended") {
  const Column values = std::vector<std::int64_t>{9, 1, 2, 3, 4, 9};
  Column out = std::vector<std::int64_t>{100};
  reduce_groups(Aggregation::sum, values, std::vector<std::int64_t>{1, 2, 5}, out);
  require_same(out, std::vector<std::int64_t>{100, 1, 9});
}

TEST_CASE("no groups give no results") {
  require_same(reduced(Aggregation::sum, std::vector<double>{}, {}), std::vector<double>{});
  require_same(reduced(Aggregation::sum, std::vector<double>{}, {0}), std::vector<double>{});
}

TEST_CASE("an integer sum beyond 64 bits is refused, and the group can be told") {
  Column out = make_column(ColumnKind::integer);
  const Column values = std::vector<std::int64_t>{1, 2, kMost, 1, 5};
  const Error error = error_of([&] {
    reduce_groups(Aggregation::sum, values, std::vector<std::int64_t>{0, 2, 4, 5}, out);
  });
  CHECK(error.code() == ErrorCode::format);
  CHECK(size(out) == 1);
}

TEST_CASE("the greatest and least sums are not refused") {
  const Column values = std::vector<std::int64_t>{kMost - 1, 1, -kMost, -1};
  require_same(reduced(Aggregation::sum, values, {0, 2, 4}),
               std::vector<std::int64_t>{kMost, std::numeric_limits<std::int64_t>::min()});
}

TEST_CASE("an integer product beyond 64 bits is refused") {
  const Column values = std::vector<std::int64_t>{kMost, 2};
  CHECK(error_of([&] {
          (void)reduced(Aggregation::prod, values, {0, 2});
        }).code() == ErrorCode::format);
}

TEST_CASE("bounds that are no groups are our own mistake") {
  const Column values = std::vector<std::int64_t>{1, 2};
  for (const std::vector<std::int64_t>& bounds :
       {std::vector<std::int64_t>{0, 3}, {-1, 1}, {0, 1, 1}, {1, 0}}) {
    CHECK(error_of([&] { (void)reduced(Aggregation::sum, values, bounds); }).code() ==
          ErrorCode::internal);
  }
}

TEST_CASE("a result column of the wrong kind is our own mistake") {
  Column out = make_column(ColumnKind::integer);
  CHECK(error_of([&] {
          reduce_groups(Aggregation::mean, std::vector<std::int64_t>{1},
                        std::vector<std::int64_t>{0, 1}, out);
        }).code() == ErrorCode::internal);
}

TEST_CASE("aggregation names go both ways") {
  CHECK(parse_aggregation("nunique") == Aggregation::nunique);
  CHECK(parse_aggregation("sum") == Aggregation::sum);
  CHECK(name(Aggregation::sem) == "sem");
  CHECK_FALSE(parse_aggregation("Sum").has_value());
  CHECK_FALSE(parse_aggregation("").has_value());
}

}  // namespace ziggurat::pixels
