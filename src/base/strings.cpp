#include "base/strings.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace ziggurat {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits without their underscores; nothing when an underscore does not stand between digits.
std::optional<std::string> without_underscores(std::string_view digits) {
  std::string plain;
  char previous = '_';
  for (const char c : digits) {
    if (c == '_' ? !is_digit(previous) : !is_digit(c)) return std::nullopt;
    if (c != '_') plain.push_back(c);
    previous = c;
  }
  if (previous == '_') return std::nullopt;
  return plain;
}

// As std::from_chars, but all or nothing.
template <typename Number, typename... Format>
std::optional<Number> number_of_whole(std::string_view text, Format... format) {
  Number value{};
  const char* end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, value, format...);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string_view::npos;) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::optional<std::int64_t> parse_int64(std::string_view text) {
  const bool has_sign = !text.empty() && (text.front() == '+' || text.front() == '-');
  const auto digits = without_underscores(text.substr(has_sign ? 1 : 0));
  if (!digits) return std::nullopt;
  const bool negative = has_sign && text.front() == '-';
  return number_of_whole<std::int64_t>(negative ? "-" + *digits : *digits);
}

std::optional<double> parse_decimal(std::string_view text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; });
  if (!plain) return std::nullopt;
  return number_of_whole<double>(text, std::chars_format::fixed);
}

}  // namespace ziggurat
