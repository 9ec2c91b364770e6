// Looking at maps without their pixels.
//
// The file is read by a child process, so a damaged or hostile one cannot harm the caller.
// Thread rules: as build.hpp.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ziggurat/export.hpp"

namespace ziggurat {

// Groups of all maps in a file, in natural order. Throws Error{input}.
// `reader_program`: see Settings.
[[nodiscard]] ZIGGURAT_API std::vector<std::string> list_maps(
    const std::string& file, const std::string& reader_program = "");

struct MapAttribute {
  std::string name;
  std::string text;        // the value as text
  bool is_number = false;  // text is a number: unquoted in JSON
};

// The attributes of one map, in name order. Throws Error: usage, input, format.
[[nodiscard]] ZIGGURAT_API std::vector<MapAttribute> map_attributes(
    const std::string& uri, const std::string& reader_program = "");

}  // namespace ziggurat
