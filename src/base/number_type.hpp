// The number types that pixel columns have in files, and what is known about each.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace ziggurat {

// Named by bits: signed and unsigned integers, IEEE floats.
enum class NumberType { i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 };

// Size in bytes.
[[nodiscard]] std::size_t size(NumberType type);
[[nodiscard]] bool is_float(NumberType type);
// True for floats too.
[[nodiscard]] bool is_signed(NumberType type);

// numpy's name: int32, uint8, float64, ...
[[nodiscard]] std::string_view name(NumberType type);

// The type that a numpy name means: those of name(), the aliases int, uint, float, double, single,
// half and the C names, and codes with a count of bytes such as i4, <i4 or f8. Nothing for other
// text; bool, complex and big-endian codes are such.
[[nodiscard]] std::optional<NumberType> parse_number_type(std::string_view text);

// The next type for sums that do not fit: twice the bytes, up to i64. After u32 comes i64 as well,
// since sums are held in 64 signed bits. Nothing for i64, u64 and floats.
[[nodiscard]] std::optional<NumberType> next_wider(NumberType type);

// The type that numpy gives to the sum of both: the narrowest that holds every value of either, and
// double where there is none, as for uint64 beside int64.
[[nodiscard]] NumberType common_type(NumberType a, NumberType b);

}  // namespace ziggurat
