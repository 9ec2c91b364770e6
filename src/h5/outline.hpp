// What objects a file holds, as people want to see it: names, shapes, types, attributes.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "h5/handle.hpp"
#include "h5/value.hpp"
#include "ziggurat/table_column.hpp"

namespace ziggurat::h5 {

struct OutlinedAttribute {
  std::string name;
  bool scalar = true;
  TableColumn values;  // an array in row-major order; nothing for a type that is not plain
};

struct OutlinedObject {
  std::string name;  // last part of its path
  std::int64_t depth = 0;
  bool is_group = true;
  std::vector<std::uint64_t> shape;  // of a dataset; none for a scalar
  std::string type;                  // as numpy names it: int32, |S5, object, ...
  std::int64_t stored_bytes = 0;     // that its elements take in the file, compressed
  std::vector<OutlinedAttribute> attributes;
};

// A group or dataset and all below it in the order of names, parents before children, down to
// `levels` below it; negative: all. Links out of the file are not followed. Throws Error{format}
// when there is no such object, or when objects lie too deep or are too many, as where a group
// holds itself.
[[nodiscard]] std::vector<OutlinedObject> outline(const File& file, const std::string& path,
                                                  std::int64_t levels, const std::string& label);

}  // namespace ziggurat::h5
