#include "h5/byte_ranges.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <vector>

namespace ziggurat::h5 {
namespace {

constexpr std::int64_t kSize = 60;

// The same, with one cell a byte.
struct Model {
  std::vector<std::optional<std::byte>> cells{kSize};

  void put(std::int64_t offset, std::span<const std::byte> bytes) {
    std::copy(bytes.begin(), bytes.end(), cells.begin() + offset);
  }
  void cut(std::int64_t end) { std::fill(cells.begin() + end, cells.end(), std::nullopt); }
};

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

void check_same(const ByteRanges& ranges, const Model& model) {
  std::vector<std::byte> seen(kSize, std::byte{0xee});
  ranges.lay_over(0, seen);
  std::int64_t kept = 0;
  for (std::size_t at = 0; at < seen.size(); ++at) {
    REQUIRE(seen[at] == model.cells[at].value_or(std::byte{0xee}));
    kept += model.cells[at] ? 1 : 0;
  }
  REQUIRE(ranges.bytes() == kept);
  std::int64_t end = -1;
  for (const auto& [offset, bytes] : ranges.ranges()) {
    REQUIRE(offset >= end);
    REQUIRE_FALSE(bytes.empty());
    end = offset + std::ssize(bytes);
  }
}

}  // namespace

TEST_CASE("Later bytes lie over earlier ones") {
  ByteRanges ranges;
  ranges.put(10, bytes_of({1, 2, 3, 4}));
  ranges.put(20, bytes_of({5, 6}));
  ranges.put(12, bytes_of({7, 7, 7, 7, 7, 7, 7, 7, 7}));
  std::vector<std::byte> seen = bytes_of({9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9});
  ranges.lay_over(9, seen);
  CHECK(seen == bytes_of({9, 1, 2, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 9}));
  CHECK(ranges.bytes() == 12);
  using Gap = std::pair<std::int64_t, std::int64_t>;
  CHECK(ranges.gaps(5, 30) == std::vector<Gap>{{5, 10}, {22, 30}});
  CHECK(ranges.gaps(11, 20).empty());
}

TEST_CASE("Any sequence of puts and cuts equals a plain array") {
  std::mt19937 random(42);
  const auto below = [&random](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(limit));
  };
  for (int round = 0; round < 300; ++round) {
    ByteRanges ranges;
    Model model;
    for (int step = 0; step < 25; ++step) {
      const std::int64_t offset = below(kSize);
      if (below(8) == 0) {
        ranges.cut(offset);
        model.cut(offset);
      } else {
        std::vector<std::byte> bytes(static_cast<std::size_t>(below(kSize - offset + 1)));
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
        ranges.put(offset, bytes);
        model.put(offset, bytes);
      }
      check_same(ranges, model);
    }
  }
}

}  // namespace ziggurat::h5
