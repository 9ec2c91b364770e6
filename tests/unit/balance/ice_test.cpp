#include "balance/ice.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "small_maps.hpp"
#include "ziggurat/error.hpp"

using namespace ziggurat::balance;

namespace {

constexpr FilterOptions kOff{0, 0, 0, {}};
const double kNaN = std::numeric_limits<double>::quiet_NaN();

BalanceResult balance(const StoreLayout& layout, const std::vector<TestPixel>& table,
                      const FilterOptions& filters = kOff, const IceOptions& options = {}) {
  Arena arena;
  PixelStore store = make_store(layout, table, arena);
  const BinMask mask = filter_bins(store, filters);
  return iterative_correction(store, mask, options);
}

void check_weights(const BalanceResult& result, const std::vector<double>& expected) {
  REQUIRE(result.weights.size() == static_cast<Eigen::Index>(expected.size()));
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const double weight = result.weights[static_cast<Eigen::Index>(b)];
    CAPTURE(b, weight, expected[b]);
    CHECK((std::isnan(expected[b]) ? std::isnan(weight)
                                   : weight == Approx(expected[b]).epsilon(1e-12)));
  }
}

// Three bins, contacts a, b, c between them: rows sum to 1 only where every balanced contact is
// 1/2, so the weight of the bin that a and b meet in is sqrt(c / (2 a b)).
const std::vector<TestPixel> kTriangle = {{0, 1, 4}, {0, 2, 9}, {1, 2, 25}};
const std::vector<double> kTriangleWeights = {
    std::sqrt(25 / (2.0 * 4 * 9)), std::sqrt(9 / (2.0 * 4 * 25)), std::sqrt(4 / (2.0 * 9 * 25))};

}  // namespace

TEST_CASE("the fixed point makes all rows sum to one") {
  IceOptions options;
  options.tol = 1e-24;
  const BalanceResult result = balance(small_layout({0, 3}, 1), kTriangle, kOff, options);
  check_weights(result, kTriangleWeights);
  CHECK(result.all_converged());
  CHECK(result.stop == std::vector{Stop::converged});
  CHECK_FALSE(result.divisive);
}

TEST_CASE("small marginals are not taken for equal ones") {
  auto table = kTriangle;
  for (TestPixel& p : table) p.count /= 1048576;
  const BalanceResult result = balance(small_layout({0, 3}, 1), table);
  // After one round the variance is about 1e-10, yet rows differ by half.
  CHECK(result.rounds[0] > 3);
  CHECK(result.all_converged());
  const double first = result.weights[0] * result.weights[1] * table[0].count;
  CHECK(first == Approx(0.5).epsilon(0.01));
}

TEST_CASE("one pixel: its bins get 1/sqrt(count), the rest depends on the filters") {
  const std::vector<TestPixel> table = {{0, 3, 4}};
  const BalanceResult plain = balance(small_layout({0, 4, 6}, 2), table);
  check_weights(plain, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
  CHECK(plain.scale == std::vector{4.0});
  CHECK(plain.var == std::vector{0.0});
  CHECK(plain.rounds == std::vector{1});

  FilterOptions mad = kOff;
  mad.mad_max = 5;
  check_weights(balance(small_layout({0, 4, 6}, 2), table, mad), {0.5, kNaN, kNaN, 0.5, 0.5, 0.5});

  FilterOptions nnz = kOff;
  nnz.min_nnz = 1;
  check_weights(balance(small_layout({0, 4, 6}, 2), table, nnz),
                {0.5, kNaN, kNaN, 0.5, kNaN, kNaN});
}

TEST_CASE("nothing to balance: weights NaN, variance 0, converged") {
  FilterOptions blacklist = kOff;
  blacklist.blacklist = {true, true, true};
  const std::vector<BalanceResult> results = {
      balance(small_layout({0, 3}, 0), {}),                      // no pixels
      balance(small_layout({0, 3}, 1), {{0, 0, 5}, {1, 1, 5}}),  // the diagonal only
      balance(small_layout({0, 3}, 0), {{0, 1, 0}, {1, 2, 0}}),  // zeros only
      balance(small_layout({0, 3}, 0), {{0, 1, 5}}, blacklist),  // all bins masked
  };
  for (const BalanceResult& result : results) {
    check_weights(result, {kNaN, kNaN, kNaN});
    CHECK(std::isnan(result.scale[0]));
    CHECK(result.var[0] == 0);
    CHECK(result.all_converged());
    CHECK(result.stop[0] == Stop::nothing_left);
  }
}

TEST_CASE("a map without bins") {
  const BalanceResult result = balance(small_layout({0}, 2), {});
  CHECK(result.weights.size() == 0);
  CHECK(result.all_converged());
}

TEST_CASE("a NaN spreads to all weights, and the rounds end at once") {
  FilterOptions masked = kOff;
  masked.blacklist = {false, false, true};
  const std::vector<TestPixel> table = {{0, 1, 4}, {1, 2, kNaN}};
  for (const FilterOptions& filters : {kOff, masked}) {
    const BalanceResult result = balance(small_layout({0, 3}, 0), table, filters);
    check_weights(result, {kNaN, kNaN, kNaN});
    CHECK(std::isnan(result.var[0]));
    CHECK_FALSE(result.all_converged());
    CHECK(result.stop[0] == Stop::not_finite);
    CHECK(result.rounds[0] == 1);
  }
}

TEST_CASE("pairs of bins apart from each other never converge") {
  IceOptions options;
  options.max_rounds = 20;
  const BalanceResult result =
      balance(small_layout({0, 4}, 1), {{0, 1, 1}, {2, 3, 4}}, kOff, options);
  CHECK_FALSE(result.all_converged());
  CHECK(result.stop[0] == Stop::max_rounds);
  CHECK(result.rounds[0] == 20);
  // Marginals 1 and 4 at first; a round maps m to mean^2 / m, so they stay a factor of 4 apart.
  CHECK(result.var[0] / (result.scale[0] * result.scale[0]) == Approx(0.36));
}

TEST_CASE("a variance that keeps growing is noticed, and ends the rounds on request") {
  // Bins 0 and 1 alone have no solution either: the row of 1 holds that of 0 and 12 times its own
  // factor more.
  const std::vector<TestPixel> table = {{0, 1, 2}, {1, 1, 6}, {2, 2, 1}};
  IceOptions options;
  const BalanceResult all = balance(small_layout({0, 3}, 0), table, kOff, options);
  CHECK(all.stop[0] == Stop::growing);
  CHECK(all.rounds[0] == 200);
  CHECK_FALSE(all.all_converged());

  options.growth = Growth::stop;
  const BalanceResult early = balance(small_layout({0, 3}, 0), table, kOff, options);
  CHECK(early.stop[0] == Stop::growing);
  CHECK(early.rounds[0] < 50);
  CHECK_FALSE(early.all_converged());
}

TEST_CASE("accelerated rounds come to the same fixed point") {
  IceOptions options;
  options.iteration = Iteration::anderson;
  options.tol = 1e-20;
  const BalanceResult result = balance(small_layout({0, 3}, 1), kTriangle, kOff, options);
  check_weights(result, kTriangleWeights);
  CHECK(result.all_converged());
  CHECK(result.var[0] < kAcceleratedTol * 1e-20);
}

TEST_CASE("accelerated rounds are fewer, and their weights as good") {
  constexpr std::uint32_t kBins = 400;
  std::mt19937 random(7);
  std::vector<TestPixel> table;
  for (std::uint32_t row = 0; row < kBins; ++row) {
    for (std::uint32_t column = row; column < kBins; ++column) {
      const double count = 4000.0 / (1 + column - row) * (1 + row % 5) * (1 + column % 5);
      table.push_back({row, column, std::floor(count) + static_cast<double>(random() % 10)});
    }
  }
  const StoreLayout layout = small_layout({0, kBins}, 2);
  IceOptions exact;
  exact.tol = 1e-14;
  exact.max_rounds = 2000;
  const BalanceResult solution = balance(layout, table, kOff, exact);
  REQUIRE(solution.all_converged());
  const BalanceResult plain = balance(layout, table, kOff, {});
  IceOptions options;
  options.iteration = Iteration::anderson;
  const BalanceResult accelerated = balance(layout, table, kOff, options);
  CHECK(accelerated.all_converged());
  CHECK(accelerated.rounds[0] * 2 < plain.rounds[0]);
  CHECK((accelerated.weights / solution.weights - 1).abs().maxCoeff() < 2e-4);
}

TEST_CASE("accelerated rounds end where there is no solution") {
  IceOptions options;
  options.iteration = Iteration::anderson;
  options.max_rounds = 500;
  const std::vector<std::vector<TestPixel>> tables = {
      {{0, 1, 2}, {1, 1, 6}, {2, 2, 1}},               // the variance only grows
      {{0, 2, 4}, {1, 2, 9}, {2, 2, 1}},               // two bins that meet only a third
      {{0, 1, 5}},                                     // a single pixel
      {{1, 1, 5}},                                     // on the diagonal
      {{0, 1, 5}, {1, 2, -5}},                         // a negative count
      {{0, 1, 5}, {1, 2, -5}, {0, 0, -3}},             // negative marginals
      {{0, 1, kNaN}, {1, 2, 3}},                       // no number
      {{0, 1, 1e300}, {1, 2, 1e-300}, {0, 2, 1e300}},  // overflow
      {},
  };
  for (const std::vector<TestPixel>& table : tables) {
    const BalanceResult result = balance(small_layout({0, 3}, 0), table, kOff, options);
    CAPTURE(&table - tables.data());
    CHECK(result.rounds[0] <= 500);
    const bool finite = (result.weights.isFinite() || result.weights.isNaN()).all();
    CHECK((finite || !result.all_converged()));
  }
}

TEST_CASE("accelerated, a bin without contacts keeps its factor as in plain rounds") {
  const std::vector<TestPixel> table = {{0, 1, 4}};
  IceOptions options;
  options.iteration = Iteration::anderson;
  const BalanceResult result = balance(small_layout({0, 3}, 1), table, kOff, options);
  check_weights(result, {1 / 2.0, 1 / 2.0, 1 / 2.0});
}

TEST_CASE("no rounds: weights from the filters alone, not converged") {
  FilterOptions filters = kOff;
  filters.blacklist = {false, true, false};
  IceOptions options;
  options.max_rounds = 0;
  const BalanceResult result = balance(small_layout({0, 3}, 1), kTriangle, filters, options);
  check_weights(result, {1, kNaN, 1});
  CHECK(result.scale == std::vector{1.0});
  CHECK(std::isnan(result.var[0]));
  CHECK_FALSE(result.all_converged());
}

TEST_CASE("with contacts cis every chromosome is balanced by itself") {
  // chr1: bins 0 1, chr2: bins 2 3 with more, chr3: bin 4 with contacts to others only.
  const std::vector<TestPixel> table = {{0, 1, 4}, {1, 2, 100}, {2, 3, 9}, {3, 4, 50}};
  const BalanceResult result = balance(small_layout({0, 2, 4, 5}, 1, Contacts::cis), table);
  check_weights(result, {1 / 2.0, 1 / 2.0, 1 / 3.0, 1 / 3.0, kNaN});
  REQUIRE(result.scale.size() == 3);
  CHECK(result.scale[0] == 4);
  CHECK(result.scale[1] == 9);
  CHECK(std::isnan(result.scale[2]));
  CHECK(result.var == std::vector{0.0, 0.0, 0.0});
  CHECK(result.converged == std::vector{true, true, true});
  CHECK(result.stop == std::vector{Stop::converged, Stop::converged, Stop::nothing_left});
}

TEST_CASE("with contacts trans long chromosomes have fewer partners") {
  // Two chromosomes of one and three bins: partner weights 4/3 and 4. The contact 8 between bins
  // 0 and 1 counts 8 * 16/3, and that is the mean; what lies within a chromosome does not count.
  const std::vector<TestPixel> table = {{0, 1, 8}, {1, 2, 1000}};
  const BalanceResult result = balance(small_layout({0, 1, 4}, 0, Contacts::trans), table);
  CHECK(result.scale[0] == Approx(8 * 16 / 3.0));
  const double weight = 1 / std::sqrt(8 * 16 / 3.0);
  check_weights(result, {weight, weight, weight, weight});
}

TEST_CASE("contacts between chromosomes need more than one chromosome") {
  const BalanceResult result = balance(small_layout({0, 3, 3}, 0, Contacts::trans), kTriangle);
  check_weights(result, {kNaN, kNaN, kNaN});
  CHECK(result.stop[0] == Stop::no_trans);
  CHECK_FALSE(result.all_converged());
  CHECK(result.rounds[0] == 0);
}

TEST_CASE("progress is told after each round, and the caller may stop") {
  std::vector<int> rounds;
  IceOptions options;
  options.keep_going = [&](const Round& round) {
    CHECK(round.chromosome == -1);
    rounds.push_back(round.number);
    return round.number < 3;
  };
  options.tol = 0;
  try {
    (void)balance(small_layout({0, 3}, 1), kTriangle, kOff, options);
    FAIL("not cancelled");
  } catch (const ziggurat::Error& e) {
    CHECK(e.code() == ziggurat::ErrorCode::cancelled);
  }
  CHECK(rounds == std::vector{1, 2, 3});
}

// Equal to the bit, NaN included.
bool same_bits(const Eigen::ArrayXd& a, const Eigen::ArrayXd& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

TEST_CASE("weights do not depend on threads or builders") {
  // Threads even where there are not that many cores.
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 5);
  std::mt19937 random(3);
  std::uniform_int_distribution<int> count(0, 400);
  std::vector<TestPixel> table;
  for (std::uint32_t i = 0; i < 400; ++i) {
    for (std::uint32_t j = i; j < 400; ++j) {
      table.push_back({i, j, static_cast<double>(count(random))});
    }
  }
  for (const Contacts contacts : {Contacts::all, Contacts::cis, Contacts::trans}) {
    const StoreLayout layout = small_layout({0, 300, 380, 400}, 2, contacts);
    Eigen::ArrayXd first;
    for (const int threads : {1, 2, 4}) {
      Arena arena;
      PixelStore store = make_store(layout, table, arena, threads);
      tbb::task_arena(threads).execute([&] {
        const BinMask mask = filter_bins(store, {});
        const BalanceResult result = iterative_correction(store, mask, {});
        CHECK(result.rounds[0] > 3);
        if (threads == 1) first = result.weights;
        CHECK(same_bits(result.weights, first));
      });
    }
  }
}

TEST_CASE("a distance is covered by whole diagonals") {
  CHECK(diags_for_distance(2, 3500, 1000) == 4);
  CHECK(diags_for_distance(2, 4000, 1000) == 4);
  CHECK(diags_for_distance(2, 1, 1000) == 2);
  CHECK(diags_for_distance(2, 0, 1000) == 2);
}
