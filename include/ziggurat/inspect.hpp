// Looking at maps without their pixels.
//
// The file is read by a child process, so a damaged or hostile one cannot harm the caller.
// Thread rules: as build.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"
#include "ziggurat/table_column.hpp"

namespace ziggurat {

// Groups of all maps in a file, in natural order. Throws Error{input}.
// `reader_program`: see Settings. `observer`: who hears of a long wait and may end it; null:
// nobody.
[[nodiscard]] ZIGGURAT_API std::vector<std::string> list_maps(
    const std::string& file, const std::string& reader_program = "", Observer* observer = nullptr);

struct MapAttribute {
  std::string name;
  std::string text;        // the value as text
  bool is_number = false;  // text is a number: unquoted in JSON
};

// The attributes of one map, in name order. Throws Error: usage, input, format.
[[nodiscard]] ZIGGURAT_API std::vector<MapAttribute> map_attributes(
    const std::string& uri, const std::string& reader_program = "", Observer* observer = nullptr);

// An attribute with its values as they are stored: one when it is a scalar, else any number.
struct ObjectAttribute {
  std::string name;
  bool scalar = true;
  TableColumn values;  // of an array in row-major order; none for a type that is not plain
};

struct FileObject {
  std::string name;                  // last part of its path
  std::int64_t depth = 0;            // below the object that was asked for
  bool is_group = true;              // else a dataset
  std::vector<std::uint64_t> shape;  // of a dataset; empty for a scalar
  std::string type;                  // numpy's name of the elements' type: int32, |S5, ...
  std::int64_t stored_bytes = 0;     // that a dataset's elements take in the file, compressed
  std::vector<ObjectAttribute> attributes;
};

// The groups and datasets of a file, from the group in the URI (or the root) on down, in the order
// of names and parents first. `levels`: how far down; negative: all. Throws Error: usage, input,
// format.
[[nodiscard]] ZIGGURAT_API std::vector<FileObject> list_objects(
    const std::string& uri, std::int64_t levels = -1, const std::string& reader_program = "",
    Observer* observer = nullptr);

}  // namespace ziggurat
