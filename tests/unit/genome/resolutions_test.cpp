#include "genome/resolutions.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ziggurat/error.hpp"

using Catch::Matchers::Contains;
using ziggurat::Error;
using ziggurat::ErrorCode;
using ziggurat::genome::BinTable;
using ziggurat::genome::expand_resolutions;
using ziggurat::genome::ladder_range;
using ziggurat::genome::LadderRange;
using ziggurat::genome::legacy_zoom_levels;
using ziggurat::genome::LevelPlan;
using ziggurat::genome::plan_levels;

namespace {

using List = std::vector<std::int64_t>;

// 12,750,000 bp / 256 = 49,804.7, so ladders end at 49,805.
const BinTable& yeast_like() {
  static const BinTable bins = BinTable::uniform({{"chrI", 7'400'300}, {"chrII", 5'349'700}}, 1000);
  return bins;
}

List expanded(const std::string& text) {
  return expand_resolutions(text, ladder_range(yeast_like()));
}

std::vector<LevelPlan> planned(const List& requested, const List& bases) {
  return plan_levels(requested, bases);
}

void check_refused(const std::string& text, const std::string& named_part) {
  INFO("-r '" << text << "'");
  try {
    static_cast<void>(expanded(text));
    FAIL_CHECK("was accepted");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::usage);
    CHECK_THAT(error.what(), Contains("'" + named_part + "'"));
    CHECK_THAT(error.what(), Contains("resolution"));
  }
}

}  // namespace

TEST_CASE("the range of a fixed map runs from its bin size to a tile") {
  const LadderRange range = ladder_range(yeast_like());
  CHECK(range.current == 1000);
  CHECK(range.maximum == 49'805);
  CHECK(ladder_range(BinTable::uniform({{"a", 2560}}, 5)).maximum == 10);
  CHECK(ladder_range(BinTable::uniform({{"a", 2561}}, 5)).maximum == 11);
}

TEST_CASE("the range of a variable map counts bins") {
  // 700 bins of mean width 1.5: 1050 / 1.5 / 256 = 2.73.
  List starts;
  List ends;
  std::int64_t position = 0;
  for (int bin = 0; bin < 700; ++bin) {
    starts.push_back(position);
    position += bin % 2 == 0 ? 1 : 2;
    ends.push_back(position);
  }
  const LadderRange range =
      ladder_range(BinTable::explicit_bins({{"a", 1050}}, {0, 700}, starts, ends, std::nullopt));
  CHECK(range.current == 1);
  CHECK(range.maximum == 3);
  CHECK(expand_resolutions("B", range) == List{1, 2});
  CHECK(ladder_range(BinTable::explicit_bins({{"a", 10}}, {0, 0}, {}, {}, std::nullopt)).maximum ==
        0);
}

TEST_CASE("integers mean themselves, in the order asked for, once") {
  CHECK(expanded("5000,1000,2000") == List{5000, 1000, 2000});
  CHECK(expanded("2000,1000,2000,1000") == List{2000, 1000});
  CHECK(expanded(" 1000,2000 ,\t4000") == List{1000, 2000, 4000});
  CHECK(expanded("+1000,1_000_000") == List{1000, 1'000'000});
  CHECK(expanded("90000000") == List{90'000'000});
}

TEST_CASE("documented ladders expand as documented") {
  CHECK(expanded("B") == List{1000, 2000, 4000, 8000, 16000, 32000});
  CHECK(expanded("N") == List{1000, 2000, 5000, 10000, 20000});
  CHECK(expanded("1000N") == List{1000, 2000, 5000, 10000, 20000});
  CHECK(expanded("2000N") == List{2000, 4000, 10000, 20000, 40000});
  CHECK(expanded("2000B") == List{2000, 4000, 8000, 16000, 32000});
  CHECK(expanded("4DN") == List{1000, 2000, 5000, 10000, 25000});
  CHECK(expanded("1000,5000N") == List{1000, 5000, 10000, 25000});
  CHECK(expanded("3_000b") == List{3000, 6000, 12000, 24000, 48000});
}

TEST_CASE("ladders of a large genome go on by decades") {
  const LadderRange human{1000, 12'000'000};
  CHECK(expand_resolutions("5000n", human) == List{5000, 10000, 25000, 50000, 100000, 250000,
                                                   500000, 1000000, 2500000, 5000000, 10000000});
  CHECK(expand_resolutions("4DN", human) == List{1000, 2000, 5000, 10000, 25000, 50000, 100000,
                                                 250000, 500000, 1000000, 2500000, 5000000,
                                                 10000000});
}

TEST_CASE("the case of letters does not matter") {
  CHECK(expanded("b") == expanded("B"));
  CHECK(expanded("4dn") == expanded("4DN"));
  CHECK(expanded("2000n") == expanded("2000N"));
}

TEST_CASE("ladders include their maximum and may be empty") {
  CHECK(expand_resolutions("B", {1000, 4000}) == List{1000, 2000, 4000});
  CHECK(expand_resolutions("B", {1000, 3999}) == List{1000, 2000});
  CHECK(expand_resolutions("N", {10, 100}) == List{10, 20, 50, 100});
  CHECK(expand_resolutions("N", {10, 99}) == List{10, 20, 50});
  CHECK(expand_resolutions("B", {1000, 999}).empty());
  CHECK(expand_resolutions("5000N", {1000, 4999}).empty());
  CHECK(expand_resolutions("4DN", {1000, 100}) == List{1000, 2000});
}

TEST_CASE("ladders up to the largest integer end") {
  CHECK(expand_resolutions("B", {1, INT64_MAX}).size() == 63);
  // 3 a decade for 10^0 to 10^17, then 1, 2 and 5 times 10^18.
  CHECK(expand_resolutions("N", {1, INT64_MAX}).size() == 57);
}

TEST_CASE("what is not in the grammar is refused by part") {
  check_refused("", "");
  check_refused(" ", "");
  check_refused("2000,,4000", "");
  check_refused("2000,", "");
  check_refused("1k", "1k");
  check_refused("2000,abc", "abc");
  check_refused("2000.5", "2000.5");
  check_refused("0", "0");
  check_refused("-2000", "-2000");
  check_refused("1000,0N", "0N");
  check_refused("-5B", "-5B");
  check_refused("5DN", "5DN");
  check_refused("NB", "NB");
  check_refused("1__0", "1__0");
  check_refused("_10", "_10");
  check_refused("10_", "10_");
  check_refused("99999999999999999999", "99999999999999999999");
}

TEST_CASE("each level comes from the largest smaller one that divides it") {
  CHECK(planned({100, 200, 500, 1000, 3000}, {100}) ==
        std::vector<LevelPlan>{
            {100, -1, 1, 0}, {200, 0, 2, 0}, {500, 0, 5, 0}, {1000, 2, 2, 0}, {3000, 3, 3, 0}});
}

TEST_CASE("members of the list need not divide each other") {
  CHECK(planned({3000, 2000}, {1000}) ==
        std::vector<LevelPlan>{{1000, -1, 1, 0}, {2000, 0, 2, 0}, {3000, 0, 3, 0}});
}

TEST_CASE("the base is a level whether asked for or not, and levels are made once") {
  CHECK(planned({}, {1000}) == std::vector<LevelPlan>{{1000, -1, 1, 0}});
  CHECK(planned({1000, 2000, 2000}, {1000}) == planned({2000}, {1000}));
}

TEST_CASE("several bases are taken as they are and each level knows whose descendant it is") {
  CHECK(planned({3000, 20000, 50000}, {10000, 1000}) == std::vector<LevelPlan>{{1000, -1, 1, 1},
                                                                               {3000, 0, 3, 1},
                                                                               {10000, -1, 1, 0},
                                                                               {20000, 2, 2, 0},
                                                                               {50000, 2, 5, 0}});
}

TEST_CASE("resolutions that no base divides are refused") {
  CHECK_THROWS_WITH(planned({1000, 2500}, {1000}),
                    "resolution 2500 cannot be derived from the base resolutions 1000: it is not a "
                    "multiple of it");
  CHECK_THROWS_WITH(planned({500}, {1000}), Contains("resolution 500 cannot be derived"));
  CHECK_THROWS_WITH(planned({2000, 1500, 4000}, {1000}), Contains("resolution 1500 cannot"));
  CHECK_THROWS_WITH(planned({1000}, {30}), Contains("resolution 1000 cannot be derived"));
  CHECK_THROWS_WITH(planned({7}, {2, 3}), Contains("base resolutions 2, 3: it is not a multiple of "
                                                   "any of them"));
  CHECK_THROWS_WITH(planned({0}, {1000}), Contains("positive"));
  CHECK_THROWS_WITH(planned({2000}, {1000, 1000}), Contains("two bases"));
}

TEST_CASE("legacy levels halve the map until it fits a tile") {
  CHECK(legacy_zoom_levels(12'750'000, 1000) == 6);  // ceil(49.8) = 50 tiles, log2 = 5.64
  CHECK(legacy_zoom_levels(256'000, 1000) == 0);
  CHECK(legacy_zoom_levels(256'001, 1000) == 1);
  CHECK(legacy_zoom_levels(512'000, 1000) == 1);
  CHECK(legacy_zoom_levels(512'001, 1000) == 2);
  CHECK(legacy_zoom_levels(1024'000, 1000) == 2);
  CHECK(legacy_zoom_levels(0, 1000) == 0);
  CHECK(legacy_zoom_levels(10, INT64_MAX) == 0);
}
