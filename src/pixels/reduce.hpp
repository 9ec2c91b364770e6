// Groups of pixel values to one value each, with the arithmetic of a pandas group-by.
//
// Thread rules: pure functions; one `out` per thread.
#pragma once

#include <cstdint>
#include <span>

#include "base/aggregation.hpp"
#include "pixels/column.hpp"

namespace ziggurat::pixels {

// The kind of column that reduce_groups() makes: counting aggregations (count, size, nunique, any,
// all) give integers; mean, median, var, std and sem of integers give doubles; everything else
// keeps the kind of its source.
[[nodiscard]] ColumnKind result_kind(Aggregation aggregation, ColumnKind source) noexcept;

// Reduces values[bounds[g], bounds[g + 1]) for every g, in order, and appends the results to out.
// The order of values within a group is the order of the pixel table: float sums depend on it.
// A group where every value is NaN gives: sum 0, prod 1, count and nunique 0, any 0, all 1, else
// NaN.
// Requires: bounds ascend strictly within 0..size(values) (no empty group); out is of
// result_kind(aggregation, kind_of(values)).
// Throws: Error{format} when an integer sum or product is beyond int64; size(out) then tells which
// group it was, and the caller completes the message with what it knows of that group.
// Error{internal} when a requirement is broken.
void reduce_groups(Aggregation aggregation, const Column& values,
                   std::span<const std::int64_t> bounds, Column& out);

}  // namespace ziggurat::pixels
