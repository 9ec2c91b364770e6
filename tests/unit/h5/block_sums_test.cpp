#include "h5/block_sums.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "h5/word_sums.hpp"

namespace ziggurat::h5 {
namespace {

constexpr auto kBlock = static_cast<std::size_t>(BlockSums::kBlockBytes);

std::vector<std::byte> noise(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(n);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

BlockSums sums_of(std::span<const std::byte> bytes) {
  BlockSums sums;
  sums.put(0, bytes);
  return sums;
}

}  // namespace

TEST_CASE("a file written in any pieces and order has the sums of the whole") {
  const std::vector<std::byte> file = noise(3 * kBlock + 1234, 1);
  std::mt19937 random(2);
  BlockSums sums;
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (std::size_t at = 0; at < file.size();) {
    const std::size_t n = std::min<std::size_t>(1 + random() % 5000, file.size() - at);
    pieces.emplace_back(at, n);
    at += n;
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  for (const auto& [at, n] : pieces) {
    sums.put(static_cast<std::int64_t>(at), std::span(file).subspan(at, n));
  }
  CHECK(sums.first_difference(0, file) == -1);
}

TEST_CASE("every processor forms the same sums of words") {
  const std::vector<std::byte> bytes = noise(kBlock, 5);
  for (const std::size_t n_words : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8},
                                    std::size_t{9}, std::size_t{1001}, kBlock / kWordBytes}) {
    // Also from a place that no vector is aligned to.
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
      if (at + n_words * kWordBytes > bytes.size()) continue;
      const auto part = std::span(bytes).subspan(at, n_words * kWordBytes);
      std::uint64_t words = 0;
      std::uint64_t placed = 0;
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::uint64_t value = std::to_integer<std::uint64_t>(part[i]) << 8 * (i % kWordBytes);
        words += value;
        placed += value * (i / kWordBytes);
      }
      for (const Isa isa : available_isas()) {
        const WordSums sums = sum_words(isa, part);
        CHECK(sums.words == words);
        CHECK(sums.placed == placed);
      }
    }
  }
}

TEST_CASE("what was replaced does not count") {
  const std::vector<std::byte> before = noise(2 * kBlock, 3);
  const std::vector<std::byte> piece = noise(777, 4);
  std::vector<std::byte> after = before;
  BlockSums sums = sums_of(before);
  for (const std::size_t at : {std::size_t{0}, std::size_t{13}, kBlock - 300, 2 * kBlock - 777}) {
    sums.take_back(static_cast<std::int64_t>(at), std::span(after).subspan(at, piece.size()));
    sums.put(static_cast<std::int64_t>(at), piece);
    std::copy(piece.begin(), piece.end(), after.begin() + static_cast<std::ptrdiff_t>(at));
    CHECK(sums.first_difference(0, after) == -1);
  }
  CHECK(sums.first_difference(0, before) == 0);
}

TEST_CASE("every flipped bit changes the sum of its block") {
  std::vector<std::byte> block = noise(kBlock, 5);
  const BlockSums sums = sums_of(block);
  for (std::size_t bit = 0; bit < 8 * kBlock; bit += 1 + bit / 4096) {
    const auto mask = static_cast<std::byte>(1U << bit % 8);
    block[bit / 8] ^= mask;
    REQUIRE(sums.first_difference(0, block) == 0);
    block[bit / 8] ^= mask;
  }
  CHECK(sums.first_difference(0, block) == -1);
}

TEST_CASE("lost, doubled and exchanged pieces are seen, and where") {
  const std::vector<std::byte> file = noise(4 * kBlock, 6);
  const BlockSums sums = sums_of(file);
  const auto begin = [&](std::vector<std::byte>& bytes, std::size_t at) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(at);
  };
  SECTION("a lost sector") {
    std::vector<std::byte> lost = file;
    std::fill_n(begin(lost, 2 * kBlock + 512), 512, std::byte{0});
    CHECK(sums.first_difference(0, lost) == std::int64_t{2 * kBlock});
  }
  SECTION("a sector in the place of another") {
    std::vector<std::byte> doubled = file;
    std::copy_n(begin(doubled, 0), 512, begin(doubled, kBlock + 1024));
    CHECK(sums.first_difference(0, doubled) == std::int64_t{kBlock});
  }
  SECTION("words that changed places") {
    std::vector<std::byte> exchanged = file;
    std::swap_ranges(begin(exchanged, 100), begin(exchanged, 104), begin(exchanged, 200));
    CHECK(sums.first_difference(0, exchanged) == 0);
  }
  SECTION("blocks that changed places") {
    std::vector<std::byte> exchanged = file;
    std::swap_ranges(begin(exchanged, 0), begin(exchanged, kBlock), begin(exchanged, 3 * kBlock));
    CHECK(sums.first_difference(0, exchanged) == 0);
  }
  SECTION("a part of a file is compared from the block it begins with") {
    const std::span<const std::byte> part = std::span(file).subspan(kBlock);
    CHECK(sums.first_difference(kBlock, part) == -1);
    CHECK(sums.first_difference(0, part) == 0);
  }
}

TEST_CASE("places that were never written are zeros") {
  BlockSums sums;
  const std::vector<std::byte> bytes = noise(10, 7);
  sums.put(3 * kBlock + 5, bytes);
  std::vector<std::byte> file(4 * kBlock);
  std::copy(bytes.begin(), bytes.end(), file.begin() + 3 * kBlock + 5);
  CHECK(sums.first_difference(0, file) == -1);
  file[17] = std::byte{1};
  CHECK(sums.first_difference(0, file) == 0);
}

}  // namespace ziggurat::h5
