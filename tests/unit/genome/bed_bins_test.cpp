#include "genome/bed_bins.hpp"

#include <catch2/catch.hpp>

#include "ziggurat/error.hpp"

namespace ziggurat::genome {
namespace {

TEST_CASE("bins of any width, and what is passed over") {
  const BinTable bins = parse_bed_bins("#x\nb\t0\t5\tname\r\nb\t5\t9\n\na\t0\t2", "bins.bed");
  CHECK(bins.chromosomes() == std::vector<Chromosome>{{"b", 9}, {"a", 2}});
  CHECK(bins.n_bins() == 3);
  CHECK(bins.end(0) == 5);
  CHECK(bins.bin_size() == 5);
}

TEST_CASE("widths that differ make a map of variable bins") {
  CHECK_FALSE(parse_bed_bins("a\t0\t2\na\t2\t5\na\t5\t7\n", "x").bin_size().has_value());
}

TEST_CASE("faults name their line") {
  const auto words_of = [](std::string_view text) -> std::string {
    try {
      static_cast<void>(parse_bed_bins(text, "x.bed"));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(words_of("a\t0\t2\na\t2\n").find("x.bed, line 2") == 0);
  CHECK(words_of("a\t0\t2\na\tb\t4\n").find("x.bed, line 2") == 0);
  CHECK(words_of("a\t0\t2\nb\t0\t2\na\t2\t4\n").find("x.bed, line 3") == 0);
  CHECK(words_of("a\t0\t2\na\t1\t4\n").find("x.bed: ") == 0);
  CHECK(words_of("").find("x.bed lists no bins") == 0);
}

}  // namespace
}  // namespace ziggurat::genome
