// Finding and describing objects in an HDF5 file without ever leaving that file.
//
// Sources are somebody else's and may be hostile: external links, external raw storage, virtual
// datasets and filter plugins would make HDF5 open other paths, so they are switched off or
// refused. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/number_type.hpp"
#include "h5/handle.hpp"

namespace ziggurat::h5 {

// Once in a process that reads untrusted files, before the first of them is opened: no file locks
// whatever the environment says, no external links, no plugins, nothing printed, no atexit cleanup.
void enter_untrusted_mode();

// Opens read-only, without a lock. Throws Error{input} naming the file and the reason, with the
// common ones (missing, empty, not HDF5, truncated) said in plain words.
[[nodiscard]] File open_readonly(const std::string& path);

// Whether a path leads to an object of this file. False only when it was seen that a part of it is
// not there, or is a link out of the file; a look-up that fails is an Error (input where the system
// could not read, else format), never an absence. So are the two questions after it.
[[nodiscard]] bool has_object(hid_t location, const std::string& path);
[[nodiscard]] bool is_group(hid_t location, const std::string& path);
[[nodiscard]] bool is_dataset(hid_t location, const std::string& path);

// Bytes that the elements of an open dataset take in the file.
[[nodiscard]] std::uint64_t stored_bytes(hid_t dataset, const std::string& label);
// Number of dimensions of a dataset that must exist; 0 for a scalar or an empty dataspace.
[[nodiscard]] int dimensions(hid_t location, const std::string& path);
// True when both paths exist and lead to one object, be it by hard or soft links.
[[nodiscard]] bool is_same_object(hid_t location, const std::string& path,
                                  const std::string& other);

// Opens a group that must exist; `label` names it in messages.
[[nodiscard]] Group open_group(hid_t location, const std::string& path, const std::string& label);

// Names of the links in a group, in name order; `label` names it in messages.
[[nodiscard]] std::vector<std::string> child_names(hid_t group, const std::string& label);

inline constexpr int kShuffleFilter = H5Z_FILTER_SHUFFLE;
inline constexpr int kDeflateFilter = H5Z_FILTER_DEFLATE;

struct Filter {
  int id;
  std::vector<unsigned> parameters;
};

// How a one-dimensional dataset is stored.
struct Storage {
  std::uint64_t length = 0;        // elements
  std::uint64_t stored_bytes = 0;  // bytes in the file
  std::uint64_t chunk_length = 0;  // elements; 0 when not chunked
  std::vector<Filter> filters;     // in the order they are applied when writing
  bool zero_fill = true;           // elements never written read as zero
};

// A dataset of the source together with the words for talking about it.
struct Column {
  Dataset dataset;
  std::string label;  // "FILE::/group/pixels/count"
  Storage storage;
  Datatype type;
  std::optional<NumberType> number;  // unset when the elements are not plain numbers
  bool little_endian = true;
};

// Opens a dataset that must exist, be one-dimensional (or scalar, when length 1) and keep its data
// in this file. `label_root` is "FILE::/group" and only serves messages. Throws Error{format}.
[[nodiscard]] Column open_column(hid_t location, const std::string& path,
                                 const std::string& label_root);

// Throws Error{format} when the first `n` elements cannot be in the file: declared lengths are not
// trusted, since a few bytes can claim any length and ask for any amount of memory or time.
void check_plausible(const Column& column, std::uint64_t n);

// Elements [first, first + n) converted by HDF5 to Number: int64_t, uint64_t, float or double.
template <typename Number>
void read_numbers(const Column& column, std::uint64_t first, std::uint64_t n, Number* out);
// The same elements as they are stored.
void read_raw(const Column& column, std::uint64_t first, std::uint64_t n, std::byte* out);
// Whole column as 64-bit integers; Error{format} when it does not hold integers.
[[nodiscard]] std::vector<std::int64_t> read_integers(const Column& column);
// Whole column of strings, fixed or variable length; padding removed.
[[nodiscard]] std::vector<std::string> read_strings(const Column& column);

}  // namespace ziggurat::h5
