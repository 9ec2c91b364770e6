#include "report/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/words.hpp"

namespace ziggurat::report {

namespace {

// Shares of the positive values below the ends of a scale. Nearly all cells of a genome lie between
// chromosomes: the low end cuts into them, the high end hardly into the diagonal.
constexpr double kLowShare = 0.02;
constexpr double kHighShare = 0.998;
constexpr double kHighShareLinear = 0.98;

double quantile(std::vector<float>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return static_cast<double>(values[static_cast<std::size_t>(at)]);
}

double two_digits(double value) {
  if (value <= 0) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::round(value / unit) * unit;
}

std::string power_text(int exponent) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) text += kDigits[digit - '0'];
  return text;
}

}  // namespace

double ColourScale::place(double value) const {
  const double at =
      is_log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return std::clamp(at, 0.0, 1.0);
}

std::uint8_t ColourScale::shade(double value) const {
  if (std::isnan(value)) return kMissing;
  if (value <= low) return 0;
  return static_cast<std::uint8_t>(std::lround(place(value) * (kShades - 1)));
}

ColourScale scale_of(std::span<const float> values, bool is_log) {
  std::vector<float> positive;
  for (const float value : values) {
    if (value > 0) positive.push_back(value);
  }
  ColourScale scale{is_log ? 1.0 : 0.0, 10, is_log};
  if (positive.empty()) return scale;
  if (is_log) scale.low = two_digits(quantile(positive, kLowShare));
  scale.high = two_digits(quantile(positive, is_log ? kHighShare : kHighShareLinear));
  if (scale.high <= scale.low * 1.5) scale.high = (is_log ? scale.low : 1.0) * 10;
  return scale;
}

ColourScale scale_about_one(std::span<const float> values, bool is_log) {
  if (!is_log) return {0, 2, false};
  constexpr double kLeast = 1.5;
  std::vector<float> factors;
  for (const float value : values) {
    if (value > 0) factors.push_back(std::max(value, 1 / value));
  }
  double high = kLeast;
  if (!factors.empty()) high = std::max(high, two_digits(quantile(factors, kHighShareLinear)));
  return {1 / high, high, true};
}

std::vector<std::uint8_t> shades_of(std::span<const float> values, const ColourScale& scale) {
  std::vector<std::uint8_t> shades(values.size());
  std::transform(values.begin(), values.end(), shades.begin(),
                 [&](float value) { return scale.shade(static_cast<double>(value)); });
  return shades;
}

std::vector<double> linear_ticks(double low, double high, int wanted) {
  std::vector<double> ticks;
  if (!(high > low) || wanted < 1) return ticks;
  const double rough = (high - low) / wanted;
  const double unit = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * unit;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * unit >= rough) step = factor * unit;
  }
  const double slack = step * 1e-9;
  for (double i = std::ceil((low - slack) / step) + 0.0; i * step <= high + slack; i += 1) {
    ticks.push_back(i * step + 0.0);
  }
  return ticks;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> ticks;
  if (!(low > 0) || !(high > low)) return ticks;
  const auto fill = [&](std::initializer_list<double> factors) {
    ticks.clear();
    const auto last = static_cast<int>(std::floor(std::log10(high)));
    for (auto e = static_cast<int>(std::floor(std::log10(low))); e <= last; ++e) {
      for (const double factor : factors) {
        const double tick = factor * std::pow(10.0, e);
        if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
      }
    }
  };
  fill({1});
  if (ticks.size() < 3) fill({1, 2, 5});
  return ticks;
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (value == 0 || (size >= 0.00099 && size < 9999)) return short_text(value);
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const double front = value / std::pow(10.0, exponent);
  const std::string power = power_text(exponent);
  return std::abs(front - 1) < 1e-6 ? power : fmt::format("{:.2g}×{}", front, power);
}

}  // namespace ziggurat::report
