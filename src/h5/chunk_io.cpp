#include "h5/chunk_io.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "h5/value.hpp"

namespace ziggurat::h5 {

namespace {

// HDF5 reports a chunk that was never stored as size 0 or as an error, depending on its release and
// on the index of chunks; the error is told from that of an index that cannot be read by its words.
bool is_unstored_chunk(std::string_view reason) {
  return reason == "chunk storage is not allocated";
}

}  // namespace

bool read_stored_chunk(const Column& column, std::uint64_t index, std::vector<std::byte>& out,
                       FilterMask& mask) {
  const hsize_t first = index * column.storage.chunk_length;
  hsize_t size = 0;
  out.clear();
  if (H5Dget_chunk_storage_size(column.dataset.id(), &first, &size) < 0) {
    if (is_unstored_chunk(last_error())) return false;
    explain_failure("find a chunk of", column.label, ErrorCode::format);
  }
  if (size == 0) return false;
  if (size > column.storage.stored_bytes) {
    fail(ErrorCode::format, "{}: chunk {} claims {} bytes, more than the column holds",
         column.label, index, size);
  }
  out.resize(size);
  check(H5Dread_chunk(column.dataset.id(), H5P_DEFAULT, &first, &mask, out.data()),
        "read a chunk of", column.label);
  return true;
}

namespace {

PropertyList creation_properties() {
  PropertyList creation(check(H5Pcreate(H5P_DATASET_CREATE), "create", "a dataset"));
  // Times in object headers would make equal files differ.
  H5Pset_obj_track_times(creation.id(), false);
  return creation;
}

Dataset create_dataset(hid_t location, const std::string& name, hid_t type, hid_t creation,
                       std::uint64_t length, std::uint64_t max_length) {
  const hsize_t size = length;
  const hsize_t limit = max_length == 0 ? length : max_length;
  Dataspace space(check(H5Screate_simple(1, &size, &limit), "create", name, ErrorCode::io));
  return Dataset(check(
      H5Dcreate2(location, name.c_str(), type, space.id(), H5P_DEFAULT, creation, H5P_DEFAULT),
      "create", name, ErrorCode::io));
}

}  // namespace

Dataset create_column(hid_t location, const std::string& name, hid_t type,
                      const ColumnShape& shape) {
  PropertyList creation = creation_properties();
  const hsize_t chunk = shape.chunk_length;
  check(H5Pset_chunk(creation.id(), 1, &chunk), "set the chunks of", name, ErrorCode::io);
  if (shape.shuffle) check(H5Pset_shuffle(creation.id()), "set filters of", name, ErrorCode::io);
  check(H5Pset_deflate(creation.id(), static_cast<unsigned>(shape.deflate_level)), "set filters of",
        name, ErrorCode::io);
  return create_dataset(location, name, type, creation.id(), shape.length, shape.max_length);
}

Dataset create_like(hid_t location, const std::string& name, const Column& source,
                    std::uint64_t length, std::uint64_t max_length) {
  PropertyList creation = creation_properties();
  const hsize_t chunk = source.storage.chunk_length;
  check(H5Pset_chunk(creation.id(), 1, &chunk), "set the chunks of", name, ErrorCode::io);
  for (const Filter& filter : source.storage.filters) {
    check(H5Pset_filter(creation.id(), filter.id, H5Z_FLAG_OPTIONAL, filter.parameters.size(),
                        filter.parameters.data()),
          "set filters of", name, ErrorCode::io);
  }
  return create_dataset(location, name, source.type.id(), creation.id(), length, max_length);
}

void set_length(const Dataset& dataset, std::uint64_t length) {
  const hsize_t size = length;
  check(H5Dset_extent(dataset.id(), &size), "resize", "a column", ErrorCode::io);
}

void write_stored_chunk(const Dataset& dataset, std::uint64_t first, FilterMask mask,
                        std::span<const std::byte> bytes) {
  const hsize_t offset = first;
  check(H5Dwrite_chunk(dataset.id(), H5P_DEFAULT, mask, &offset, bytes.size(), bytes.data()),
        "write", "a chunk", ErrorCode::io);
}

Group create_group(hid_t location, const std::string& path) {
  if (path == "/") return open_group(location, path, path);
  PropertyList links(check(H5Pcreate(H5P_LINK_CREATE), "create group", path, ErrorCode::io));
  H5Pset_create_intermediate_group(links.id(), 1);
  return Group(check(H5Gcreate2(location, path.c_str(), links.id(), H5P_DEFAULT, H5P_DEFAULT),
                     "create group", path, ErrorCode::io));
}

void remove_object(hid_t location, const std::string& path) {
  check(H5Ldelete(location, path.c_str(), H5P_DEFAULT), "remove", path, ErrorCode::io);
}

void rename_object(hid_t location, const std::string& from, const std::string& to) {
  check(H5Lmove(location, from.c_str(), location, to.c_str(), H5P_DEFAULT, H5P_DEFAULT), "rename",
        from, ErrorCode::io);
}

void link_object(hid_t location, const std::string& from, const std::string& to) {
  check(H5Lcreate_hard(location, from.c_str(), location, to.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        "link", from, ErrorCode::io);
}

void link_path(hid_t location, const std::string& from, const std::string& to) {
  check(H5Lcreate_soft(from.c_str(), location, to.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link", from,
        ErrorCode::io);
}

namespace {

void copy_attributes(hid_t source, hid_t target, const std::string& label) {
  for (const NamedValue& attribute : read_attributes(source, label)) {
    write_attribute(target, attribute.name, attribute.value);
  }
}

std::uint64_t maximum_length(const Column& column) {
  Dataspace space(check(H5Dget_space(column.dataset.id()), "describe", column.label));
  hsize_t limit = 0;
  check(H5Sget_simple_extent_dims(space.id(), nullptr, &limit), "measure", column.label);
  return limit;
}

// A dataset whose chunks are under way from one file to another.
struct ChunkCopy {
  Column source;
  Dataset target;
  std::uint64_t next = 0;  // element

  [[nodiscard]] bool is_done() const { return next >= source.storage.length; }
};

// Side by side, each as far as the others: so they lie in the source, and that is read from its
// beginning to its end; and so those who read all columns of some rows find them near each other.
void copy_chunks(std::vector<ChunkCopy>& copies, const std::function<void()>& between) {
  std::vector<std::byte> bytes;
  FilterMask mask = 0;
  while (true) {
    const auto behind =
        std::min_element(copies.begin(), copies.end(), [](const ChunkCopy& a, const ChunkCopy& b) {
          return std::pair(a.is_done(), a.next) < std::pair(b.is_done(), b.next);
        });
    if (behind == copies.end() || behind->is_done()) return;
    const std::uint64_t chunk = behind->source.storage.chunk_length;
    if (read_stored_chunk(behind->source, behind->next / chunk, bytes, mask)) {
      write_stored_chunk(behind->target, behind->next, mask, bytes);
    }
    behind->next += chunk;
    between();
  }
}

// Only our own level files come this way, and in them every dataset is chunked. The chunks of texts
// of variable length hold places in their own file's heap and mean nothing in another.
std::optional<ChunkCopy> copy_dataset(hid_t source, hid_t target, const std::string& name) {
  Column column = open_column(source, name, "");
  if (H5Tis_variable_str(column.type.id()) > 0) {
    const Dataset copy = write_texts(target, name, read_strings(column));
    copy_attributes(column.dataset.id(), copy.id(), name);
    return std::nullopt;
  }
  if (column.storage.chunk_length == 0) fail(ErrorCode::internal, "{} is not chunked", name);
  Dataset copy = create_like(target, name, column, column.storage.length, maximum_length(column));
  copy_attributes(column.dataset.id(), copy.id(), name);
  return ChunkCopy{std::move(column), std::move(copy)};
}

}  // namespace

void copy_group(hid_t source, hid_t target, const std::string& path,
                const std::function<void()>& between) {
  Group group = create_group(target, path);
  copy_attributes(source, group.id(), path);
  std::vector<ChunkCopy> copies;
  for (const std::string& name : child_names(source, path)) {
    if (is_dataset(source, name)) {
      if (auto copy = copy_dataset(source, group.id(), name)) copies.push_back(std::move(*copy));
    } else {
      Group child(check(H5Gopen2(source, name.c_str(), H5P_DEFAULT), "open group", name));
      copy_group(child.id(), group.id(), name, between);
    }
  }
  copy_chunks(copies, between);
}

void move_root(hid_t file, const std::string& path) {
  const Group root = open_group(file, "/", path);
  const std::vector<std::string> children = child_names(root.id(), path);
  const Group group = create_group(file, path);
  copy_attributes(root.id(), group.id(), path);
  for (const NamedValue& attribute : read_attributes(root.id(), path)) {
    check(H5Adelete(root.id(), attribute.name.c_str()), "move attribute", attribute.name,
          ErrorCode::io);
  }
  for (const std::string& child : children) rename_object(file, child, path + "/" + child);
}

}  // namespace ziggurat::h5
