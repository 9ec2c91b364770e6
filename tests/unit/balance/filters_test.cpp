#include "balance/filters.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "small_maps.hpp"

using namespace ziggurat::balance;

namespace {

constexpr FilterOptions kOff{0, 0, 0, {}};

// One character a bin for the rule that masked it.
std::string rules(const PixelStore& store, const FilterOptions& options) {
  std::string marks;
  for (const MaskRule rule : filter_bins(store, options).rule) {
    marks += std::string(".ncmb")[static_cast<std::size_t>(rule)];
  }
  return marks;
}

// Marginals 9, 4, 8, 7, 0; numbers of non-zero pixels 3, 2, 3, 2, 0.
const std::vector<TestPixel> kTable = {{0, 1, 1}, {0, 2, 3}, {0, 3, 5}, {1, 2, 3},
                                       {1, 3, 0}, {2, 3, 2}, {3, 4, 0}};

}  // namespace

TEST_CASE("min_nnz does not count zeros, min_count sums") {
  Arena arena;
  const PixelStore store = make_store(small_layout({0, 5}, 0), kTable, arena);
  FilterOptions options = kOff;
  CHECK(rules(store, options) == ".....");
  options.min_nnz = 3;
  CHECK(rules(store, options) == ".n.nn");
  options = kOff;
  options.min_count = 7;
  CHECK(rules(store, options) == ".c..c");
}

TEST_CASE("a pixel on the diagonal counts twice") {
  Arena arena;
  const PixelStore store = make_store(small_layout({0, 2}, 0), {{0, 0, 2}, {1, 1, 1}}, arena);
  FilterOptions options = kOff;
  options.min_count = 3;
  CHECK(rules(store, options) == ".c");
  options = kOff;
  options.min_nnz = 2;
  CHECK(rules(store, options) == "..");
}

TEST_CASE("mad_max cuts below the median of the logarithms, by plain deviations") {
  // Rings of equal weight: every bin has two neighbours. Marginals 8, 8, 8, 8, 2, 2 within one
  // chromosome: median 8, so logs 0 (four times) and ln 1/4 (twice); their median is 0, the
  // deviations' median 0, and the cutoff 1: the two small ones go, however large mad_max is.
  Arena arena;
  const std::vector<TestPixel> even = {{0, 1, 4}, {0, 3, 4}, {1, 2, 4}, {2, 3, 4}, {4, 5, 2}};
  FilterOptions options = kOff;
  options.mad_max = 100;
  CHECK(rules(make_store(small_layout({0, 6}, 0), even, arena), options) == "....mm");

  // Marginals 1, 2, 4, 8 and 16 (each with a mirror in the same pair): median 4, logs of
  // 1/4, 1/2, 1, 2, 4 in steps of ln 2; deviation ln 2. Cutoffs: 2^-1.5 cuts 1/4 only, 2^-0.5 also
  // 1/2.
  const std::vector<TestPixel> spread = {{0, 5, 1}, {1, 6, 2}, {2, 7, 4}, {3, 8, 8}, {4, 9, 16}};
  const PixelStore store = make_store(small_layout({0, 10}, 0), spread, arena);
  options.mad_max = 1.5;
  CHECK(rules(store, options) == "m....m....");
  options.mad_max = 0.5;
  CHECK(rules(store, options) == "mm...mm...");
}

TEST_CASE("mad_max takes an empty bin, but not a chromosome without any contact") {
  Arena arena;
  const PixelStore store = make_store(small_layout({0, 4, 6}, 0), {{0, 3, 4}}, arena);
  FilterOptions options = kOff;
  options.mad_max = 5;
  CHECK(rules(store, options) == ".mm...");
}

TEST_CASE("a bin is booked under the first rule that takes it") {
  Arena arena;
  const PixelStore store = make_store(small_layout({0, 5}, 0), kTable, arena);
  FilterOptions options = kOff;
  options.min_nnz = 1;
  options.min_count = 5;
  options.blacklist = {false, true, true, false, true};
  CHECK(rules(store, options) == ".cb.n");
  const BinMask mask = filter_bins(store, options);
  CHECK(mask.counts() == std::array<std::int64_t, kMaskRules>{2, 1, 1, 0, 1});
  CHECK(mask.masked == std::vector<bool>{false, true, true, false, true});
}
