#include "balance/vanilla_coverage.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "small_maps.hpp"
#include "ziggurat/error.hpp"

using namespace ziggurat::balance;

namespace {

BalanceResult cover(const StoreLayout& layout, const std::vector<TestPixel>& table,
                    Coverage coverage) {
  Arena arena;
  PixelStore store = make_store(layout, table, arena);
  return vanilla_coverage(store, filter_bins(store, {0, 0, 0, {}}), coverage);
}

// The matrix [[2, 6, 0], [6, 3, 0], [0, 0, 0]]: rows sum to 8, 9, 0, all to 17.
const std::vector<TestPixel> kTable = {{0, 0, 2}, {0, 1, 6}, {1, 1, 3}};

}  // namespace

TEST_CASE("vanilla coverage: row sums, scaled to keep the sum of the matrix") {
  const BalanceResult result = cover(small_layout({0, 3}, 0), kTable, Coverage::plain);
  const double factor = std::sqrt((2 / 64.0 + 2 * 6 / 72.0 + 3 / 81.0) / 17);
  CHECK(result.divisive);
  CHECK(result.scale[0] == Approx(factor).epsilon(1e-14));
  CHECK(result.weights[0] == Approx(8 * factor).epsilon(1e-14));
  CHECK(result.weights[1] == Approx(9 * factor).epsilon(1e-14));
  CHECK(std::isnan(result.weights[2]));
  CHECK(result.all_converged());
}

TEST_CASE("the square root of vanilla coverage has a factor of its own") {
  const BalanceResult result = cover(small_layout({0, 3}, 0), kTable, Coverage::square_root);
  const double factor = std::sqrt((2 / 8.0 + 2 * 6 / std::sqrt(72.0) + 3 / 9.0) / 17);
  CHECK(result.weights[0] == Approx(std::sqrt(8.0) * factor).epsilon(1e-14));
  CHECK(result.weights[1] == Approx(3 * factor).epsilon(1e-14));
}

TEST_CASE("with contacts cis each chromosome is covered by itself") {
  const std::vector<TestPixel> table = {{0, 0, 4}, {0, 1, 50}, {1, 2, 9}};
  const BalanceResult result =
      cover(small_layout({0, 1, 3, 4}, 0, Contacts::cis), table, Coverage::plain);
  // A single cell c: row sum c, factor sqrt(1 / c / c), weight 1. A single contact c apart from
  // the diagonal: row sums c, factor the same, weights 1.
  CHECK(result.weights[0] == Approx(1).epsilon(1e-14));
  CHECK(result.weights[1] == Approx(1).epsilon(1e-14));
  CHECK(result.weights[2] == Approx(1).epsilon(1e-14));
  CHECK(std::isnan(result.weights[3]));
  CHECK(result.scale[0] == Approx(0.25));
  CHECK(result.scale[1] == Approx(1 / 9.0));
  CHECK(result.stop[2] == Stop::nothing_left);
}

TEST_CASE("vanilla coverage refuses a square map") {
  StoreLayout layout = small_layout({0, 3}, 0);
  layout.symmetry = Symmetry::square;
  CHECK_THROWS_AS(cover(layout, kTable, Coverage::plain), ziggurat::Error);
}
