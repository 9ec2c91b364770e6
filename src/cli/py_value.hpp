// Values as Python holds them, for text that is to be what Python prints.
// Thread rules: values; free functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ziggurat/inspect.hpp"

namespace ziggurat::cli {

struct PyMember;

struct PyValue {
  enum class Kind { none, truth, integer, real, text, moment, list, dict };

  Kind kind = Kind::none;
  std::string text;  // of texts; digits of integers, of any number; a moment as ISO with a blank
  double real = 0;   // of reals
  bool truth = false;
  std::vector<PyValue> items;     // of lists
  std::vector<PyMember> members;  // of dicts, each key once
};

struct PyMember {
  std::string key;
  PyValue value;
};

[[nodiscard]] PyValue py_none();
[[nodiscard]] PyValue py_truth(bool truth);
[[nodiscard]] PyValue py_integer(std::string digits);
[[nodiscard]] PyValue py_real(double number);
[[nodiscard]] PyValue py_text(std::string text);

// What json.loads makes of a text; nothing when it refuses it.
[[nodiscard]] std::optional<PyValue> parse_json(std::string_view text);

// An attribute as cooler's info has it: texts that are JSON are what that says.
[[nodiscard]] PyValue info_value(const ObjectAttribute& attribute);

// json.dump(value, indent=4).
[[nodiscard]] std::string json_dump(const PyValue& value);
// repr(value), and print(value), which leaves a text as it is.
[[nodiscard]] std::string py_repr(const PyValue& value);
[[nodiscard]] std::string py_print(const PyValue& value);
// repr of a float: the shortest text that reads back as the same.
[[nodiscard]] std::string py_float(double number);

// The characters of UTF-8 text; bytes that are none count as one each.
[[nodiscard]] std::vector<char32_t> characters(std::string_view text);

}  // namespace ziggurat::cli
