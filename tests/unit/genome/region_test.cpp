#include "genome/region.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "code_of.hpp"

using ziggurat::ErrorCode;
using ziggurat::genome::BinRange;
using ziggurat::genome::bins_touching;
using ziggurat::genome::BinTable;
using ziggurat::genome::Chromosome;
using ziggurat::genome::parse_region;
using ziggurat::genome::Region;
using ziggurat::test::code_of;

namespace {

const std::vector<Chromosome> kNames = {{"10", 21'300},
                                        {"2", 3'000'000},
                                        {"gi|123456789|gb|ABCD01000001.1|", 9'053},
                                        {"HLA-A*99:01:01", 3'600},
                                        {"HLA-A*99", 500'000},
                                        {"chr1:1-5", 77}};

Region region(const std::string& text) { return parse_region(text, kNames); }

}  // namespace

TEST_CASE("a name alone is the whole chromosome") {
  CHECK(region("2") == Region{1, 0, 3'000'000});
  CHECK(region(" 10 ") == Region{0, 0, 21'300});
  CHECK(region("gi|123456789|gb|ABCD01000001.1|") == Region{2, 0, 9'053});
}

TEST_CASE("positions with commas and units") {
  CHECK(region("2:1000-2000") == Region{1, 1000, 2000});
  CHECK(region("2:1,000,000-2,500,000") == Region{1, 1'000'000, 2'500'000});
  CHECK(region("2:1.5M-2m") == Region{1, 1'500'000, 2'000'000});
  CHECK(region("2:10kb - 20 KB") == Region{1, 10'000, 20'000});
  CHECK(region("2:0-0.001G") == Region{1, 0, 1'000'000});
  CHECK(region("2:500-") == Region{1, 500, 3'000'000});
  CHECK(region("2:7-7") == Region{1, 7, 7});
}

TEST_CASE("the longest known name is taken") {
  CHECK(region("HLA-A*99:01:01") == Region{3, 0, 3'600});
  CHECK(region("HLA-A*99:01:01:5-10") == Region{3, 5, 10});
  CHECK(region("HLA-A*99:5-10") == Region{4, 5, 10});
  CHECK(region("chr1:1-5") == Region{5, 0, 77});
  CHECK(region("chr1:1-5:1-5") == Region{5, 1, 5});
}

TEST_CASE("malformed regions are usage errors") {
  for (const char* text : {"", "3", "X:1-2", "2:", "2:5", "2:-5", "2:a-b", "2:1-2-3", "2:1x-2x",
                           "2:9-8", "2:0-3000001", "2:1.5-20", "2:1-2:3-4", ":1-2",
                           "2:99999999999999999999-", "2:9999999999G-"}) {
    INFO(text);
    CHECK(code_of([&] { return region(text); }) == ErrorCode::usage);
  }
}

TEST_CASE("bins that a region touches, uniform table") {
  // a: bins 0 to 3 of 10 bp, the last [30,35); b: bins 4 and 5, the last [10,18).
  const BinTable bins = BinTable::uniform({{"a", 35}, {"b", 18}}, 10);
  CHECK(bins_touching(bins, {0, 0, 35}) == BinRange{0, 4});
  CHECK(bins_touching(bins, {1, 0, 18}) == BinRange{4, 6});
  CHECK(bins_touching(bins, {0, 10, 20}) == BinRange{1, 2});
  CHECK(bins_touching(bins, {0, 9, 21}) == BinRange{0, 3});
  CHECK(bins_touching(bins, {0, 19, 20}) == BinRange{1, 2});
  CHECK(bins_touching(bins, {1, 17, 18}) == BinRange{5, 6});
}

TEST_CASE("an empty region touches the bin around it and none on a border") {
  const BinTable bins = BinTable::uniform({{"a", 35}}, 10);
  CHECK(bins_touching(bins, {0, 15, 15}) == BinRange{1, 2});
  CHECK(bins_touching(bins, {0, 20, 20}) == BinRange{2, 2});
  CHECK(bins_touching(bins, {0, 0, 0}) == BinRange{0, 0});
  CHECK(bins_touching(bins, {0, 35, 35}) == BinRange{4, 4});
}

TEST_CASE("bins that a region touches, fragments with a gap and a late start") {
  const BinTable bins =
      BinTable::explicit_bins({{"a", 90}}, {0, 3}, {5, 20, 60}, {20, 33, 90}, std::nullopt);
  CHECK(bins_touching(bins, {0, 0, 90}) == BinRange{0, 3});
  CHECK(bins_touching(bins, {0, 0, 5}) == BinRange{0, 0});
  CHECK(bins_touching(bins, {0, 19, 21}) == BinRange{0, 2});
  CHECK(bins_touching(bins, {0, 40, 50}) == BinRange{2, 2});
  CHECK(bins_touching(bins, {0, 32, 61}) == BinRange{1, 3});
}
