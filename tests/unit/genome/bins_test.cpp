#include "genome/bins.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "code_of.hpp"

using Catch::Matchers::Contains;
using ziggurat::ErrorCode;
using ziggurat::genome::BinTable;
using ziggurat::genome::Chromosome;
using ziggurat::genome::kMaxBins;
using ziggurat::test::code_of;

namespace {

using Ids = std::vector<std::uint32_t>;
using Numbers = std::vector<std::int64_t>;
using Intervals = std::vector<std::pair<std::int64_t, std::int64_t>>;

Intervals intervals(const BinTable& bins) {
  Intervals all;
  for (std::int64_t bin = 0; bin < bins.n_bins(); ++bin) {
    all.emplace_back(bins.start(bin), bins.end(bin));
  }
  return all;
}

const std::vector<Chromosome> kTwo = {{"a", 35}, {"b", 18}};

// a: [0,7) [7,10) [10,21) [21,35)   b: [0,4) [4,18)
BinTable fragments() {
  return BinTable::explicit_bins(kTwo, {0, 4, 6}, {0, 7, 10, 21, 0, 4}, {7, 10, 21, 35, 4, 18},
                                 std::nullopt);
}

}  // namespace

TEST_CASE("uniform bins follow from lengths and size") {
  const BinTable bins = BinTable::uniform(kTwo, 10);
  CHECK(bins.is_uniform());
  CHECK(bins.bin_size() == 10);
  CHECK(bins.n_bins() == 6);
  CHECK(bins.n_chroms() == 2);
  CHECK(bins.total_length() == 53);
  CHECK(bins.chrom_offsets() == Numbers{0, 4, 6});
  CHECK(intervals(bins) == Intervals{{0, 10}, {10, 20}, {20, 30}, {30, 35}, {0, 10}, {10, 18}});
  CHECK(bins.chromosome_of(3) == 0);
  CHECK(bins.chromosome_of(4) == 1);
}

TEST_CASE("a chromosome that is a whole number of bins long gets no empty last bin") {
  const BinTable bins = BinTable::uniform({{"a", 20}, {"b", 21}, {"c", 1}}, 10);
  CHECK(intervals(bins) == Intervals{{0, 10}, {10, 20}, {0, 10}, {10, 20}, {20, 21}, {0, 1}});
}

TEST_CASE("a chromosome without bins owns none") {
  const BinTable bins = BinTable::uniform({{"empty", 0}, {"a", 10}, {"none", 0}, {"b", 5}}, 10);
  CHECK(bins.chrom_offsets() == Numbers{0, 0, 1, 1, 2});
  CHECK(bins.chromosome_of(0) == 1);
  CHECK(bins.chromosome_of(1) == 3);
}

TEST_CASE("coarsening a uniform table") {
  const BinTable bins = BinTable::uniform(kTwo, 10);
  const BinTable coarse = bins.coarsen(3);
  CHECK(coarse.is_uniform());
  CHECK(coarse.bin_size() == 30);
  CHECK(intervals(coarse) == Intervals{{0, 30}, {30, 35}, {0, 18}});
  CHECK(bins.coarse_ids(3) == Ids{0, 0, 0, 1, 2, 2});
  CHECK(bins.coarse_ids(1) == Ids{0, 1, 2, 3, 4, 5});
}

TEST_CASE("a fixed map keeps its label when every chromosome is one bin") {
  const BinTable coarse = BinTable::uniform(kTwo, 10).coarsen(100);
  CHECK(coarse.bin_size() == 1000);
  CHECK(intervals(coarse) == Intervals{{0, 35}, {0, 18}});
}

TEST_CASE("coarsening a variable table pools by position") {
  const BinTable bins = fragments();
  CHECK_FALSE(bins.is_uniform());
  CHECK_FALSE(bins.bin_size().has_value());
  const BinTable coarse = bins.coarsen(3);
  CHECK_FALSE(coarse.bin_size().has_value());
  CHECK(intervals(coarse) == Intervals{{0, 21}, {21, 35}, {0, 18}});
  CHECK(coarse.chrom_offsets() == Numbers{0, 2, 3});
  CHECK(bins.coarse_ids(3) == Ids{0, 0, 0, 1, 2, 2});
}

TEST_CASE("a variable map stays variable when a coarse level happens to have one width") {
  // Pooled by two, the only inner bin left is [0,10), a width of 10.
  const BinTable coarse = fragments().coarsen(2);
  CHECK(intervals(coarse) == Intervals{{0, 10}, {10, 35}, {0, 18}});
  CHECK_FALSE(coarse.bin_size().has_value());
}

TEST_CASE("coarsening twice is coarsening by the product") {
  const std::vector<Chromosome> chromosomes = {{"x", 1001}, {"y", 640}, {"z", 3}};
  for (const std::int64_t a : {2, 3, 7}) {
    for (const std::int64_t b : {2, 5}) {
      const BinTable uniform = BinTable::uniform(chromosomes, 9);
      CHECK(intervals(uniform.coarsen(a).coarsen(b)) == intervals(uniform.coarsen(a * b)));
      const BinTable variable = fragments();
      CHECK(intervals(variable.coarsen(a).coarsen(b)) == intervals(variable.coarsen(a * b)));
      const Ids fine = uniform.coarse_ids(a);
      const Ids next = uniform.coarsen(a).coarse_ids(b);
      Ids both;
      for (const std::uint32_t id : fine) both.push_back(next[id]);
      CHECK(both == uniform.coarse_ids(a * b));
    }
  }
}

TEST_CASE("last bins and chromosome lengths survive coarsening") {
  const std::vector<Chromosome> chromosomes = {
      {"armL", 63'999}, {"armR", 64'001}, {"mid", 50'250}, {"plas", 1'001}, {"mt", 730}};
  const BinTable base = BinTable::uniform(chromosomes, 1000);
  CHECK(base.chrom_offsets() == Numbers{0, 64, 129, 180, 182, 183});
  CHECK(base.coarsen(7).chrom_offsets() == Numbers{0, 10, 20, 28, 29, 30});
  CHECK(base.coarsen(64).chrom_offsets() == Numbers{0, 1, 3, 4, 5, 6});
  for (const std::int64_t k : {2, 5, 7, 14, 64}) {
    const BinTable coarse = base.coarsen(k);
    CHECK(coarse.chromosomes() == chromosomes);
    for (std::int64_t chrom = 0; chrom < 5; ++chrom) {
      CHECK(coarse.end(coarse.chrom_offset(chrom + 1) - 1) ==
            chromosomes[static_cast<std::size_t>(chrom)].length);
    }
  }
}

TEST_CASE("an explicit table that is uniform from 0 is held as such") {
  const BinTable labelled = BinTable::explicit_bins(kTwo, {0, 2, 3}, {0, 20, 0}, {20, 35, 18}, 20);
  CHECK(labelled.is_uniform());
  CHECK(labelled.bin_size() == 20);
  CHECK(intervals(labelled) == Intervals{{0, 20}, {20, 35}, {0, 18}});
  const BinTable unlabelled =
      BinTable::explicit_bins(kTwo, {0, 2, 3}, {0, 20, 0}, {20, 35, 18}, std::nullopt);
  CHECK(unlabelled.is_uniform());
  CHECK_FALSE(unlabelled.bin_size().has_value());
  CHECK_FALSE(unlabelled.coarsen(2).bin_size().has_value());
}

TEST_CASE("a fixed map whose first bin does not start at 0 is accepted and coarsened") {
  const BinTable bins =
      BinTable::explicit_bins({{"a", 65}}, {0, 4}, {30, 40, 50, 60}, {40, 50, 60, 65}, 10);
  CHECK_FALSE(bins.is_uniform());
  const BinTable coarse = bins.coarsen(3);
  CHECK(intervals(coarse) == Intervals{{30, 60}, {60, 65}});
  CHECK(coarse.bin_size() == 30);
  CHECK(bins.coarse_ids(3) == Ids{0, 0, 0, 1});
}

TEST_CASE("gaps between bins are accepted") {
  const BinTable bins = BinTable::explicit_bins({{"a", 90}}, {0, 3}, {0, 20, 80}, {10, 30, 90}, 10);
  CHECK(intervals(bins.coarsen(2)) == Intervals{{0, 30}, {80, 90}});
}

TEST_CASE("the chromosome length wins over a last bin that runs past it") {
  const BinTable bins = BinTable::explicit_bins(kTwo, {0, 4, 6}, {0, 10, 20, 30, 0, 10},
                                                {10, 20, 30, 40, 10, 20}, 10);
  CHECK(bins.is_uniform());
  CHECK(bins.end(3) == 35);
  CHECK(bins.end(5) == 18);
}

TEST_CASE(
    "where the last bin falls short, a full group keeps its end and a short one is extended") {
  const Numbers starts = {0, 10, 20};
  const Numbers ends = {10, 20, 25};
  const BinTable bins = BinTable::explicit_bins({{"a", 40}}, {0, 3}, starts, ends, std::nullopt);
  CHECK(bins.end(2) == 25);
  CHECK(intervals(bins.coarsen(3)) == Intervals{{0, 25}});
  CHECK(intervals(bins.coarsen(2)) == Intervals{{0, 20}, {20, 40}});
}

TEST_CASE("faults of a bin table are refused with the row") {
  const auto make = [](Numbers starts, Numbers ends, std::optional<std::int64_t> label) {
    return BinTable::explicit_bins(kTwo, {0, 2, 4}, std::move(starts), std::move(ends), label);
  };
  CHECK_NOTHROW(make({0, 10, 0, 10}, {10, 35, 10, 18}, 10));
  CHECK_THROWS_WITH(make({0, 10, 0, 9}, {10, 35, 10, 18}, std::nullopt), Contains("row 3"));
  CHECK_THROWS_WITH(make({10, 0, 0, 10}, {35, 10, 10, 18}, std::nullopt), Contains("row 1"));
  CHECK_THROWS_WITH(make({-1, 10, 0, 10}, {10, 35, 10, 18}, std::nullopt), Contains("row 0"));
  CHECK_THROWS_WITH(make({0, 10, 0, 10}, {10, 35, 10, 10}, std::nullopt), Contains("row 3"));
  CHECK_THROWS_WITH(make({0, 35, 0, 10}, {35, 40, 10, 18}, std::nullopt), Contains("row 1"));
  CHECK_THROWS_WITH(make({0, 10, 0, 12}, {10, 35, 12, 18}, 10), Contains("row 2"));
  CHECK_THROWS_WITH(make({0, 10, 0, 10}, {10, 35, 10, 18}, 0), Contains("not positive"));
  CHECK(code_of([&] { return make({0, 10, 0, 9}, {10, 35, 10, 18}, 10); }) == ErrorCode::format);
}

TEST_CASE("columns and offsets that disagree are refused") {
  const auto make = [](Numbers offsets, Numbers ends) {
    return code_of([&] {
      return BinTable::explicit_bins(kTwo, offsets, {0, 10, 0}, ends, std::nullopt);
    });
  };
  CHECK(make({0, 2, 3}, {10, 35}) == ErrorCode::format);
  CHECK(make({0, 3}, {10, 35, 18}) == ErrorCode::format);
  CHECK(make({0, 2, 4}, {10, 35, 18}) == ErrorCode::format);
  CHECK(make({1, 2, 3}, {10, 35, 18}) == ErrorCode::format);
  CHECK(make({0, 4, 3}, {10, 35, 18}) == ErrorCode::format);
  CHECK(make({}, {10, 35, 18}) == ErrorCode::format);
  CHECK(code_of([] {
          return BinTable::explicit_bins({{"a", -1}}, {0, 0}, {}, {}, std::nullopt);
        }) == ErrorCode::format);
}

TEST_CASE("requests for impossible bins are usage errors") {
  CHECK(code_of([] { return BinTable::uniform(kTwo, 0); }) == ErrorCode::usage);
  CHECK(code_of([] { return BinTable::uniform({{"a", -5}}, 10); }) == ErrorCode::usage);
  CHECK(code_of([] { return BinTable::uniform(kTwo, 10).coarsen(0); }) == ErrorCode::usage);
  CHECK(code_of([] { return fragments().coarsen(-2); }) == ErrorCode::usage);
  CHECK(code_of([] { return fragments().coarse_ids(0); }) == ErrorCode::usage);
  CHECK(code_of([] { return BinTable::uniform(kTwo, 10).coarsen(std::int64_t{1} << 60); }) ==
        ErrorCode::usage);
}

TEST_CASE("bins are limited to what 32-bit ids can number") {
  CHECK(BinTable::uniform({{"a", kMaxBins}}, 1).n_bins() == 4'294'967'294);
  CHECK(code_of([] { return BinTable::uniform({{"a", kMaxBins + 1}}, 1); }) == ErrorCode::usage);
  CHECK(code_of([] {
          return BinTable::uniform({{"a", kMaxBins}, {"b", 1}}, 1);
        }) == ErrorCode::usage);
  CHECK(code_of([] {
          return BinTable::uniform({{"a", INT64_MAX}, {"b", INT64_MAX}}, 1);
        }) == ErrorCode::usage);
}

TEST_CASE("a factor larger than any chromosome pools each into one bin") {
  const BinTable coarse = fragments().coarsen(INT64_MAX);
  CHECK(intervals(coarse) == Intervals{{0, 35}, {0, 18}});
}
