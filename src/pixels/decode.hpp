// Stored elements to columns and back.
//
// Stored form: little-endian elements without padding, as they lie in an unshuffled chunk.
// Thread rules: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/number_type.hpp"
#include "pixels/column.hpp"

namespace ziggurat::pixels {

// Appends the elements to out.
// Requires: elements.size() is a multiple of size(type); out is of kind_of(type).
// Throws: Error{format} naming the value when a uint64 is beyond int64 (out keeps what came
// before it); Error{internal} when a requirement is broken.
void decode_values(std::span<const std::byte> elements, NumberType type, Column& out);

// Appends values [first, end) of column to out, stored as target.
// * integer to integer: exact;
// * floating point to integer: truncated toward zero, saturated, NaN becomes the least value;
// * anything to floating point: rounded to nearest, ties to even, in one step from the column's
//   value (so a double goes to float16 without a stop at float32).
// Throws: Error{format} naming the value when an integer does not fit an integer target: ask
// fits() first, and widen; Error{internal} when the range is outside the column.
void encode_values(const Column& column, std::int64_t first, std::int64_t end, NumberType target,
                   std::vector<std::byte>& out);

// Whether target holds every integer from min to max. Requires: target is an integer type.
[[nodiscard]] bool fits(std::int64_t min, std::int64_t max, NumberType target) noexcept;

// Whether encode_values() to target keeps every value of an integer column; true for columns of
// floating point and for floating-point targets, where rounding is what is asked for.
[[nodiscard]] bool fits(const Column& column, NumberType target) noexcept;

// The first type that holds min..max, going from source along next_wider(). i64 when none of the
// chain does (as for a negative value in an unsigned column). Requires: source is an integer type.
[[nodiscard]] NumberType narrowest_holding(NumberType source, std::int64_t min, std::int64_t max);

// IEEE binary16 bits to float (exact), and double to binary16, to nearest even.
[[nodiscard]] float half_to_float(std::uint16_t bits) noexcept;
[[nodiscard]] std::uint16_t double_to_half(double value) noexcept;

}  // namespace ziggurat::pixels
