#include "balance/blacklist.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "ziggurat/error.hpp"

using ziggurat::balance::blacklisted_bins;
using ziggurat::genome::BinTable;

namespace {

// chr1 of 3500 bp: bins 0 to 3, the last of 500 bp; chr2 of 2000 bp: bins 4 and 5.
BinTable table() { return BinTable::uniform({{"chr1", 3500}, {"chr2", 2000}}, 1000); }

// One character a bin, x for masked.
std::string masked(std::string_view bed) {
  std::string marks;
  for (const bool hit : blacklisted_bins(bed, table(), "list.bed")) marks += hit ? 'x' : '.';
  return marks;
}

std::string refusal(std::string_view bed) {
  try {
    (void)blacklisted_bins(bed, table(), "list.bed");
  } catch (const ziggurat::Error& e) {
    CHECK(e.code() == ziggurat::ErrorCode::usage);
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a bin is masked when it overlaps a region by a base") {
  CHECK(masked("chr1\t1000\t2000\n") == ".x....");
  CHECK(masked("chr1\t999\t2001\n") == "xxx...");
  CHECK(masked("chr2\t0\t1\n") == "....x.");
  CHECK(masked("chr1\t0\t3500\nchr2\t1999\t2000") == "xxxx.x");
  CHECK(masked("chr1\t3400\t3500\tname\t0\t+\n") == "...x..");
}

TEST_CASE("an empty region masks the bin it lies in, and none on a border") {
  CHECK(masked("chr1\t1500\t1500\nchr2\t0\t0\n") == ".x....");
  CHECK(masked("chr1\t1000\t1000\n") == "......");
}

TEST_CASE("regions may stick out of their chromosome") {
  CHECK(masked("chr1\t3499\t99000\n") == "...x..");
  CHECK(masked("chr1\t-50\t10\n") == "x.....");
  CHECK(masked("chr1\t3500\t4000\nchr2\t7000\t8000\n") == "......");
}

TEST_CASE("headers, comments, track lines, blank lines and line ends are no regions") {
  CHECK(masked("") == "......");
  CHECK(masked("\n\n") == "......");
  CHECK(masked("chrom\tstart\tend\nchr1\t0\t1\n") == "x.....");
  CHECK(masked("chrom\tstart\tend") == "......");
  CHECK(masked("#chr1\t0\t1\ntrack name=\"a b\"\nbrowser position chr1\nchr1\t2000\t2001\n") ==
        "..x...");
  CHECK(masked("chr1\t0\t1\r\n\r\nchr2\t0\t1\r\n") == "x...x.");
  CHECK(masked("chr1  1000   1001 x\n") == ".x....");
}

TEST_CASE("what is wrong with a line is said with its number") {
  using Catch::Contains;
  CHECK_THAT(refusal("chr1\t0\t1\n\nchrX\t0\t1\n"),
             Contains("list.bed, line 3") && Contains("'chrX'"));
  CHECK_THAT(refusal("chr1\t0\n"), Contains("line 1") && Contains("three fields"));
  CHECK_THAT(refusal("chr1\t5\t4\n"), Contains("line 1") && Contains("before start"));
  CHECK_THAT(refusal("chrom\tstart\tend\nchr1\tx\t4\n"), Contains("line 2") && Contains("'x'"));
  CHECK_THAT(refusal("chr1\t1\t2\nchr1\t1\t2k\n"), Contains("line 2") && Contains("'2k'"));
}

TEST_CASE("a chromosome may be called track") {
  const BinTable odd = BinTable::uniform({{"track", 2000}}, 1000);
  CHECK(blacklisted_bins("track\t0\t10\n", odd, "x") == std::vector<bool>{true, false});
}
