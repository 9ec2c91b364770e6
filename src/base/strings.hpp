// Small text helpers for the grammars of options. ASCII only: option words are.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ziggurat {

// text without blanks (space, tab, line ends) on either side. A view of the argument.
[[nodiscard]] std::string_view trim(std::string_view text);

[[nodiscard]] std::string to_lower(std::string_view text);

// The parts between separators; one more than there are separators, so never none. Views of the
// argument.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

// The integer that the whole text spells: decimal digits with an optional sign and single `_`
// between digits, as in Python. Nothing when it is something else or beyond 64 bits.
[[nodiscard]] std::optional<std::int64_t> parse_int64(std::string_view text);

// The number that the whole text spells as decimal digits with an optional point. Nothing
// otherwise: no sign, exponent, inf or nan.
[[nodiscard]] std::optional<double> parse_decimal(std::string_view text);

}  // namespace ziggurat
