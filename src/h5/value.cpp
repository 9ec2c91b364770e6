#include "h5/value.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include "h5/chunk_io.hpp"
#include "h5/types.hpp"

namespace ziggurat::h5 {

namespace {

bool can_be_carried(hid_t type) {
  if (H5Tis_variable_str(type) > 0) return true;
  return H5Tdetect_class(type, H5T_VLEN) == 0 && H5Tdetect_class(type, H5T_REFERENCE) == 0 &&
         !(H5Tget_class(type) == H5T_COMPOUND && H5Tdetect_class(type, H5T_STRING) > 0);
}

std::vector<std::byte> encode_type(hid_t type) {
  std::size_t size = 0;
  check(H5Tencode(type, nullptr, &size), "encode", "a datatype");
  std::vector<std::byte> bytes(size);
  check(H5Tencode(type, bytes.data(), &size), "encode", "a datatype");
  return bytes;
}

// Shape and type of a value with room for its bytes; nullopt when it cannot be carried.
std::optional<Value> prepare(hid_t type, hid_t space) {
  const H5S_class_t kind = H5Sget_simple_extent_type(space);
  if (kind == H5S_NULL || !can_be_carried(type)) return std::nullopt;
  Value value;
  value.type = encode_type(type);
  value.scalar = kind == H5S_SCALAR;
  value.shape.resize(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  std::vector<hsize_t> dims(value.shape.size());
  H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  std::copy(dims.begin(), dims.end(), value.shape.begin());
  return value;
}

// Runs `read(buffer)` into the right kind of buffer and stores the outcome in the value.
template <typename Read>
void fill(Value& value, hid_t type, hid_t space, Read read) {
  const auto n = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space));
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> pointers(n, nullptr);
    read(pointers.data());
    for (char* text : pointers) {
      value.texts.emplace_back(text == nullptr ? "" : text);
      H5free_memory(text);
    }
    return;
  }
  value.bytes.resize(n * H5Tget_size(type));
  if (!value.bytes.empty()) read(value.bytes.data());
}

// Nothing when it is of a type that cannot be carried.
std::optional<Value> read_attribute_there(hid_t object, const std::string& name) {
  const auto checked = [&](auto result) {
    return check_in(object, result, "read attribute", name);
  };
  const Attribute attribute(checked(H5Aopen(object, name.c_str(), H5P_DEFAULT)));
  const Datatype type(checked(H5Aget_type(attribute.id())));
  const Dataspace space(checked(H5Aget_space(attribute.id())));
  std::optional<Value> value = prepare(type.id(), space.id());
  if (!value) return std::nullopt;
  fill(*value, type.id(), space.id(),
       [&](void* buffer) { checked(H5Aread(attribute.id(), type.id(), buffer)); });
  return value;
}

// No exception may pass through HDF5, so the first waits here.
struct Collected {
  std::vector<NamedValue> values;
  std::exception_ptr failure;
};

herr_t collect_attribute(hid_t object, const char* name, const H5A_info_t*, void* out) {
  auto& collected = *static_cast<Collected*>(out);
  try {
    std::optional<Value> value = read_attribute_there(object, name);
    if (value) collected.values.push_back({name, std::move(*value)});
    return 0;
  } catch (const std::exception&) {
    collected.failure = std::current_exception();
    return -1;
  }
}

Dataspace make_space(const Value& value) {
  if (value.scalar) return Dataspace(H5Screate(H5S_SCALAR));
  std::vector<hsize_t> dims(value.shape.begin(), value.shape.end());
  return Dataspace(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr));
}

// Attributes are replaced as a whole; HDF5 cannot change the type of one that is there.
Attribute create_attribute(hid_t object, const std::string& name, hid_t type, hid_t space) {
  if (has_attribute(object, name)) {
    check(H5Adelete(object, name.c_str()), "replace attribute", name, ErrorCode::io);
  }
  return Attribute(check(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                         "create attribute", name, ErrorCode::io));
}

void write_plain(hid_t object, const std::string& name, hid_t type, hid_t space, const void* data) {
  Attribute attribute = create_attribute(object, name, type, space);
  check(H5Awrite(attribute.id(), type, data), "write attribute", name, ErrorCode::io);
}

void write_scalar(hid_t object, const std::string& name, hid_t type, const void* data) {
  Dataspace space(H5Screate(H5S_SCALAR));
  write_plain(object, name, type, space.id(), data);
}

std::optional<Value> read_attribute(hid_t object, const std::string& name) {
  if (!has_attribute(object, name)) return std::nullopt;
  return read_attribute_there(object, name);
}

}  // namespace

bool has_attribute(hid_t object, const std::string& name) {
  return check_in(object, H5Aexists(object, name.c_str()), "look up attribute", name) > 0;
}

std::vector<NamedValue> read_attributes(hid_t object, const std::string& label) {
  Collected collected;
  hsize_t position = 0;
  const herr_t status =
      H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &position, collect_attribute, &collected);
  if (collected.failure) std::rethrow_exception(collected.failure);
  check(status, "read the attributes of", label);
  return std::move(collected.values);
}

std::optional<Value> read_dataset(hid_t dataset, const std::string& label) {
  Datatype type(check(H5Dget_type(dataset), "describe", label));
  Dataspace space(check(H5Dget_space(dataset), "describe", label));
  std::optional<Value> value = prepare(type.id(), space.id());
  if (!value) return std::nullopt;
  fill(*value, type.id(), space.id(), [&](void* buffer) {
    check(H5Dread(dataset, type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer), "read", label);
  });
  return value;
}

Datatype decode_type(const Value& value) {
  return Datatype(check(H5Tdecode(value.type.data()), "decode", "a datatype"));
}

void write_attribute(hid_t object, const std::string& name, const Value& value) {
  Datatype type = decode_type(value);
  Dataspace space = make_space(value);
  if (value.texts.empty()) {
    write_plain(object, name, type.id(), space.id(), value.bytes.data());
    return;
  }
  std::vector<const char*> pointers;
  for (const std::string& text : value.texts) pointers.push_back(text.c_str());
  write_plain(object, name, type.id(), space.id(), pointers.data());
}

Dataset write_texts(hid_t group, const std::string& name, const std::vector<std::string>& texts) {
  ColumnShape shape;
  shape.length = texts.size();
  shape.chunk_length = std::max<std::uint64_t>(texts.size(), 1);
  const Datatype type = text_type();
  Dataset dataset = create_column(group, name, type.id(), shape);
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), "write",
        name, ErrorCode::io);
  return dataset;
}

void write_text(hid_t object, const std::string& name, const std::string& text) {
  const char* pointer = text.c_str();
  write_scalar(object, name, text_type().id(), &pointer);
}

void write_int64(hid_t object, const std::string& name, std::int64_t number) {
  write_scalar(object, name, H5T_STD_I64LE, &number);
}

void write_int32(hid_t object, const std::string& name, std::int32_t number) {
  write_scalar(object, name, H5T_STD_I32LE, &number);
}

void write_uint64(hid_t object, const std::string& name, std::uint64_t number) {
  write_scalar(object, name, H5T_STD_U64LE, &number);
}

void write_double(hid_t object, const std::string& name, double number) {
  write_scalar(object, name, H5T_IEEE_F64LE, &number);
}

void write_bool(hid_t object, const std::string& name, bool flag) {
  const signed char byte = flag ? 1 : 0;
  write_scalar(object, name, bool_type().id(), &byte);
}

void write_doubles(hid_t object, const std::string& name, const std::vector<double>& numbers) {
  const hsize_t n = numbers.size();
  Dataspace space(H5Screate_simple(1, &n, nullptr));
  write_plain(object, name, H5T_IEEE_F64LE, space.id(), numbers.data());
}

void write_bools(hid_t object, const std::string& name, const std::vector<bool>& flags) {
  const hsize_t n = flags.size();
  std::vector<signed char> bytes(flags.begin(), flags.end());
  Dataspace space(H5Screate_simple(1, &n, nullptr));
  write_plain(object, name, bool_type().id(), space.id(), bytes.data());
}

std::optional<std::string> as_text(const Value& value) {
  if (value.texts.size() == 1) return value.texts.front();
  Datatype type = decode_type(value);
  if (H5Tget_class(type.id()) != H5T_STRING) return std::nullopt;
  if (value.bytes.size() != H5Tget_size(type.id())) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(value.bytes.data());
  return std::string(text, strnlen(text, value.bytes.size()));
}

namespace {

// The single number in a value, converted by HDF5 to `native`.
template <typename Number>
std::optional<Number> as_number(const Value& value, hid_t native) {
  if (value.type.empty() || !value.texts.empty()) return std::nullopt;
  Datatype type = decode_type(value);
  const H5T_class_t kind = H5Tget_class(type.id());
  const std::size_t size = H5Tget_size(type.id());
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || value.bytes.size() != size || size > 16) {
    return std::nullopt;
  }
  alignas(16) std::byte room[16] = {};
  std::memcpy(room, value.bytes.data(), size);
  if (H5Tconvert(type.id(), native, 1, room, nullptr, H5P_DEFAULT) < 0) return std::nullopt;
  Number number;
  std::memcpy(&number, room, sizeof number);
  return number;
}

}  // namespace

std::optional<std::int64_t> as_int(const Value& value) {
  return as_number<std::int64_t>(value, H5T_NATIVE_INT64);
}

std::string number_text(const Value& value) {
  if (value.type.empty()) return "";
  const Datatype type = decode_type(value);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind == H5T_FLOAT) {
    const auto number = as_number<double>(value, H5T_NATIVE_DOUBLE);
    return number ? fmt::format("{}", *number) : "";
  }
  if (kind == H5T_ENUM && value.bytes.size() == 1) {
    return value.bytes.front() != std::byte{0} ? "true" : "false";
  }
  if (kind != H5T_INTEGER) return "";
  if (H5Tget_sign(type.id()) == H5T_SGN_NONE) {
    const auto number = as_number<std::uint64_t>(value, H5T_NATIVE_UINT64);
    return number ? fmt::format("{}", *number) : "";
  }
  const auto number = as_int(value);
  return number ? fmt::format("{}", *number) : "";
}

std::optional<std::string> read_text(hid_t object, const std::string& name) {
  const std::optional<Value> value = read_attribute(object, name);
  return value ? as_text(*value) : std::nullopt;
}

std::optional<std::string> read_words(hid_t object, const std::string& name) {
  const std::optional<Value> value = read_attribute(object, name);
  if (!value) return has_attribute(object, name) ? std::optional<std::string>("") : std::nullopt;
  return as_text(*value).value_or(number_text(*value));
}

std::optional<std::int64_t> read_int(hid_t object, const std::string& name) {
  const std::optional<Value> value = read_attribute(object, name);
  return value ? as_int(*value) : std::nullopt;
}

std::optional<double> read_double(hid_t object, const std::string& name) {
  const std::optional<Value> value = read_attribute(object, name);
  return value ? as_number<double>(*value, H5T_NATIVE_DOUBLE) : std::nullopt;
}

}  // namespace ziggurat::h5
