#include "engine/field_buffer.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "ziggurat/error.hpp"

namespace ziggurat::engine {
namespace {

using reader::ValueForm;

template <typename Number>
std::vector<std::byte> bytes_of(const std::vector<Number>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

template <typename Stored>
std::vector<Stored> numbers_in(const std::vector<std::byte>& bytes) {
  std::vector<Stored> numbers(bytes.size() / sizeof(Stored));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

const std::vector<std::int32_t> kNarrow{5, -6, 7, 8};
const std::vector<std::int64_t> kWide{5, -6, 7, std::int64_t{1} << 40};
const std::vector<float> kSingle{0.5F, -1.75F, 3.0F};
const std::vector<double> kDouble{0.5, -1.75, 1e10};

// Values [1, 3) of a form, stored as a type and read as Stored.
template <typename Stored, typename Number>
std::vector<Stored> stored(ValueForm form, const std::vector<Number>& values, NumberType type) {
  std::vector<std::byte> out;
  append_stored(form, bytes_of(values), 1, 2, type, out);
  return numbers_in<Stored>(out);
}

NumberType type_for_narrow(const std::vector<std::int32_t>& values, NumberType type) {
  return type_for(ValueForm::i32, bytes_of(values), type);
}
NumberType type_for_wide(const std::vector<std::int64_t>& values, NumberType type) {
  return type_for(ValueForm::i64, bytes_of(values), type);
}

}  // namespace

TEST_CASE("a part of a block's column becomes a column of its kind") {
  CHECK(to_column(ValueForm::i32, bytes_of(kNarrow), 1, 2) ==
        pixels::Column(std::vector<std::int64_t>{-6, 7}));
  CHECK(to_column(ValueForm::i64, bytes_of(kWide), 2, 2) ==
        pixels::Column(std::vector<std::int64_t>{7, std::int64_t{1} << 40}));
  CHECK(to_column(ValueForm::f32, bytes_of(kSingle), 0, 3) == pixels::Column(kSingle));
  CHECK(to_column(ValueForm::f64, bytes_of(kDouble), 2, 1) ==
        pixels::Column(std::vector<double>{1e10}));
  CHECK(to_column(ValueForm::f64, bytes_of(kDouble), 3, 0) ==
        pixels::Column(std::vector<double>{}));
}

TEST_CASE("values are stored as they are where the forms agree") {
  CHECK(stored<std::int32_t>(ValueForm::i32, kNarrow, NumberType::i32) ==
        std::vector<std::int32_t>{-6, 7});
  CHECK(stored<std::int64_t>(ValueForm::i64, kWide, NumberType::i64) ==
        std::vector<std::int64_t>{-6, 7});
  CHECK(stored<float>(ValueForm::f32, kSingle, NumberType::f32) ==
        std::vector<float>{-1.75F, 3.0F});
  CHECK(stored<double>(ValueForm::f64, kDouble, NumberType::f64) ==
        std::vector<double>{-1.75, 1e10});
}

TEST_CASE("values are converted where they do not") {
  CHECK(stored<std::int64_t>(ValueForm::i32, kNarrow, NumberType::i64) ==
        std::vector<std::int64_t>{-6, 7});
  CHECK(stored<std::int8_t>(ValueForm::i32, kNarrow, NumberType::i8) ==
        std::vector<std::int8_t>{-6, 7});
  CHECK(stored<std::int16_t>(ValueForm::i64, kWide, NumberType::i16) ==
        std::vector<std::int16_t>{-6, 7});
  CHECK(stored<double>(ValueForm::i32, kNarrow, NumberType::f64) == std::vector<double>{-6, 7});
  CHECK(stored<double>(ValueForm::f32, kSingle, NumberType::f64) ==
        std::vector<double>{-1.75, 3.0});
  CHECK(stored<float>(ValueForm::f64, kDouble, NumberType::f32) ==
        std::vector<float>{-1.75F, 1e10F});
  CHECK(stored<std::int32_t>(ValueForm::f32, kSingle, NumberType::i32) ==
        std::vector<std::int32_t>{-1, 3});
}

TEST_CASE("stored values are appended to what is there") {
  std::vector<std::byte> out{std::byte{9}};
  append_stored(ValueForm::i32, bytes_of(kNarrow), 0, 1, NumberType::u8, out);
  CHECK(out == std::vector<std::byte>{std::byte{9}, std::byte{5}});
  CHECK_THROWS_AS(append_stored(ValueForm::i32, bytes_of(kNarrow), 1, 1, NumberType::u8, out),
                  Error);
}

TEST_CASE("a type that holds the values stays") {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  CHECK(type_for_narrow({0, 255}, NumberType::u8) == NumberType::u8);
  CHECK(type_for_narrow({-128, 127}, NumberType::i8) == NumberType::i8);
  CHECK(type_for_narrow({-most - 1, most}, NumberType::i32) == NumberType::i32);
  CHECK(type_for_narrow({-1}, NumberType::i64) == NumberType::i64);
  CHECK(type_for_wide({0, 4294967295}, NumberType::u32) == NumberType::u32);
  CHECK(type_for_narrow({}, NumberType::u8) == NumberType::u8);
  CHECK(type_for_wide({}, NumberType::i16) == NumberType::i16);
}

TEST_CASE("a type that does not gives way to the next wider that does") {
  CHECK(type_for_narrow({3, 256}, NumberType::u8) == NumberType::u16);
  CHECK(type_for_narrow({3, 70000}, NumberType::u8) == NumberType::u32);
  CHECK(type_for_narrow({128}, NumberType::i8) == NumberType::i16);
  CHECK(type_for_narrow({-129, 0}, NumberType::i8) == NumberType::i16);
  CHECK(type_for_narrow({-1}, NumberType::u8) == NumberType::i64);
  CHECK(type_for_narrow({-1}, NumberType::u32) == NumberType::i64);
  CHECK(type_for_wide({2147483648}, NumberType::i32) == NumberType::i64);
  CHECK(type_for_wide({4294967296}, NumberType::u32) == NumberType::i64);
  CHECK(type_for_wide({5, 40000}, NumberType::i8) == NumberType::i32);
}

TEST_CASE("floating point never widens") {
  CHECK(type_for(ValueForm::f32, bytes_of(kSingle), NumberType::f32) == NumberType::f32);
  CHECK(type_for(ValueForm::f64, bytes_of(kDouble), NumberType::f16) == NumberType::f16);
  CHECK(type_for_wide({std::int64_t{1} << 60}, NumberType::f32) == NumberType::f32);
  CHECK(type_for(ValueForm::f64, bytes_of(kDouble), NumberType::i32) == NumberType::i32);
}

TEST_CASE("elements are stored anew in a wider type") {
  CHECK(numbers_in<std::uint16_t>(restored(bytes_of(std::vector<std::uint8_t>{1, 255}),
                                           NumberType::u8, NumberType::u16)) ==
        std::vector<std::uint16_t>{1, 255});
  CHECK(numbers_in<std::int64_t>(restored(bytes_of(kNarrow), NumberType::i32, NumberType::i64)) ==
        std::vector<std::int64_t>{5, -6, 7, 8});
  CHECK(restored({}, NumberType::i32, NumberType::i64).empty());
}

}  // namespace ziggurat::engine
