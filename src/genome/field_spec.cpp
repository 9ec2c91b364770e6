#include "genome/field_spec.hpp"

#include <vector>

#include "base/check.hpp"
#include "base/strings.hpp"

namespace ziggurat::genome {
namespace {

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

}  // namespace ziggurat::genome
