// How a reader refuses pixels: one wording for every way of reading.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pixels/column.hpp"
#include "pixels/pixel_checks.hpp"

namespace ziggurat::reader {

// Error{format} naming the pixel; `label` is the map's.
[[noreturn]] void refuse_fault(const std::string& label, const pixels::PixelFault& fault);

// Error{format} for a count that is NaN or infinite.
[[noreturn]] void refuse_not_finite(const std::string& label, std::int64_t pixel, std::int64_t row,
                                    std::int64_t column);

// The first value that is NaN or infinite; nothing for integers.
[[nodiscard]] std::optional<std::int64_t> first_not_finite(const pixels::Column& values);

}  // namespace ziggurat::reader
