// Attributes, and values of any storable type carried from one file to another.
//
// A Value is a self-contained copy: HDF5's own encoding of the type, the shape, and the bytes (or,
// for variable-length strings, the texts). It can cross a process boundary. Types that hold
// references or variable-length data other than strings cannot be carried and read as no value.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "h5/handle.hpp"

namespace ziggurat::h5 {

struct Value {
  std::vector<std::byte> type;       // from H5Tencode
  bool scalar = false;               // else one- or more-dimensional, `shape`
  std::vector<std::uint64_t> shape;  // elements in each dimension
  std::vector<std::byte> bytes;      // the elements, in the file's type; empty for `texts`
  std::vector<std::string> texts;    // variable-length strings
};

struct NamedValue {
  std::string name;
  Value value;
};

[[nodiscard]] bool has_attribute(hid_t object, const std::string& name);
// All attributes of an object that can be carried, in name order; the others are left out. `label`
// names the object in messages.
[[nodiscard]] std::vector<NamedValue> read_attributes(hid_t object, const std::string& label);
// A whole dataset that must be open; nullopt when its type cannot be carried.
[[nodiscard]] std::optional<Value> read_dataset(hid_t dataset, const std::string& label);

void write_attribute(hid_t object, const std::string& name, const Value& value);
// A chunked, compressed dataset of variable-length strings; they go through HDF5's own pipeline.
Dataset write_texts(hid_t group, const std::string& name, const std::vector<std::string>& texts);

// Scalar attributes as cooler types them: variable-length UTF-8 text, int64, double, and a boolean
// that is an enumeration over int8 with FALSE = 0 and TRUE = 1. An old one of that name is
// replaced.
void write_text(hid_t object, const std::string& name, const std::string& text);
void write_int64(hid_t object, const std::string& name, std::int64_t number);
void write_int32(hid_t object, const std::string& name, std::int32_t number);
void write_uint64(hid_t object, const std::string& name, std::uint64_t number);
void write_double(hid_t object, const std::string& name, double number);
void write_bool(hid_t object, const std::string& name, bool flag);
void write_doubles(hid_t object, const std::string& name, const std::vector<double>& numbers);
void write_bools(hid_t object, const std::string& name, const std::vector<bool>& flags);

// A scalar (or one-element) attribute as text or as an integer; nullopt when absent or of another
// kind. Error when it cannot be looked up or read (input where the system could not). Text of any
// string type is taken, and an integer of any width.
[[nodiscard]] std::optional<std::string> read_text(hid_t object, const std::string& name);
[[nodiscard]] std::optional<std::int64_t> read_int(hid_t object, const std::string& name);
[[nodiscard]] std::optional<double> read_double(hid_t object, const std::string& name);
// An attribute that is there, text or number, as text; empty when it is something else.
[[nodiscard]] std::optional<std::string> read_words(hid_t object, const std::string& name);

// The same questions to a Value that was carried over.
[[nodiscard]] std::optional<std::string> as_text(const Value& value);
[[nodiscard]] std::optional<std::int64_t> as_int(const Value& value);

// A single number (or boolean, as true or false) as text that reads back as the same number; empty
// when the value is something else.
[[nodiscard]] std::string number_text(const Value& value);

// The type of the elements.
[[nodiscard]] Datatype decode_type(const Value& value);

}  // namespace ziggurat::h5
