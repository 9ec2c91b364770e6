// Values of one column on their way from a reader's form to the form they are stored in.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/number_type.hpp"
#include "pixels/column.hpp"
#include "reader/protocol.hpp"

namespace ziggurat::engine {

// Values [first, first + n) of a block's column as a Column.
[[nodiscard]] pixels::Column to_column(reader::ValueForm form, std::span<const std::byte> values,
                                       std::size_t first, std::size_t n);

// Appends values [first, first + n), stored as `type`. Requires: they fit it.
void append_stored(reader::ValueForm form, std::span<const std::byte> values, std::size_t first,
                   std::size_t n, NumberType type, std::vector<std::byte>& out);

// The type that holds these values: `type`, or when integers do not fit it the next wider that
// holds them. Cheap where the form alone tells.
[[nodiscard]] NumberType type_for(reader::ValueForm form, std::span<const std::byte> values,
                                  NumberType type);

// Elements stored as `from`, stored as `to`.
[[nodiscard]] std::vector<std::byte> restored(std::span<const std::byte> elements, NumberType from,
                                              NumberType to);

}  // namespace ziggurat::engine
