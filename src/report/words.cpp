#include "report/words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ziggurat::report {

std::string bp_text(double bp) {
  const double size = std::abs(bp);
  if (size >= 1e6) return fmt::format("{:.6g} Mb", bp / 1e6);
  if (size >= 1e3) return fmt::format("{:.6g} kb", bp / 1e3);
  return fmt::format("{:.6g} bp", bp);
}

std::string resolution_text(const std::optional<std::int64_t>& bin_size) {
  return bin_size ? bp_text(static_cast<double>(*bin_size)) : "bins of varying width";
}

std::string whole_text(double number) {
  std::string digits = fmt::format("{:.0f}", std::abs(number));
  for (std::size_t left = digits.size(); left > 3;) {
    left -= 3;
    digits.insert(left, 1, ',');
  }
  return (number < 0 ? "-" : "") + digits;
}

std::string large_text(double number) {
  if (number >= 1e9) return fmt::format("{:.3g} billion", number / 1e9);
  if (number >= 1e6) return fmt::format("{:.3g} million", number / 1e6);
  return number == std::floor(number) ? whole_text(number) : short_text(number);
}

std::string short_text(double number) {
  if (number != 0 && std::abs(number) >= 1000 && std::abs(number) < 1e15) {
    return whole_text(std::round(number));
  }
  return fmt::format("{:.3g}", number);
}

std::string percent_text(double share) {
  const double percent = 100 * share;
  if (percent > 0 && percent < 0.1) return fmt::format("{:.2g} %", percent);
  return fmt::format("{:.1f} %", percent);
}

std::string counted(std::int64_t n, std::string_view thing) {
  return fmt::format("{} {}{}", whole_text(static_cast<double>(n)), thing, n == 1 ? "" : "s");
}

std::string rule_text(LeftOutBy rule) {
  switch (rule) {
    case LeftOutBy::min_nnz:
      return "few pixels (min-nnz)";
    case LeftOutBy::min_count:
      return "few contacts (min-count)";
    case LeftOutBy::mad_max:
      return "low coverage (mad-max)";
    case LeftOutBy::other:
      break;
  }
  return "another reason, or a list";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace ziggurat::report
