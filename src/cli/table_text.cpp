#include "cli/table_text.hpp"

#include <cmath>
#include <cstdio>
#include <optional>

#include "base/check.hpp"
#include "base/strings.hpp"

namespace ziggurat::cli {

namespace {

// More digits than a double has make no sense, and a field must end.
constexpr std::int64_t kMostDigits = 1000;

struct FormatParts {
  std::string flags;
  std::string width;
  std::optional<std::string> precision;
  char type = 0;
  std::string suffix;
};

std::string take_digits(std::string_view& text) {
  const std::size_t n = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string digits(text.substr(0, n));
  text.remove_prefix(n);
  return digits;
}

FormatParts split_format(std::string_view text) {
  FormatParts parts;
  const std::size_t n = std::min(text.find_first_not_of("-+ #0"), text.size());
  parts.flags = text.substr(0, n);
  text.remove_prefix(n);
  parts.width = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.precision = take_digits(text);
  }
  if (!text.empty()) {
    parts.type = text.front();
    parts.suffix = text.substr(1);
  }
  return parts;
}

bool is_small(const std::string& digits) {
  return digits.empty() || parse_int64(digits).value_or(kMostDigits + 1) <= kMostDigits;
}

// What follows the number; %% stands for a percent sign.
std::optional<std::string> literal(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && (++i == text.size() || text[i] != '%')) return std::nullopt;
    out += text[i];
  }
  return out;
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of("\t\"\n\r") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

FloatFormat::FloatFormat(const std::string& format, const std::string& missing)
    : missing_(csv_field(missing)) {
  const FormatParts parts = split_format(format);
  const std::optional<std::string> suffix = literal(parts.suffix);
  const bool known =
      parts.type != 0 && std::string_view("eEfFgG").find(parts.type) != std::string_view::npos;
  if (!known || !suffix || !is_small(parts.width) || !is_small(parts.precision.value_or(""))) {
    fail(ErrorCode::usage,
         "'{}' is no format for floating point numbers: write [FLAGS][WIDTH][.PRECISION]TYPE with "
         "TYPE one of e, f, g, such as g or .12g",
         format);
  }
  suffix_ = csv_field(*suffix);
  if (suffix_ != *suffix) {
    fail(ErrorCode::usage, "'{}': tabs, quotes and line ends do not fit into a table", format);
  }
  plain_ = parts.flags.empty() && parts.width.empty() && std::islower(parts.type) != 0;
  notation_ = parts.type == 'e'   ? std::chars_format::scientific
              : parts.type == 'f' ? std::chars_format::fixed
                                  : std::chars_format::general;
  if (parts.precision) {
    precision_ = static_cast<int>(parse_int64(*parts.precision).value_or(0));
  }
  format_ = "%" + parts.flags + parts.width +
            (parts.precision ? "." + *parts.precision : std::string()) + parts.type;
}

void FloatFormat::append(std::string& out, double value) const {
  if (std::isnan(value)) {
    out += missing_;
    return;
  }
  // The longest: 309 digits, the point, the precision, and the width around it.
  char digits[kMostDigits + 400];
  if (plain_) {
    out.append(digits,
               std::to_chars(digits, digits + sizeof digits, value, notation_, precision_).ptr);
  } else {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    const int n = std::snprintf(digits, sizeof digits, format_.c_str(), value);
#pragma GCC diagnostic pop
    out.append(digits, static_cast<std::size_t>(n));
  }
  out += suffix_;
}

void append_header(std::string& out, const std::vector<TextColumn>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) out += '\t';
    out += csv_field(columns[c].name);
  }
  out += '\n';
}

void append_row(std::string& out, const std::vector<TextColumn>& columns, std::size_t row) {
  const std::size_t begin = out.size();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c > 0) out += '\t';
    columns[c].write(out, row);
  }
  // A line of one empty field would be no line at all.
  if (columns.size() == 1 && out.size() == begin) out += "\"\"";
  out += '\n';
}

}  // namespace ziggurat::cli
