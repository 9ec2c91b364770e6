#include "pixels/row_digest.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace ziggurat::pixels {
namespace {

template <typename Value>
std::uint64_t digest_of(const std::vector<std::uint32_t>& columns,
                        const std::vector<Value>& values) {
  RowDigest digest;
  digest.add(std::span<const std::uint32_t>(columns), std::span<const Value>(values));
  return digest.value();
}

using Counts = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("the digest of a row does not depend on how it is cut") {
  std::mt19937 random(5);
  std::vector<std::uint32_t> columns(100);
  Counts values(100);
  for (std::size_t i = 0; i < 100; ++i) {
    columns[i] = static_cast<std::uint32_t>(random());
    values[i] = static_cast<std::int64_t>(random());
  }
  RowDigest digest;
  for (std::size_t begin = 0; begin < 100;) {
    const std::size_t n = std::min<std::size_t>(100 - begin, random() % 7);
    digest.add(std::span<const std::uint32_t>(columns).subspan(begin, n),
               std::span<const std::int64_t>(values).subspan(begin, n));
    begin += n;
  }
  CHECK(digest.value() == digest_of(columns, values));
}

TEST_CASE("any change of a row changes its digest") {
  const std::set<std::uint64_t> digests = {
      digest_of({}, Counts{}),
      digest_of({0}, Counts{0}),
      digest_of({0, 0}, Counts{0, 0}),
      digest_of({1, 2, 3}, Counts{5, 6, 7}),
      digest_of({2, 1, 3}, Counts{6, 5, 7}),
      digest_of({1, 2, 3}, Counts{6, 5, 7}),
      digest_of({1, 2, 4}, Counts{5, 6, 7}),
      digest_of({1, 2, 3}, Counts{5, 6, -7}),
      digest_of({1, 2, 3}, Counts{5, 6, 7 + (std::int64_t{1} << 32)}),
      digest_of({1, 2}, Counts{5, 6}),
      digest_of({5, 6, 7}, Counts{1, 2, 3}),
  };
  CHECK(digests.size() == 11);
}

TEST_CASE("a million near-identical rows have a million digests") {
  std::set<std::uint64_t> digests;
  for (std::uint32_t column = 0; column < 1000; ++column) {
    for (std::int64_t value = 0; value < 1000; ++value) {
      digests.insert(digest_of({7, column + 8}, Counts{1, value}));
    }
  }
  CHECK(digests.size() == 1000000);
}

TEST_CASE("one flipped bit changes about half the bits of a digest") {
  const std::uint64_t original = digest_of({1000}, Counts{3});
  for (int bit = 0; bit < 20; ++bit) {
    const int changed = std::popcount(original ^ digest_of({1000U ^ (1U << bit)}, Counts{3}));
    CHECK(changed > 12);
    CHECK(changed < 52);
  }
}

TEST_CASE("equal numbers have equal digests whatever type holds them") {
  CHECK(digest_of({4}, std::vector<std::int32_t>{-3}) == digest_of({4}, Counts{-3}));
  CHECK(digest_of({4}, std::vector<float>{0.5F}) == digest_of({4}, std::vector<double>{0.5}));
  CHECK(digest_of({4}, std::vector<double>{0.0}) != digest_of({4}, std::vector<double>{-0.0}));
  CHECK(digest_of({4}, std::vector<double>{-std::numeric_limits<double>::quiet_NaN()}) ==
        digest_of({4}, std::vector<double>{std::numeric_limits<double>::quiet_NaN()}));
}

}  // namespace ziggurat::pixels
