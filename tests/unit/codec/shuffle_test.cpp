// The expected bytes are written out by hand from HDF5's definition of the filter; larger cases
// compare the vector form with the portable one and with the definition.
#include "codec/shuffle.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "codec/plane_kernels.hpp"
#include "ziggurat/error.hpp"

namespace {

using ziggurat::Isa;
using Bytes = std::vector<std::byte>;

Bytes bytes(std::initializer_list<int> values) {
  Bytes made;
  for (const int value : values) made.push_back(static_cast<std::byte>(value));
  return made;
}

Bytes random_bytes(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n + 1));
  Bytes made(n);
  for (std::byte& b : made) b = static_cast<std::byte>(random() & 0xFF);
  return made;
}

Bytes shuffled_by_definition(const Bytes& in, std::size_t size) {
  const std::size_t n = in.size() / size;
  Bytes out = in;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < size; ++k) out[k * n + i] = in[i * size + k];
  }
  return out;
}

}  // namespace

TEST_CASE("shuffle gathers the bytes of one significance") {
  const Bytes in = bytes({1, 2, 3, 4, 5, 6, 7, 8, 9});
  Bytes out(9);
  ziggurat::codec::shuffle(in, out, 4);
  CHECK(out == bytes({1, 5, 2, 6, 3, 7, 4, 8, 9}));
  ziggurat::codec::shuffle(in, out, 2);
  CHECK(out == bytes({1, 3, 5, 7, 2, 4, 6, 8, 9}));
  ziggurat::codec::shuffle(in, out, 8);
  CHECK(out == in);
}

TEST_CASE("shuffle and unshuffle follow the definition for every size") {
  for (const std::size_t size : {1U, 2U, 3U, 4U, 8U, 12U}) {
    for (const std::size_t n : {0U, 1U, 7U, 31U, 32U, 33U, 100U, 1023U, 1024U, 1025U, 6033U}) {
      for (const std::size_t tail : {std::size_t{0}, size - 1}) {
        const Bytes in = random_bytes(n * size + tail);
        Bytes out(in.size());
        ziggurat::codec::shuffle(in, out, size);
        REQUIRE(out == shuffled_by_definition(in, size));
        Bytes back(in.size());
        ziggurat::codec::unshuffle(out, back, size);
        REQUIRE(back == in);
      }
    }
  }
}

TEST_CASE("both forms of the plane kernels agree and stay inside their planes") {
  for (const Isa isa : ziggurat::available_isas()) {
    for (const std::size_t n : {0U, 1U, 31U, 32U, 63U, 64U, 65U, 1000U}) {
      const std::size_t stride = n + 5;
      const Bytes in = random_bytes(4 * n);
      Bytes planes(4 * stride, std::byte{0xEE});
      const std::uint32_t seen =
          ziggurat::codec::split_planes(isa, in.data(), n, planes.data(), stride);
      std::uint32_t expected = 0;
      for (std::size_t i = 0; i < in.size(); ++i) {
        expected |= std::to_integer<std::uint32_t>(in[i]) << (8 * (i % 4));
      }
      REQUIRE(seen == expected);
      for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t i = 0; i < stride; ++i) {
          REQUIRE(planes[k * stride + i] == (i < n ? in[4 * i + k] : std::byte{0xEE}));
        }
      }
      Bytes back(4 * n);
      ziggurat::codec::join_planes(isa, planes.data(), stride, n, back.data());
      REQUIRE(back == in);
    }
  }
}

TEST_CASE("a byte seen once in any place of a plane is reported for that plane alone") {
  for (const Isa isa : ziggurat::available_isas()) {
    for (std::size_t at = 0; at < 4 * 97; ++at) {
      Bytes in(4 * 97);
      in[at] = std::byte{0x40};
      Bytes planes(in.size());
      const std::uint32_t seen =
          ziggurat::codec::split_planes(isa, in.data(), 97, planes.data(), 97);
      REQUIRE(seen == 0x40U << (8 * (at % 4)));
    }
  }
}

TEST_CASE("both forms mark and count the repeats of a plane") {
  for (const Isa isa : ziggurat::available_isas()) {
    for (const std::size_t n : {1U, 63U, 64U, 65U, 127U, 128U, 500U}) {
      Bytes plane = random_bytes(n + 64);
      for (std::byte& b : plane) b &= std::byte{1};
      const std::size_t words = n / 64 + 1;
      std::vector<std::uint64_t> marks(words + 1, 0xEE);
      ziggurat::codec::mark_repeats(isa, plane.data(), n, marks.data());
      std::size_t set = 0;
      for (std::size_t i = 0; i < 64 * words; ++i) {
        const bool repeats = i > 0 && plane[i] == plane[i - 1];
        REQUIRE((marks[i / 64] >> (i % 64) & 1) == (repeats ? 1 : 0));
        set += repeats ? 1 : 0;
      }
      REQUIRE(marks[words] == 0xEE);
      REQUIRE(ziggurat::codec::count_bits(isa, marks.data(), words) == set);
    }
  }
}

TEST_CASE("unshuffle_to_u32 joins the low planes and reports high ones") {
  // Two elements of 8 bytes: 0x04030201 and 0x14131211, plane by plane.
  Bytes in = bytes({0x01, 0x11, 0x02, 0x12, 0x03, 0x13, 0x04, 0x14, 0, 0, 0, 0, 0, 0, 0, 0});
  std::vector<std::uint32_t> out(2);
  CHECK(ziggurat::codec::unshuffle_to_u32(in, 8, out));
  CHECK(out == std::vector<std::uint32_t>{0x04030201, 0x14131211});

  const std::span<const std::byte> low(in.data(), 8);
  out.assign(2, 0);
  CHECK(ziggurat::codec::unshuffle_to_u32(low, 4, out));
  CHECK(out == std::vector<std::uint32_t>{0x04030201, 0x14131211});

  for (std::size_t at = 8; at < 16; ++at) {
    Bytes high = in;
    high[at] = std::byte{0x80};
    CHECK_FALSE(ziggurat::codec::unshuffle_to_u32(high, 8, out));
  }
  CHECK_THROWS_AS(ziggurat::codec::unshuffle_to_u32(in, 2, out), ziggurat::Error);
  CHECK_THROWS_AS(ziggurat::codec::unshuffle_to_u32(low, 8, out), ziggurat::Error);
}

TEST_CASE("narrow_to_u32 sees negative and too large values") {
  std::vector<std::int64_t> values = {0, 1, 0xFFFFFFFF, 305419896};
  std::vector<std::uint32_t> out(values.size());
  CHECK(ziggurat::codec::narrow_to_u32(std::as_bytes(std::span(values)), out));
  CHECK(out == std::vector<std::uint32_t>{0, 1, 0xFFFFFFFF, 0x12345678});
  values[2] = -1;
  CHECK_FALSE(ziggurat::codec::narrow_to_u32(std::as_bytes(std::span(values)), out));
  values[2] = std::int64_t{1} << 32;
  CHECK_FALSE(ziggurat::codec::narrow_to_u32(std::as_bytes(std::span(values)), out));
}

TEST_CASE("32-bit values are shuffled as 4 and as 8 bytes") {
  const std::vector<std::uint32_t> values = {0x04030201, 0x14131211, 0x24232221};
  Bytes four(12);
  ziggurat::codec::shuffle_u32(values, four);
  CHECK(four == bytes({0x01, 0x11, 0x21, 0x02, 0x12, 0x22, 0x03, 0x13, 0x23, 0x04, 0x14, 0x24}));
  Bytes eight(24, std::byte{0xEE});
  ziggurat::codec::shuffle_u32_as_i64(values, eight);
  CHECK(Bytes(eight.begin(), eight.begin() + 12) == four);
  CHECK(Bytes(eight.begin() + 12, eight.end()) == Bytes(12, std::byte{0}));
  CHECK_THROWS_AS(ziggurat::codec::shuffle_u32(values, eight), ziggurat::Error);
}
