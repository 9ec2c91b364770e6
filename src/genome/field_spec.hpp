// The --field option: which pixel column to carry, as what type, pooled how.
// Thread rules: free functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/aggregation.hpp"
#include "base/number_type.hpp"

namespace ziggurat::genome {

struct FieldSpec {
  std::string name;                 // column of the pixel table
  std::optional<NumberType> dtype;  // of derived levels; nothing: as the source has it
  Aggregation agg = Aggregation::sum;

  friend bool operator==(const FieldSpec&, const FieldSpec&) = default;
};

// NAME or NAME:dtype=TYPE,agg=FUNCTION with either property or both; of a repeated property the
// last counts. TYPE is a numpy name.
// Throws: Error{usage} for anything else, naming the whole text and the part at fault.
[[nodiscard]] FieldSpec parse_field_spec(std::string_view text);

// A value column that is read from text, and from which column of it.
struct TextFieldSpec {
  FieldSpec field;
  std::optional<int> column;  // from 1
  bool says_agg = false;
};

// NAME=COLUMN with the same properties after it; without =COLUMN the place is left open.
// Throws: as parse_field_spec().
[[nodiscard]] TextFieldSpec parse_text_field_spec(std::string_view text);

}  // namespace ziggurat::genome
