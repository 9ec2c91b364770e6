#include "genome/field_spec.hpp"

#include <vector>

#include "base/check.hpp"
#include "base/strings.hpp"

namespace ziggurat::genome {
namespace {

constexpr std::int64_t kMostColumns = 1'000'000;

[[noreturn]] void refuse(std::string_view text, const std::string& reason) {
  fail(ErrorCode::usage, "invalid value for --field {}: {}", text, reason);
}

void set_property(FieldSpec& field, std::string_view property, std::string_view text) {
  const std::vector<std::string_view> sides = split(property, '=');
  if (sides.size() != 2) {
    refuse(text, fmt::format("expected PROPERTY=VALUE, found '{}'", property));
  }
  const std::string_view value = trim(sides[1]);
  const std::string_view key = trim(sides[0]);
  if (key == "dtype") {
    field.dtype = parse_number_type(value);
    if (!field.dtype) refuse(text, fmt::format("'{}' is not a numpy number type", value));
  } else if (key == "agg") {
    const auto aggregation = parse_aggregation(value);
    if (!aggregation) refuse(text, fmt::format("'{}' is not an aggregation", value));
    field.agg = *aggregation;
  } else {
    // The reference tool's words, which callers may look for.
    refuse(text, fmt::format("Invalid property: '{}'.", key));
  }
}

}  // namespace

FieldSpec parse_field_spec(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 2) refuse(text, "more than one ':'; write NAME:dtype=TYPE,agg=FUNCTION");
  FieldSpec field;
  field.name = trim(parts[0]);
  if (field.name.empty()) refuse(text, "it names no column");
  if (parts.size() == 2) {
    for (const std::string_view property : split(parts[1], ',')) {
      set_property(field, property, text);
    }
  }
  return field;
}

TextFieldSpec parse_text_field_spec(std::string_view text) {
  TextFieldSpec spec;
  const std::string_view place = text.substr(0, text.find(':'));
  spec.says_agg = text.substr(place.size()).find("agg=") != std::string_view::npos;
  const std::size_t sign = place.find('=');
  if (sign == std::string_view::npos) {
    spec.field = parse_field_spec(text);
    return spec;
  }
  const std::string_view number = trim(place.substr(sign + 1));
  const std::optional<std::int64_t> column = parse_int64(number);
  if (!column) refuse(text, fmt::format("Not a number: '{}'", number));
  if (*column < 1) refuse(text, "Field numbers start at 1.");
  if (*column > kMostColumns) refuse(text, fmt::format("no line has {} columns", *column));
  spec.column = static_cast<int>(*column);
  std::string rest(place.substr(0, sign));
  rest += text.substr(place.size());
  spec.field = parse_field_spec(rest);
  return spec;
}

}  // namespace ziggurat::genome
