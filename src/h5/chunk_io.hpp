// Stored chunks, moved as they are: no filter of HDF5 runs on this path.
//
// H5Dget_chunk_storage_size + H5Dread_chunk are used and never H5Dget_chunk_info, whose cost a call
// grows with the number of chunks. Failures while reading are Error{format}, while writing
// Error{io}. Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "h5/object.hpp"

namespace ziggurat::h5 {

// The filters that were skipped when a chunk was stored: bit i stands for filter i.
using FilterMask = std::uint32_t;

// Reads chunk `index` of a chunked column. Returns false, with `out` empty, when it was never
// stored (it reads as the fill value).
bool read_stored_chunk(const Column& column, std::uint64_t index, std::vector<std::byte>& out,
                       FilterMask& mask);

struct ColumnShape {
  std::uint64_t length = 0;        // elements
  std::uint64_t max_length = 0;    // 0: the length is fixed
  std::uint64_t chunk_length = 0;  // elements, at least 1
  int deflate_level = 6;           // recorded in the file; the encoder decides what it means
  bool shuffle = true;
};

// An empty chunked dataset with filters shuffle + deflate, laid out as cooler's.
[[nodiscard]] Dataset create_column(hid_t location, const std::string& name, hid_t type,
                                    const ColumnShape& shape);
// The same with the creation properties of a source column (its filters and chunks), `length` long.
[[nodiscard]] Dataset create_like(hid_t location, const std::string& name, const Column& source,
                                  std::uint64_t length, std::uint64_t max_length);
void set_length(const Dataset& dataset, std::uint64_t length);
// Stores the chunk that begins at element `first`, a multiple of the chunk length.
void write_stored_chunk(const Dataset& dataset, std::uint64_t first, FilterMask mask,
                        std::span<const std::byte> bytes);

// Max length of a column that may grow without bound.
inline constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

// Creates a group, and those on the way to it; the root is there already.
[[nodiscard]] Group create_group(hid_t location, const std::string& path);
void remove_object(hid_t location, const std::string& path);
void rename_object(hid_t location, const std::string& from, const std::string& to);
// A second name for an object, and one that stands for the path `from`.
void link_object(hid_t location, const std::string& from, const std::string& to);
void link_path(hid_t location, const std::string& from, const std::string& to);

// Copies a whole group tree below `source` into the new group `path` of `target`: attributes and
// datasets with their stored chunks as they are. `between` is called after each chunk, and may
// throw.
void copy_group(hid_t source, hid_t target, const std::string& path,
                const std::function<void()>& between);
// Moves what is at the root of a file, its attributes too, into the new group `path`. No dataset is
// copied, whatever its size. Requires: `path` begins with no name that is at the root.
void move_root(hid_t file, const std::string& path);

}  // namespace ziggurat::h5
