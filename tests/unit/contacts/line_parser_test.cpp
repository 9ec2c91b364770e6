#include "contacts/line_parser.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <utility>

namespace ziggurat::contacts {
namespace {

using Cells = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

genome::BinTable table() { return genome::BinTable::uniform({{"a", 95}, {"b", 20}}, 10); }

ParsedBlock parsed(std::string_view text, LineRules rules = {}) {
  const genome::BinTable bins = table();
  const Places places(bins);
  ParsedBlock out;
  LineParser(places, std::move(rules)).parse(text, out);
  return out;
}

Cells cells(const ParsedBlock& block, std::size_t words = 1) {
  const KeyLayout keys(table().n_bins());
  Cells out;
  for (std::size_t i = 0; i < block.records.size(); i += words) {
    out.emplace_back(keys.row(block.records[i]), keys.column(block.records[i]));
  }
  return out;
}

LineRules plain() {
  LineRules rules;
  rules.chromosome = {0, 2};
  rules.position = {1, 3};
  return rules;
}

TEST_CASE("ends are put into bins and in order") {
  CHECK(cells(parsed("a\t0\ta\t94\nb\t19\ta\t30\n", plain())) == Cells{{0, 9}, {3, 11}});
  LineRules rules = plain();
  rules.lower_half = LowerHalf::keep;
  CHECK(cells(parsed("b\t19\ta\t30", rules)) == Cells{{11, 3}});
  rules.lower_half = LowerHalf::drop;
  const ParsedBlock block = parsed("b\t19\ta\t30\na\t5\ta\t4\na\t4\ta\t5\n", rules);
  CHECK(cells(block) == Cells{{0, 0}});
  CHECK(block.tally.mirrored == 2);
}

TEST_CASE("the length itself counts as the last position, and no more") {
  const ParsedBlock block = parsed("a\t95\tb\t20\n", plain());
  CHECK(cells(block) == Cells{{9, 11}});
  CHECK(block.tally.past_end == 1);
  CHECK(parsed("a\t96\tb\t20\n", plain()).fault.has_value());
}

TEST_CASE("lines are counted up to the faulty one") {
  const ParsedBlock block = parsed("#\n\na\t1\ta\t1\r\na\t1\ta\nb\t1\tb\t1\n", plain());
  CHECK(block.lines == 4);
  CHECK(block.tally.taken == 1);
  REQUIRE(block.fault.has_value());
  CHECK(block.fault->find("only 3 columns") != std::string::npos);
}

TEST_CASE("columns in any order, and one column twice") {
  LineRules rules;
  rules.chromosome = {3, 3};
  rules.position = {1, 0};
  rules.values = {{"n", 1, true}, {"x", 2, false}};
  const ParsedBlock block = parsed("7\t42\t2.5\ta\n", rules);
  CHECK(cells(block, 3) == Cells{{0, 4}});
  CHECK(block.records[1] == 42);
  CHECK(std::bit_cast<double>(block.records[2]) == 2.5);
}

TEST_CASE("numbers as tables have them") {
  const auto position = [](std::string_view text) {
    const ParsedBlock block = parsed("a\t" + std::string(text) + "\ta\t0\n", plain());
    return block.fault ? -1 : static_cast<int>(KeyLayout(12).column(block.records.front()));
  };
  CHECK(position("50") == 5);
  CHECK(position(" 50 ") == 5);
  CHECK(position("+50") == 5);
  CHECK(position("00000000000000000000050") == 5);
  for (const char* none : {"", " ", "+", "-", "5 0", "5.0", "0x5", "5e1", "+-5", "nan"}) {
    INFO(none);
    CHECK(position(none) == -1);
  }
}

TEST_CASE("pixels by their bins") {
  LineRules rules;
  rules.bin_ids = true;
  rules.position = {0, 1};
  rules.first = 1;
  rules.outside = Misfit::drop;
  const ParsedBlock block = parsed("12\t1\n13\t1\n0\t1\n", rules);
  CHECK(cells(block) == Cells{{0, 11}});
  CHECK(block.tally.outside == 2);
}

TEST_CASE("names that differ in one place are told apart") {
  std::vector<genome::Chromosome> chromosomes;
  for (int i = 0; i < 3000; ++i) {
    chromosomes.push_back({"scaffold_" + std::to_string(i) + "_of_the_genome", 10});
  }
  const genome::BinTable bins = genome::BinTable::uniform(chromosomes, 10);
  const Places places(bins);
  for (std::int32_t c = 0; c < 3000; ++c) {
    CHECK(places.chromosome(chromosomes[static_cast<std::size_t>(c)].name) == c);
  }
  CHECK(places.chromosome("scaffold_3000_of_the_genome") == Places::kUnknown);
  CHECK(places.chromosome("") == Places::kUnknown);
}

}  // namespace
}  // namespace ziggurat::contacts
