#include "base/number_type.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <tuple>
#include <vector>

using namespace ziggurat;

TEST_CASE("number types know their size, kind and name") {
  CHECK(size(NumberType::i8) == 1);
  CHECK(size(NumberType::u16) == 2);
  CHECK(size(NumberType::f16) == 2);
  CHECK(size(NumberType::i32) == 4);
  CHECK(size(NumberType::f64) == 8);
  CHECK(is_float(NumberType::f16));
  CHECK_FALSE(is_float(NumberType::u64));
  CHECK(is_signed(NumberType::i64));
  CHECK(is_signed(NumberType::f32));
  CHECK_FALSE(is_signed(NumberType::u8));
  CHECK(name(NumberType::i32) == "int32");
  CHECK(name(NumberType::u8) == "uint8");
  CHECK(name(NumberType::f64) == "float64");
}

TEST_CASE("every numpy name means its type") {
  for (int index = 0; index <= static_cast<int>(NumberType::f64); ++index) {
    const auto type = static_cast<NumberType>(index);
    CHECK(parse_number_type(name(type)) == type);
  }
}

TEST_CASE("aliases and codes") {
  CHECK(parse_number_type("int") == NumberType::i64);
  CHECK(parse_number_type("float") == NumberType::f64);
  CHECK(parse_number_type("double") == NumberType::f64);
  CHECK(parse_number_type("half") == NumberType::f16);
  CHECK(parse_number_type("i4") == NumberType::i32);
  CHECK(parse_number_type("<i4") == NumberType::i32);
  CHECK(parse_number_type("=u2") == NumberType::u16);
  CHECK(parse_number_type("|u1") == NumberType::u8);
  CHECK(parse_number_type("f8") == NumberType::f64);
  CHECK(parse_number_type("i8") == NumberType::i64);
}

TEST_CASE("what is no number type of ours") {
  for (const char* text :
       {"", "<", "bool", "complex64", ">i4", "i3", "f1", "Int32", "int128", "str", " int32"}) {
    INFO(text);
    CHECK_FALSE(parse_number_type(text).has_value());
  }
}

TEST_CASE("sums widen step by step to 64 signed bits") {
  CHECK(next_wider(NumberType::i8) == NumberType::i16);
  CHECK(next_wider(NumberType::i16) == NumberType::i32);
  CHECK(next_wider(NumberType::i32) == NumberType::i64);
  CHECK(next_wider(NumberType::u8) == NumberType::u16);
  CHECK(next_wider(NumberType::u16) == NumberType::u32);
  CHECK(next_wider(NumberType::u32) == NumberType::i64);
  for (const NumberType last :
       {NumberType::i64, NumberType::u64, NumberType::f16, NumberType::f32, NumberType::f64}) {
    CHECK_FALSE(next_wider(last).has_value());
  }
}

// As numpy.result_type has it.
TEST_CASE("the common type of two holds the values of both") {
  using enum NumberType;
  const std::tuple<NumberType, NumberType, NumberType> cases[] = {
      {i32, i32, i32}, {i32, i64, i64}, {i8, u8, i16},   {u16, i16, i32}, {u32, i32, i64},
      {u32, i8, i64},  {u64, i8, f64},  {u64, u8, u64},  {f16, i8, f16},  {f16, i16, f32},
      {f32, i16, f32}, {f32, u16, f32}, {f32, i32, f64}, {f64, i64, f64}, {f16, f32, f32},
      {f32, u64, f64}, {u8, u16, u16},
  };
  for (const auto& [a, b, want] : cases) {
    INFO(name(a) << " and " << name(b));
    CHECK(common_type(a, b) == want);
    CHECK(common_type(b, a) == want);
  }
}
