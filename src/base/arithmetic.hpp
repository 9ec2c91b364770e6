// Integer arithmetic that the language leaves out. Thread rules: pure functions.
#pragma once

#include <cstdint>
#include <optional>

namespace ziggurat {

// value / divisor, rounded up. Requires: value >= 0, divisor >= 1. Cannot overflow.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) {
  return value / divisor + (value % divisor != 0 ? 1 : 0);
}

// a * b; nothing when 64 bits do not hold it.
[[nodiscard]] constexpr std::optional<std::int64_t> checked_product(std::int64_t a,
                                                                    std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

}  // namespace ziggurat
