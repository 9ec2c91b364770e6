#include "pixels/decode.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "ziggurat/error.hpp"

namespace ziggurat::pixels {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

Column decoded(const std::vector<std::byte>& elements, NumberType type) {
  Column out = make_column(kind_of(type));
  decode_values(elements, type, out);
  return out;
}

std::vector<std::byte> encoded(const Column& column, NumberType type) {
  std::vector<std::byte> out;
  encode_values(column, 0, size(column), type, out);
  return out;
}

// column stored as type and read again.
Column stored(const Column& column, NumberType type) {
  return decoded(encoded(column, type), type);
}

using Integers = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

}  // namespace

TEST_CASE("elements are read little-endian with their sign") {
  CHECK(decoded(bytes({0x01, 0xff}), NumberType::i8) == Column(Integers{1, -1}));
  CHECK(decoded(bytes({0x01, 0xff}), NumberType::u8) == Column(Integers{1, 255}));
  CHECK(decoded(bytes({0xfe, 0xff, 0x02, 0x01}), NumberType::i16) == Column(Integers{-2, 258}));
  CHECK(decoded(bytes({0xfe, 0xff, 0x02, 0x01}), NumberType::u16) == Column(Integers{65534, 258}));
  CHECK(decoded(bytes({0, 0, 0, 0x80}), NumberType::i32) == Column(Integers{-2147483648}));
  CHECK(decoded(bytes({0, 0, 0, 0x80}), NumberType::u32) == Column(Integers{2147483648}));
  CHECK(decoded(bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}), NumberType::u64) ==
        Column(Integers{kMost}));
  CHECK(decoded(bytes({0, 0, 0, 0, 0, 0, 0, 0x80}), NumberType::i64) == Column(Integers{kLeast}));
  CHECK(decoded(bytes({0, 0, 0xc0, 0xbf}), NumberType::f32) == Column(Floats{-1.5F}));
  CHECK(decoded(bytes({0, 0, 0, 0, 0, 0, 0xf8, 0x3f}), NumberType::f64) == Column(Doubles{1.5}));
  CHECK(decoded(bytes({0x00, 0x3e}), NumberType::f16) == Column(Floats{1.5F}));
}

TEST_CASE("decoding appends") {
  Column out = Integers{5};
  decode_values(bytes({7}), NumberType::u8, out);
  CHECK(out == Column(Integers{5, 7}));
}

TEST_CASE("a uint64 beyond int64 is refused by name") {
  const auto elements = bytes({1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80});
  Column out = make_column(ColumnKind::integer);
  CHECK_THROWS_WITH(decode_values(elements, NumberType::u64, out),
                    Catch::Contains("9223372036854775808"));
  CHECK(out == Column(Integers{1}));
}

TEST_CASE("broken elements and wrong columns are our own mistake") {
  CHECK_THROWS_AS(decoded(bytes({1, 2, 3}), NumberType::i16), Error);
  Column out = make_column(ColumnKind::double_precision);
  CHECK_THROWS_AS(decode_values(bytes({0, 0, 0, 0}), NumberType::f32, out), Error);
  std::vector<std::byte> target;
  CHECK_THROWS_AS(encode_values(Integers{1}, 0, 2, NumberType::i8, target), Error);
}

TEST_CASE("integers are stored little-endian, a range of them, appended") {
  std::vector<std::byte> out = bytes({9});
  encode_values(Integers{1, 258, -2, 4}, 1, 3, NumberType::i16, out);
  CHECK(out == bytes({9, 0x02, 0x01, 0xfe, 0xff}));
}

TEST_CASE("integers at the edges of every type are kept, those beyond are refused") {
  struct Edge {
    NumberType type;
    std::int64_t least, most;
  };
  for (const Edge& edge : {Edge{NumberType::i8, -128, 127},
                           {NumberType::u8, 0, 255},
                           {NumberType::i16, -32768, 32767},
                           {NumberType::u16, 0, 65535},
                           {NumberType::i32, -2147483648, 2147483647},
                           {NumberType::u32, 0, 4294967295}}) {
    const Column edges = Integers{edge.least, edge.most};
    CHECK(fits(edges, edge.type));
    CHECK(stored(edges, edge.type) == edges);
    for (const std::int64_t beyond : {edge.least - 1, edge.most + 1}) {
      INFO(name(edge.type) << " " << beyond);
      CHECK_FALSE(fits(Column(Integers{0, beyond}), edge.type));
      CHECK_THROWS_WITH(encoded(Integers{beyond}, edge.type),
                        Catch::Contains(std::to_string(beyond)));
    }
  }
  CHECK(stored(Integers{kLeast, kMost}, NumberType::i64) == Column(Integers{kLeast, kMost}));
  CHECK(stored(Integers{0, kMost}, NumberType::u64) == Column(Integers{0, kMost}));
  CHECK_FALSE(fits(-1, 5, NumberType::u64));
}

TEST_CASE("floating point always fits") {
  CHECK(fits(Column(Doubles{1e300}), NumberType::i8));
  CHECK(fits(Column(Integers{kMost}), NumberType::f32));
  CHECK(fits(Column(Integers{}), NumberType::u8));
}

TEST_CASE("the narrowest type goes up the chain of the source") {
  CHECK(narrowest_holding(NumberType::i32, 0, 2147483647) == NumberType::i32);
  CHECK(narrowest_holding(NumberType::i32, 0, 2147483648) == NumberType::i64);
  CHECK(narrowest_holding(NumberType::i8, -129, 0) == NumberType::i16);
  CHECK(narrowest_holding(NumberType::u8, 0, 256) == NumberType::u16);
  CHECK(narrowest_holding(NumberType::u8, 0, 65536) == NumberType::u32);
  CHECK(narrowest_holding(NumberType::u16, 0, 4294967296) == NumberType::i64);
  CHECK(narrowest_holding(NumberType::u64, 0, kMost) == NumberType::u64);
  CHECK(narrowest_holding(NumberType::u64, -1, 0) == NumberType::i64);
  CHECK(narrowest_holding(NumberType::u32, -1, 0) == NumberType::i64);
}

TEST_CASE("floating point to integers truncates and saturates") {
  const Column values = Doubles{2.9, -2.9, -0.5, 127.99, 128, 1e300, -1e300, kInf, -kInf, kNaN};
  CHECK(stored(values, NumberType::i8) ==
        Column(Integers{2, -2, 0, 127, 127, 127, -128, 127, -128, -128}));
  CHECK(stored(values, NumberType::u8) == Column(Integers{2, 0, 0, 127, 128, 255, 0, 255, 0, 0}));
  CHECK(stored(values, NumberType::i64) ==
        Column(Integers{2, -2, 0, 127, 128, kMost, kLeast, kMost, kLeast, kLeast}));
  CHECK(encoded(Doubles{1e30}, NumberType::u64) == std::vector<std::byte>(8, std::byte{0xff}));
  CHECK(stored(Floats{2147483648.0F, -2147483648.0F, 2147483520.0F}, NumberType::i32) ==
        Column(Integers{2147483647, -2147483648, 2147483520}));
}

TEST_CASE("wide floating point is rounded to narrow") {
  CHECK(stored(Doubles{0.1, 1e-50, 1e39, 16777217.0, 16777219.0}, NumberType::f32) ==
        Column(Floats{0x1.99999ap-4F, 0.0F, std::numeric_limits<float>::infinity(), 16777216.0F,
                      16777220.0F}));
  CHECK(stored(Integers{16777217}, NumberType::f32) == Column(Floats{16777216.0F}));
  CHECK(stored(Integers{3}, NumberType::f64) == Column(Doubles{3.0}));
}

TEST_CASE("float16 has the bits of IEEE binary16") {
  struct Pair {
    double value;
    std::uint16_t bits;
  };
  for (const Pair& pair : {Pair{0.0, 0x0000},
                           {-0.0, 0x8000},
                           {1.0, 0x3c00},
                           {-2.0, 0xc000},
                           {65504.0, 0x7bff},
                           {0x1p-14, 0x0400},
                           {0x1p-24, 0x0001},
                           {0x3ffp-24, 0x03ff},
                           {kInf, 0x7c00},
                           {-kInf, 0xfc00}}) {
    CHECK(double_to_half(pair.value) == pair.bits);
    CHECK(static_cast<double>(half_to_float(pair.bits)) == pair.value);
  }
  CHECK(std::signbit(half_to_float(0x8000)));
  CHECK(std::isnan(half_to_float(double_to_half(kNaN))));
  CHECK(std::isnan(half_to_float(0x7c01)));
}

TEST_CASE("float16 rounds once, to nearest, ties to even") {
  CHECK(double_to_half(2049.0) == 0x6800);        // between 2048 and 2050: even
  CHECK(double_to_half(2051.0) == 0x6802);        // between 2050 and 2052
  CHECK(double_to_half(2049.0000001) == 0x6801);  // as float32 first it would be a tie
  CHECK(double_to_half(65519.999) == 0x7bff);
  CHECK(double_to_half(65520.0) == 0x7c00);
  CHECK(double_to_half(0x1p-25) == 0x0000);  // half the least subnormal: even
  CHECK(double_to_half(0x1.000001p-25) == 0x0001);
  CHECK(double_to_half(0x3ff.8p-24) == 0x0400);  // up from the subnormals to the normals
  CHECK(double_to_half(0x1.ffep0) == 0x4000);    // up to the next exponent
}

TEST_CASE("every float16 survives the way to float and back") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = half_to_float(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    if (double_to_half(static_cast<double>(value)) != bits) FAIL("bits " << bits);
  }
}

}  // namespace ziggurat::pixels
