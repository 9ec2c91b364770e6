// The values of one pixel column in memory, in one of three forms.
//
// Every stored integer type is held as int64, float16 and float32 as float, float64 as double.
// Three forms instead of eleven keep the arithmetic readable, and nothing is lost: int64 holds
// every stored integer (uint64 above its range is refused on reading), and cooler too adds integers
// in 64 bits and float16 in float32. Thread rules: values; no shared state.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/number_type.hpp"

namespace ziggurat::pixels {

using Column = std::variant<std::vector<std::int64_t>, std::vector<float>, std::vector<double>>;

// Which alternative a Column holds; the numbers are the indexes of the variant.
enum class ColumnKind { integer = 0, single_precision = 1, double_precision = 2 };

// The kind that holds values stored as type.
[[nodiscard]] ColumnKind kind_of(NumberType type) noexcept;
[[nodiscard]] ColumnKind kind_of(const Column& column) noexcept;

// An empty column of that kind.
[[nodiscard]] Column make_column(ColumnKind kind);

// Number of values.
[[nodiscard]] std::int64_t size(const Column& column) noexcept;

// Drops the values; keeps the kind and the memory.
void clear(Column& column) noexcept;

// Appends source[first, end) to target.
// Requires: both are of one kind; 0 <= first <= end <= size(source); two different objects.
// Throws: Error{internal} on a breach.
void append(Column& target, const Column& source, std::int64_t first, std::int64_t end);
void append(Column& target, const Column& source);

// A copy of column[first, end). Requires and throws: as append().
[[nodiscard]] Column take(const Column& column, std::int64_t first, std::int64_t end);

}  // namespace ziggurat::pixels
