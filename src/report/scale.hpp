// From values to shades of a colour map, and marks for axes.
// Thread rules: values; free functions of their arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/palette.hpp"

namespace ziggurat::report {

// Shade 0 is the low end and what lies below, among it no contacts at all; shade 254 the high end
// and what lies above. On a logarithmic scale, low and high are positive.
struct ColourScale {
  double low = 0;
  double high = 1;
  bool is_log = true;

  [[nodiscard]] std::uint8_t shade(double value) const;  // of NaN: kMissing
  // 0 at the low end, 1 at the high.
  [[nodiscard]] double place(double value) const;
};

// Ends that a few extreme values do not decide: percentiles of the positive values, rounded to two
// digits.
[[nodiscard]] ColourScale scale_of(std::span<const float> values, bool is_log);

// For ratios: even about 1, at least from 2/3 to 1.5. Linear: from 0 to 2.
[[nodiscard]] ColourScale scale_about_one(std::span<const float> values, bool is_log);

[[nodiscard]] std::vector<std::uint8_t> shades_of(std::span<const float> values,
                                                  const ColourScale& scale);

// Round numbers in [low, high], about `wanted` of them: 1, 2 or 5 times a power of ten apart.
[[nodiscard]] std::vector<double> linear_ticks(double low, double high, int wanted);
// Powers of ten in [low, high]; 1, 2 and 5 times these where that leaves fewer than three.
[[nodiscard]] std::vector<double> log_ticks(double low, double high);

// 0.001 to 9,999 as digits, others as a power of ten.
[[nodiscard]] std::string tick_text(double value);

}  // namespace ziggurat::report
