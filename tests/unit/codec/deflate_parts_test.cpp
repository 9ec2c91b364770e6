// The parts of the encoder against the text of RFC 1950 and RFC 1951, and by their definitions.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "codec/adler.hpp"
#include "codec/huffman.hpp"
#include "codec/run_mask.hpp"
#include "codec/tokens.hpp"

namespace {

using ziggurat::codec::Adler;
using ziggurat::codec::Code;
using Bytes = std::vector<std::byte>;

std::vector<unsigned> code_lengths(const std::vector<std::uint32_t>& counts, unsigned limit) {
  std::vector<Code> codes(counts.size());
  ziggurat::codec::make_codes(counts, limit, codes);
  std::vector<unsigned> lengths;
  for (const Code code : codes) lengths.push_back(code.length);
  return lengths;
}

// 1 for a code that is neither ambiguous nor wasteful.
double kraft_sum(const std::vector<unsigned>& lengths) {
  double sum = 0;
  for (const unsigned length : lengths) {
    if (length > 0) sum += 1.0 / static_cast<double>(1U << length);
  }
  return sum;
}

}  // namespace

TEST_CASE("the code for known counts is Huffman's") {
  CHECK(code_lengths({1, 1, 2, 4}, 15) == std::vector<unsigned>{3, 3, 2, 1});
  CHECK(code_lengths({5, 0, 5, 5, 5}, 15) == std::vector<unsigned>{2, 0, 2, 2, 2});
  CHECK(code_lengths({45, 13, 12, 16, 9, 5}, 15) == std::vector<unsigned>{1, 3, 3, 3, 4, 4});
}

TEST_CASE("codes are numbered as RFC 1951 3.2.2 says, lowest bit first") {
  // Lengths 3, 3, 2, 1: by hand 110, 111, 10, 0.
  std::vector<Code> codes(4);
  ziggurat::codec::make_codes(std::vector<std::uint32_t>{1, 1, 2, 4}, 15, codes);
  CHECK(codes[0].bits == 0b011);
  CHECK(codes[1].bits == 0b111);
  CHECK(codes[2].bits == 0b01);
  CHECK(codes[3].bits == 0b0);
}

TEST_CASE("two symbols get a code even when fewer occur") {
  CHECK(code_lengths({0, 0, 9}, 15) == std::vector<unsigned>{1, 0, 1});
  CHECK(code_lengths({0, 0, 0}, 15) == std::vector<unsigned>{1, 1, 0});
}

TEST_CASE("a code stays within its limit and complete") {
  std::vector<std::uint32_t> fibonacci = {1, 1};
  while (fibonacci.size() < 30)
    fibonacci.push_back(*(fibonacci.end() - 1) + *(fibonacci.end() - 2));
  for (const unsigned limit : {5U, 7U, 14U, 15U}) {
    const std::vector<unsigned> lengths = code_lengths(fibonacci, limit);
    CHECK(*std::ranges::max_element(lengths) <= limit);
    CHECK(*std::ranges::min_element(lengths) > 0);
    CHECK(kraft_sum(lengths) == 1.0);
  }
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint32_t> counts(286);
    for (std::uint32_t& count : counts) {
      count = static_cast<std::uint32_t>(random() >> (10 + random() % 22));
    }
    const std::vector<unsigned> lengths = code_lengths(counts, 14);
    REQUIRE(*std::ranges::max_element(lengths) <= 14);
    REQUIRE(kraft_sum(lengths) == 1.0);
    for (std::size_t s = 1; s < counts.size(); ++s) {
      if (counts[s] > counts[s - 1] && counts[s - 1] > 0) REQUIRE(lengths[s] <= lengths[s - 1]);
    }
  }
}

TEST_CASE("match lengths and distances have the symbols of RFC 1951 3.2.5") {
  const auto length = [](std::size_t n) {
    const ziggurat::codec::LengthSymbol s = ziggurat::codec::kLengthSymbol[n];
    return std::array<int, 3>{s.symbol, s.extra_bits, s.extra};
  };
  CHECK(length(3) == std::array{257, 0, 0});
  CHECK(length(10) == std::array{264, 0, 0});
  CHECK(length(11) == std::array{265, 1, 0});
  CHECK(length(12) == std::array{265, 1, 1});
  CHECK(length(66) == std::array{276, 3, 7});
  CHECK(length(115) == std::array{280, 4, 0});
  CHECK(length(131) == std::array{281, 5, 0});
  CHECK(length(257) == std::array{284, 5, 30});
  CHECK(length(258) == std::array{285, 0, 0});
  const auto distance = [](std::size_t n) {
    const ziggurat::codec::DistanceSymbol s = ziggurat::codec::distance_symbol(n);
    return std::array<unsigned, 3>{s.symbol, s.extra_bits, s.extra};
  };
  CHECK(distance(1) == std::array{0U, 0U, 0U});
  CHECK(distance(4) == std::array{3U, 0U, 0U});
  CHECK(distance(5) == std::array{4U, 1U, 0U});
  CHECK(distance(8) == std::array{5U, 1U, 1U});
  CHECK(distance(257) == std::array{16U, 7U, 0U});
  CHECK(distance(24577) == std::array{29U, 13U, 0U});
  CHECK(distance(32768) == std::array{29U, 13U, 8191U});
}

TEST_CASE("the checksum of known bytes") {
  Adler adler;
  CHECK(adler.value() == 1);
  adler.update(std::as_bytes(std::span(std::string_view("Wikipedia"))));
  CHECK(adler.value() == 0x11E60398);
}

TEST_CASE("a constant stretch has the checksum of its bytes") {
  for (const int value : {0, 1, 200, 255}) {
    for (const std::size_t n : {0U, 1U, 2U, 65520U, 65521U, 65522U, 300000U, 70000000U}) {
      Adler closed;
      Adler open;
      const std::byte start[] = {std::byte{77}, std::byte{3}};
      closed.update(start);
      open.update(start);
      closed.update_constant(static_cast<std::byte>(value), n);
      open.update(Bytes(n, static_cast<std::byte>(value)));
      REQUIRE(closed.value() == open.value());
    }
  }
}

TEST_CASE("the run mask finds every run") {
  std::mt19937 random(13);
  ziggurat::codec::RunMask mask;
  for (const std::size_t n : {1U, 2U, 5U, 63U, 64U, 65U, 128U, 129U, 1000U}) {
    for (const unsigned kinds : {1U, 2U, 3U, 30U}) {
      Bytes plane(n + ziggurat::codec::kPlaneSlack);  // the slack repeats nothing that matters
      for (std::size_t i = 0; i < n; ++i) plane[i] = static_cast<std::byte>(random() % kinds);
      mask.scan(std::span(plane).first(n));
      const auto equal = [&](std::size_t i) { return i > 0 && i < n && plane[i] == plane[i - 1]; };
      std::size_t breaks = 0;
      for (std::size_t i = 0; i < n; ++i) breaks += equal(i) ? 0 : 1;
      REQUIRE(mask.breaks() == breaks);
      for (std::size_t at = 0; at < n; ++at) {
        std::size_t end = at;
        while (equal(end)) ++end;
        REQUIRE(mask.repeats(at) == equal(at));
        REQUIRE(mask.run_end(at) == end);
        std::size_t run = at;
        while (run < n && !(equal(run) && equal(run + 1) && equal(run + 2))) ++run;
        REQUIRE(mask.next_run(at) == run);
      }
    }
  }
}
