#include "base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "base/arithmetic.hpp"
#include "base/check.hpp"
#include "base/strings.hpp"

namespace ziggurat {
namespace {

constexpr std::string_view kPrefixes = "kmgtpe";

std::int64_t power(std::int64_t base, std::size_t exponent) {
  std::int64_t result = 1;
  for (std::size_t i = 0; i < exponent; ++i) result *= base;
  return result;
}

// Bytes that a unit in lower case stands for.
std::optional<std::int64_t> unit_bytes(std::string_view unit) {
  if (unit.empty() || unit == "b") return 1;
  const std::size_t prefix = kPrefixes.find(unit.front());
  if (prefix == std::string_view::npos) return std::nullopt;
  const std::string_view rest = unit.substr(1);
  if (rest.empty() || rest == "ib" || rest == "i") return power(1024, prefix + 1);
  if (rest == "b") return power(1000, prefix + 1);
  return std::nullopt;
}

// Whole numbers are multiplied exactly; only fractions go through floating point.
std::optional<std::int64_t> scaled(std::string_view number, std::int64_t unit) {
  if (const auto whole = parse_int64(number)) return checked_product(*whole, unit);
  const auto fraction = parse_decimal(number);
  if (!fraction) return std::nullopt;
  const double bytes = *fraction * static_cast<double>(unit);
  if (bytes >= static_cast<double>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

// value below step as it is, else one decimal of the largest unit that leaves 1 or more. The unit
// is chosen after rounding, so that 1023.99 KiB reads 1.0 MiB and not 1024.0 KiB.
template <std::size_t N>
std::string with_unit(std::int64_t value, double step, const std::array<const char*, N>& units) {
  double scaled_value = static_cast<double>(value);
  if (scaled_value < step) return fmt::format("{}{}", value, units.front());
  std::size_t unit = 0;
  do {
    scaled_value /= step;
    ++unit;
  } while (scaled_value >= step - 0.05 && unit + 1 < N);
  return fmt::format("{:.1f}{}", scaled_value, units[unit]);
}

}  // namespace

std::int64_t parse_bytes(std::string_view text) {
  const std::string lower = to_lower(trim(text));
  const std::string_view whole = lower;
  const std::size_t number_end = std::min(whole.find_first_not_of("0123456789._"), whole.size());
  const auto unit = unit_bytes(trim(whole.substr(number_end)));
  const auto bytes = unit ? scaled(whole.substr(0, number_end), *unit) : std::nullopt;
  if (!bytes) {
    fail(ErrorCode::usage, "'{}' is not a size in bytes; write for example 8G, 512MiB or 1.5 GB",
         text);
  }
  return *bytes;
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array<const char*, 7> kUnits = {" B",   " KiB", " MiB", " GiB",
                                                 " TiB", " PiB", " EiB"};
  return with_unit(bytes, 1024.0, kUnits);
}

std::string format_count(std::int64_t count) {
  constexpr std::array<const char*, 5> kUnits = {"", " k", " M", " G", " T"};
  return with_unit(count, 1000.0, kUnits);
}

std::string format_duration(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000.0);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  const std::int64_t whole = std::llround(seconds);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const std::int64_t minutes = std::llround(seconds / 60.0);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace ziggurat
