// What a source holds besides its pixels, as a value that can cross a process boundary.
//
// The truth is taken from the tables; descriptive attributes are optional, and where they are
// missing or disagree that is noted and the tables win.
// Thread rules: a value. describe() uses HDF5: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/number_type.hpp"
#include "genome/bins.hpp"
#include "h5/object.hpp"
#include "h5/value.hpp"
#include "pixels/pixel_checks.hpp"

namespace ziggurat::cool {

using pixels::StorageMode;

// A column of chroms or bins beyond the ones the schema names: weights, GC content, ...
struct SideColumn {
  std::string name;
  h5::Value value;
  std::vector<h5::NamedValue> attributes;
};

// How a pixel column is stored, as far as it matters for carrying its chunks over as they are.
struct PixelColumn {
  std::string name;
  NumberType type = NumberType::i32;
  bool copyable = false;  // chunked, little-endian, and shuffle? + deflate: chunks can be kept
  std::uint64_t chunk_length = 0;
  bool shuffle = false;
  int deflate_level = 0;
};

struct Description {
  std::string label;  // "FILE" or "FILE::/group", for messages
  genome::BinTable bins = genome::BinTable::uniform({}, 1);
  StorageMode mode = StorageMode::symmetric_upper;
  std::uint64_t n_pixels = 0;
  std::string assembly;                    // "unknown" when the source names none
  std::string metadata;                    // JSON text
  std::vector<h5::NamedValue> attributes;  // of the collection, as they are
  std::vector<SideColumn> chrom_columns;
  std::vector<SideColumn> bin_columns;
  PixelColumn bin1;
  PixelColumn bin2;
  std::vector<PixelColumn> fields;  // the selected value columns, in the order asked for
  std::vector<std::string> notes;   // sentences for the user about what was found
};

// Whether columns of chroms and bins beyond those of the schema are read.
enum class SideColumns { read, left_out };

// Describes the collection in `group`. `fields` selects value columns of the pixel table; empty
// means all of them. Throws: Error{format} naming the object (and row) that breaks the schema, or
// saying which collections the file has when `group` is none; Error{usage} for a missing field.
[[nodiscard]] Description describe(const h5::File& file, const std::string& file_name,
                                   const std::string& group, const std::vector<std::string>& fields,
                                   SideColumns side_columns = SideColumns::read);

// The attributes of a collection, or of the root of a multi-resolution file. Throws Error{format}
// as describe() when there is neither.
[[nodiscard]] std::vector<h5::NamedValue> collection_attributes(const h5::File& file,
                                                                const std::string& file_name,
                                                                const std::string& group);

// Paths of all collections in the file, in natural order ("/resolutions/1000" before
// "/resolutions/20000").
[[nodiscard]] std::vector<std::string> list_collections(const h5::File& file);

}  // namespace ziggurat::cool
