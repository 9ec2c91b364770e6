#include "h5/object.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "h5/lzf_filter.hpp"
#include "h5/types.hpp"

namespace ziggurat::h5 {

void enter_untrusted_mode() {
  // The variable overrides the property that open_readonly sets, so it must not be there.
  unsetenv("HDF5_USE_FILE_LOCKING");
  H5dont_atexit();
  H5open();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5Lunregister(H5L_TYPE_EXTERNAL);
  H5PLset_loading_state(0);
  register_lzf_filter();
}

namespace {

[[noreturn]] void explain_open_failure(const std::string& path, std::int64_t size) {
  const std::string reason = last_error();
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    fail(ErrorCode::input, "cannot open {}: {}", path, std::strerror(errno));
  }
  close(descriptor);
  if (reason.find("truncated") != std::string::npos) {
    fail(ErrorCode::input, "cannot open {}: the file is truncated (an incomplete copy?)", path);
  }
  if (reason.find("signature not found") != std::string::npos) {
    fail(ErrorCode::input, "cannot open {}: not an HDF5 file", path);
  }
  fail(ErrorCode::input, "cannot open {} ({} bytes) as HDF5: {}", path, size, reason);
}

}  // namespace

File open_readonly(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    fail(ErrorCode::input, "cannot open {}: {}", path, std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) fail(ErrorCode::input, "cannot open {}: it is a directory", path);
  // Opening a pipe would wait for its writer.
  if (!S_ISREG(info.st_mode)) fail(ErrorCode::input, "cannot open {}: not a regular file", path);
  if (info.st_size == 0) fail(ErrorCode::input, "cannot open {}: the file is empty", path);
  PropertyList access(check(H5Pcreate(H5P_FILE_ACCESS), "set up access to", path));
  H5Pset_file_locking(access.id(), false, true);
  File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  if (!file.valid()) explain_open_failure(path, info.st_size);
  return file;
}

namespace {

// As many as HDF5 itself follows.
constexpr int kMostSoftLinks = 16;

std::string soft_target(hid_t location, const std::string& path, std::size_t bytes) {
  std::string target(bytes, '\0');
  check_in(location, H5Lget_val(location, path.c_str(), target.data(), target.size(), H5P_DEFAULT),
           "look up", path);
  target.resize(std::strlen(target.c_str()));
  if (target.starts_with('/')) return target;
  return path.substr(0, path.find_last_of('/') + 1) + target;  // beside the link
}

// H5Oexists_by_name fails both for what is not there (behind a link out of the file) and for what
// could not be read, and says nothing that tells them apart. So each link is looked at here, where
// any failure is one.
bool is_reached(hid_t location, const std::string& path, int links_left) {
  for (std::size_t end = 1; end <= path.size(); ++end) {
    if (end != path.size() && path[end] != '/') continue;
    const std::string prefix = path.substr(0, end);
    const std::string name = prefix.substr(prefix.find_last_of('/') + 1);
    if (name.empty() || name == ".") continue;
    const htri_t found = H5Lexists(location, prefix.c_str(), H5P_DEFAULT);
    if (check_in(location, found, "look up", prefix) == 0) return false;
    H5L_info_t link;
    check_in(location, H5Lget_info(location, prefix.c_str(), &link, H5P_DEFAULT), "look up",
             prefix);
    if (link.type == H5L_TYPE_HARD) continue;
    if (link.type != H5L_TYPE_SOFT || links_left == 0) return false;
    const std::string target = soft_target(location, prefix, link.u.val_size);
    if (!is_reached(location, target, links_left - 1)) return false;
  }
  return true;
}

}  // namespace

bool has_object(hid_t location, const std::string& path) {
  return is_reached(location, path, kMostSoftLinks);
}

bool is_same_object(hid_t location, const std::string& path, const std::string& other) {
  if (!has_object(location, path) || !has_object(location, other)) return false;
  const auto look_at = [location](const std::string& name) {
    H5O_info_t info;
    check_in(location,
             H5Oget_info_by_name2(location, name.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT),
             "look at", name);
    return info;
  };
  const H5O_info_t first = look_at(path);
  const H5O_info_t second = look_at(other);
  return first.fileno == second.fileno && first.addr == second.addr;
}

namespace {

bool has_kind(hid_t location, const std::string& path, H5I_type_t kind) {
  if (!has_object(location, path)) return false;
  // What is there and cannot be opened is damaged, or made by a newer HDF5: not for us to overlook.
  Object object(check_in(location, H5Oopen(location, path.c_str(), H5P_DEFAULT), "open", path));
  return H5Iget_type(object.id()) == kind;
}

herr_t collect_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::uint64_t file_bytes(hid_t dataset, const std::string& label) {
  hsize_t bytes = 0;
  const File file(check(H5Iget_file_id(dataset), "measure", label));
  check(H5Fget_filesize(file.id(), &bytes), "measure", label);
  return bytes;
}

Storage describe_storage(hid_t dataset, std::uint64_t length, const std::string& label) {
  PropertyList creation(check(H5Dget_create_plist(dataset), "describe", label));
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if (layout == H5D_VIRTUAL) fail(ErrorCode::format, "{}: virtual datasets are refused", label);
  if (H5Pget_external_count(creation.id()) > 0) {
    fail(ErrorCode::format, "{}: external raw data, outside the file, are refused", label);
  }
  Storage storage;
  storage.length = length;
  storage.stored_bytes = stored_bytes(dataset, label);
  if (storage.stored_bytes > file_bytes(dataset, label)) {
    fail(ErrorCode::format, "{} claims {} stored bytes, more than the file has", label,
         storage.stored_bytes);
  }
  if (layout == H5D_CHUNKED) {
    hsize_t chunk = 0;
    check(H5Pget_chunk(creation.id(), 1, &chunk), "describe the chunks of", label);
    storage.chunk_length = chunk;
  }
  const int n_filters = H5Pget_nfilters(creation.id());
  for (int i = 0; i < n_filters; ++i) {
    unsigned flags = 0;
    unsigned config = 0;
    std::size_t n_parameters = 8;
    std::vector<unsigned> parameters(n_parameters);
    const H5Z_filter_t id = H5Pget_filter2(creation.id(), static_cast<unsigned>(i), &flags,
                                           &n_parameters, parameters.data(), 0, nullptr, &config);
    parameters.resize(std::min<std::size_t>(n_parameters, parameters.size()));
    storage.filters.push_back({id, parameters});
  }
  H5D_fill_value_t fill = H5D_FILL_VALUE_DEFAULT;
  H5Pfill_value_defined(creation.id(), &fill);
  storage.zero_fill = fill != H5D_FILL_VALUE_USER_DEFINED;
  return storage;
}

std::optional<NumberType> integer_type(std::size_t size, bool is_signed) {
  switch (size) {
    case 1:
      return is_signed ? NumberType::i8 : NumberType::u8;
    case 2:
      return is_signed ? NumberType::i16 : NumberType::u16;
    case 4:
      return is_signed ? NumberType::i32 : NumberType::u32;
    case 8:
      return is_signed ? NumberType::i64 : NumberType::u64;
    default:
      return std::nullopt;
  }
}

// Only what the processor's own types hold: no padding bits, IEEE fields. All else would be misread
// where stored bytes are decoded without HDF5.
std::optional<NumberType> standard_type(NumberType number, hid_t type) {
  const Datatype standard = number_type(number);
  if (H5Tget_order(type) == H5T_ORDER_BE) H5Tset_order(standard.id(), H5T_ORDER_BE);
  return H5Tequal(standard.id(), type) > 0 ? std::optional(number) : std::nullopt;
}

std::optional<NumberType> float_type(std::size_t size) {
  switch (size) {
    case 2:
      return NumberType::f16;
    case 4:
      return NumberType::f32;
    case 8:
      return NumberType::f64;
    default:
      return std::nullopt;
  }
}

// Enumerations over integers (booleans, chromosome codes) count as their integers.
std::optional<NumberType> number_type_of(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_ENUM) {
    const Datatype base(H5Tget_super(type));
    return number_type_of(base.id());
  }
  const std::size_t size = H5Tget_size(type);
  std::optional<NumberType> number;
  if (kind == H5T_INTEGER) number = integer_type(size, H5Tget_sign(type) == H5T_SGN_2);
  if (kind == H5T_FLOAT) number = float_type(size);
  return number ? standard_type(*number, type) : std::nullopt;
}

bool is_little_endian(hid_t type) {
  if (H5Tget_class(type) == H5T_ENUM) {
    Datatype base(H5Tget_super(type));
    return is_little_endian(base.id());
  }
  const H5T_order_t order = H5Tget_order(type);
  return order == H5T_ORDER_LE || H5Tget_size(type) == 1;
}

}  // namespace

bool is_group(hid_t location, const std::string& path) {
  return has_kind(location, path, H5I_GROUP);
}

bool is_dataset(hid_t location, const std::string& path) {
  return has_kind(location, path, H5I_DATASET);
}

std::uint64_t stored_bytes(hid_t dataset, const std::string& label) {
  const std::uint64_t bytes = H5Dget_storage_size(dataset);
  // 0 stands for a failure too.
  if (bytes == 0 && H5Eget_num(H5E_DEFAULT) > 0) {
    explain_failure("measure", label, ErrorCode::format);
  }
  return bytes;
}

int dimensions(hid_t location, const std::string& path) {
  const Dataset dataset(check(H5Dopen2(location, path.c_str(), H5P_DEFAULT), "open", path));
  const Dataspace space(check(H5Dget_space(dataset.id()), "describe", path));
  return H5Sget_simple_extent_ndims(space.id());
}

Group open_group(hid_t location, const std::string& path, const std::string& label) {
  return Group(check(H5Gopen2(location, path.c_str(), H5P_DEFAULT), "open", label));
}

std::vector<std::string> child_names(hid_t group, const std::string& label) {
  std::vector<std::string> names;
  hsize_t position = 0;
  check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &position, collect_name, &names), "list",
        label);
  return names;
}

Column open_column(hid_t location, const std::string& path, const std::string& label_root) {
  Column column;
  column.label = label_root + (label_root.ends_with('/') ? "" : "/") + path;
  if (!has_object(location, path)) fail(ErrorCode::format, "{} is missing", column.label);
  if (!is_dataset(location, path)) fail(ErrorCode::format, "{} is not a dataset", column.label);
  column.dataset =
      Dataset(check(H5Dopen2(location, path.c_str(), H5P_DEFAULT), "open", column.label));
  Dataspace space(check(H5Dget_space(column.dataset.id()), "describe", column.label));
  if (H5Sget_simple_extent_ndims(space.id()) != 1) {
    fail(ErrorCode::format, "{} is not one-dimensional", column.label);
  }
  hsize_t length = 0;
  check(H5Sget_simple_extent_dims(space.id(), &length, nullptr), "measure", column.label);
  column.storage = describe_storage(column.dataset.id(), length, column.label);
  column.type = Datatype(check(H5Dget_type(column.dataset.id()), "describe", column.label));
  column.number = number_type_of(column.type.id());
  column.little_endian = is_little_endian(column.type.id());
  return column;
}

void check_plausible(const Column& column, std::uint64_t n) {
  // Deflate shrinks at most 1032 times; chunks that were never written take nothing at all, and
  // small maps may have such.
  constexpr std::uint64_t kMostShrinking = 1100;
  constexpr std::uint64_t kUnwrittenBytes = std::uint64_t{1} << 24;
  const std::uint64_t most = column.storage.stored_bytes * kMostShrinking + kUnwrittenBytes;
  if (n > most / H5Tget_size(column.type.id())) {
    fail(ErrorCode::format, "{} claims {} rows but only {} bytes are stored", column.label, n,
         column.storage.stored_bytes);
  }
}

namespace {

void read_elements(const Column& column, std::uint64_t first, std::uint64_t n, hid_t memory_type,
                   void* out) {
  if (n == 0) return;
  Dataspace file_space(check(H5Dget_space(column.dataset.id()), "read", column.label));
  const hsize_t start = first;
  const hsize_t count = n;
  check(H5Sselect_hyperslab(file_space.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr),
        "select in", column.label);
  Dataspace memory_space(check(H5Screate_simple(1, &count, nullptr), "read", column.label));
  check(H5Dread(column.dataset.id(), memory_type, memory_space.id(), file_space.id(), H5P_DEFAULT,
                out),
        "read", column.label);
}

}  // namespace

template <>
void read_numbers(const Column& column, std::uint64_t first, std::uint64_t n, std::int64_t* out) {
  read_elements(column, first, n, H5T_NATIVE_INT64, out);
}
template <>
void read_numbers(const Column& column, std::uint64_t first, std::uint64_t n, std::uint64_t* out) {
  read_elements(column, first, n, H5T_NATIVE_UINT64, out);
}
template <>
void read_numbers(const Column& column, std::uint64_t first, std::uint64_t n, float* out) {
  read_elements(column, first, n, H5T_NATIVE_FLOAT, out);
}
template <>
void read_numbers(const Column& column, std::uint64_t first, std::uint64_t n, double* out) {
  read_elements(column, first, n, H5T_NATIVE_DOUBLE, out);
}

void read_raw(const Column& column, std::uint64_t first, std::uint64_t n, std::byte* out) {
  read_elements(column, first, n, column.type.id(), out);
}

std::vector<std::int64_t> read_integers(const Column& column) {
  if (!column.number || is_float(*column.number)) {
    fail(ErrorCode::format, "{} does not hold integers", column.label);
  }
  check_plausible(column, column.storage.length);
  std::vector<std::int64_t> values(column.storage.length);
  const bool is_enum = H5Tget_class(column.type.id()) == H5T_ENUM;
  if (!is_enum) {
    read_elements(column, 0, values.size(), H5T_NATIVE_INT64, values.data());
    return values;
  }
  // HDF5 does not convert enumerations to integers; read them as they are and widen by hand.
  const std::size_t width = H5Tget_size(column.type.id());
  std::vector<unsigned char> raw(values.size() * width);
  read_elements(column, 0, values.size(), column.type.id(), raw.data());
  Datatype base(H5Tget_super(column.type.id()));
  std::vector<unsigned char> room(values.size() * sizeof(std::int64_t));
  std::copy(raw.begin(), raw.end(), room.begin());
  check(H5Tconvert(base.id(), H5T_NATIVE_INT64, values.size(), room.data(), nullptr, H5P_DEFAULT),
        "convert", column.label);
  std::memcpy(values.data(), room.data(), room.size());
  return values;
}

namespace {

// Any number of elements may point to one long text in the file, so they are read a few at a time
// and all together may not be longer than the file.
std::vector<std::string> read_variable_strings(const Column& column) {
  constexpr std::uint64_t kSlice = 64;
  const std::uint64_t most = file_bytes(column.dataset.id(), column.label);
  std::vector<std::string> strings;
  std::vector<char*> pointers(kSlice);
  std::uint64_t total = 0;
  for (std::uint64_t first = 0; first < column.storage.length; first += kSlice) {
    const std::uint64_t n = std::min(kSlice, column.storage.length - first);
    read_elements(column, first, n, column.type.id(), pointers.data());
    for (std::uint64_t i = 0; i < n; ++i) {
      strings.emplace_back(pointers[i] == nullptr ? "" : pointers[i]);
      total += strings.back().size();
      H5free_memory(pointers[i]);
    }
    if (total > most) {
      fail(ErrorCode::format, "{} holds more text than the file has bytes", column.label);
    }
  }
  return strings;
}

}  // namespace

std::vector<std::string> read_strings(const Column& column) {
  if (H5Tget_class(column.type.id()) != H5T_STRING) {
    fail(ErrorCode::format, "{} does not hold strings", column.label);
  }
  if (column.storage.length == 0) return {};
  check_plausible(column, column.storage.length);
  if (H5Tis_variable_str(column.type.id()) > 0) return read_variable_strings(column);
  const std::size_t width = H5Tget_size(column.type.id());
  std::vector<char> raw(column.storage.length * width);
  read_elements(column, 0, column.storage.length, column.type.id(), raw.data());
  const bool space_padded = H5Tget_strpad(column.type.id()) == H5T_STR_SPACEPAD;
  std::vector<std::string> strings;
  for (std::size_t i = 0; i < column.storage.length; ++i) {
    std::string_view text(raw.data() + i * width, width);
    text = text.substr(0, std::min(text.find('\0'), text.size()));
    if (space_padded) text = text.substr(0, text.find_last_not_of(' ') + 1);
    strings.emplace_back(text);
  }
  return strings;
}

}  // namespace ziggurat::h5
