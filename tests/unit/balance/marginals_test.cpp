// The pass against a plain loop over the table that follows cooler's order of additions literally,
// bit for bit, over everything that must not matter: threads, builders, where the arrays live.

#include "balance/marginals.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "small_maps.hpp"

using namespace ziggurat::balance;

namespace {

constexpr std::int64_t kBins = 420;

// Dense enough to be shared among threads; counts of all magnitudes, so that order shows.
std::vector<TestPixel> random_table(Symmetry symmetry) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<TestPixel> table;
  for (std::uint32_t i = 0; i < kBins; ++i) {
    for (std::uint32_t j = symmetry == Symmetry::upper ? i : 0; j < kBins; ++j) {
      if (i % 50 != 49 && unit(random) < 0.7) {
        table.push_back({i, j, unit(random) < 0.5 ? 1.0 : std::exp(20 * unit(random) - 10)});
      }
    }
  }
  return table;
}

Eigen::ArrayXd random_factors() {
  std::mt19937 random(8);
  std::uniform_real_distribution<double> unit(0.01, 3);
  Eigen::ArrayXd factors(kBins);
  for (double& f : factors) f = unit(random);
  return factors;
}

std::vector<double> plain_marginals(const StoreLayout& layout, const std::vector<TestPixel>& table,
                                    const Eigen::ArrayXd& factors, Summand summand) {
  std::vector<double> total(kBins, 0.0);
  const auto chunk = static_cast<std::size_t>(layout.chunk_pixels);
  for (std::size_t begin = 0; begin < table.size(); begin += chunk) {
    std::vector<double> rows(kBins, 0.0);
    std::vector<double> columns(kBins, 0.0);
    for (std::size_t k = begin; k < std::min(begin + chunk, table.size()); ++k) {
      const TestPixel& p = table[k];
      const bool ignored = std::abs(static_cast<int>(p.row) - static_cast<int>(p.column)) <
                           static_cast<int>(layout.ignore_diags);
      const double d = ignored ? 0.0 : p.count;
      const double value = summand == Summand::count ? d : (d != 0 ? 1.0 : 0.0);
      const double x = (factors[p.row] * factors[p.column]) * value;
      rows[p.row] += x;
      columns[p.column] += x;
    }
    for (std::size_t b = 0; b < total.size(); ++b) total[b] += rows[b] + columns[b];
  }
  return total;
}

std::vector<double> store_marginals(const PixelStore& store, const Eigen::ArrayXd& factors,
                                    Summand summand, int threads) {
  tbb::task_arena arena(threads);
  Eigen::ArrayXd sums(kBins);
  arena.execute([&] {
    const MarginalPass pass(store.segments(), Borders::genome);
    PassBuffers buffers;
    pass.run(factors, summand, 0, kBins, buffers, sums);
  });
  return {sums.begin(), sums.end()};
}

}  // namespace

TEST_CASE("marginals are those of the plain loop, to the bit") {
  // Threads even where there are not that many cores.
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 5);
  const Eigen::ArrayXd factors = random_factors();
  for (const Symmetry symmetry : {Symmetry::upper, Symmetry::square}) {
    const auto table = random_table(symmetry);
    for (const std::int64_t chunk_pixels : {10'000'000, 60'000, 40'001, 997}) {
      StoreLayout layout = small_layout({0, 200, kBins}, 2);
      layout.symmetry = symmetry;
      layout.chunk_pixels = chunk_pixels;
      const auto counts = plain_marginals(layout, table, factors, Summand::count);
      const auto numbers = plain_marginals(layout, table, factors, Summand::nonzero);
      for (const int threads : {1, 2, 5}) {
        for (const std::int64_t builders : {1, 3}) {
          CAPTURE(symmetry == Symmetry::upper, chunk_pixels, threads, builders);
          Arena arena;
          const PixelStore store = make_store(layout, table, arena, builders);
          CHECK((store_marginals(store, factors, Summand::count, threads) == counts));
          CHECK((store_marginals(store, factors, Summand::nonzero, threads) == numbers));
        }
      }
    }
  }
}

TEST_CASE("dropping masked bins changes no bit where their factor is 0") {
  const auto table = random_table(Symmetry::upper);
  const StoreLayout layout = small_layout({0, 200, kBins}, 2);
  Eigen::ArrayXd factors = random_factors();
  std::vector<bool> masked(kBins, false);
  for (std::size_t b = 0; b < masked.size(); b += 7) {
    masked[b] = true;
    factors[static_cast<Eigen::Index>(b)] = 0;
  }
  Arena arena;
  PixelStore store = make_store(layout, table, arena);
  const auto before = store_marginals(store, factors, Summand::count, 2);
  const std::int64_t pixels = store.pixels();
  store.drop(masked);
  CHECK(store.pixels() < pixels);
  CHECK((store_marginals(store, factors, Summand::count, 2) == before));
}

TEST_CASE("a store in a scratch file gives the same sums") {
  const auto table = random_table(Symmetry::upper);
  const StoreLayout layout = small_layout({0, kBins}, 2);
  Arena memory;
  Arena scratch(0, std::filesystem::temp_directory_path().string());
  const PixelStore in_memory = make_store(layout, table, memory);
  const PixelStore on_disk = make_store(layout, table, scratch);
  CHECK(scratch.scratch_bytes() > 0);
  CHECK((store_marginals(in_memory, random_factors(), Summand::count, 2) ==
         store_marginals(on_disk, random_factors(), Summand::count, 2)));
}
