#include "h5/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "h5/object.hpp"
#include "h5/types.hpp"

namespace ziggurat::h5 {

namespace {

constexpr std::int64_t kDeepest = 32;
constexpr std::size_t kMostObjects = 1'000'000;

bool is_truth(const Datatype& type) {
  const auto members = enumeration_members(type);
  return members.size() == 2 && members[0].first == "FALSE" && members[1].first == "TRUE";
}

// numpy's short form, with the byte order where it is not the usual one.
std::string number_name(hid_t type, bool is_float) {
  const std::size_t bytes = H5Tget_size(type);
  const bool is_unsigned = !is_float && H5Tget_sign(type) == H5T_SGN_NONE;
  if (H5Tget_order(type) == H5T_ORDER_BE && bytes > 1) {
    return fmt::format(">{}{}", is_float ? 'f' : is_unsigned ? 'u' : 'i', bytes);
  }
  return fmt::format("{}{}", is_float ? "float" : is_unsigned ? "uint" : "int", 8 * bytes);
}

std::string type_name(const Datatype& type) {
  switch (H5Tget_class(type.id())) {
    case H5T_INTEGER:
      return number_name(type.id(), false);
    case H5T_FLOAT:
      return number_name(type.id(), true);
    case H5T_ENUM: {
      const Datatype base(H5Tget_super(type.id()));
      return is_truth(type) ? "bool" : number_name(base.id(), false);
    }
    case H5T_STRING:
      if (H5Tis_variable_str(type.id()) > 0) return "object";
      return fmt::format("|S{}", H5Tget_size(type.id()));
    case H5T_COMPOUND:
      return "compound";
    case H5T_OPAQUE:
      return fmt::format("|V{}", H5Tget_size(type.id()));
    default:
      return "object";
  }
}

// Elements as Number, converted by HDF5; they are at most eight bytes wide.
template <typename Number>
std::vector<Number> converted(const Value& value, hid_t type, hid_t native) {
  const std::size_t width = H5Tget_size(type);
  const std::size_t n = value.bytes.size() / width;
  std::vector<std::byte> room(n * std::max(width, sizeof(Number)));
  std::copy(value.bytes.begin(), value.bytes.end(), room.begin());
  check(H5Tconvert(type, native, n, room.data(), nullptr, H5P_DEFAULT), "convert", "an attribute");
  std::vector<Number> numbers(n);
  if (n > 0) std::memcpy(numbers.data(), room.data(), n * sizeof(Number));
  return numbers;
}

TableColumn enumerated(const Value& value, const Datatype& type) {
  const Datatype base(H5Tget_super(type.id()));
  const auto codes = converted<std::int64_t>(value, base.id(), H5T_NATIVE_INT64);
  if (!is_truth(type)) return codes;
  std::vector<std::uint8_t> flags;
  for (const std::int64_t code : codes) flags.push_back(code != 0 ? 1 : 0);
  return flags;
}

std::vector<std::string> fixed_texts(const Value& value, std::size_t width) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at + width <= value.bytes.size(); at += width) {
    const std::string_view text(reinterpret_cast<const char*>(value.bytes.data()) + at, width);
    texts.emplace_back(text.substr(0, std::min(text.find('\0'), text.size())));
  }
  return texts;
}

TableColumn values_of(const Value& value) {
  if (!value.texts.empty() || value.type.empty()) return value.texts;
  const Datatype type = decode_type(value);
  switch (H5Tget_class(type.id())) {
    case H5T_INTEGER:
      if (H5Tget_sign(type.id()) == H5T_SGN_NONE && H5Tget_size(type.id()) == 8) {
        return converted<std::uint64_t>(value, type.id(), H5T_NATIVE_UINT64);
      }
      return converted<std::int64_t>(value, type.id(), H5T_NATIVE_INT64);
    case H5T_FLOAT:
      return converted<double>(value, type.id(), H5T_NATIVE_DOUBLE);
    case H5T_ENUM:
      return enumerated(value, type);
    case H5T_STRING:
      return fixed_texts(value, H5Tget_size(type.id()));
    default:
      return std::vector<std::string>{};
  }
}

class Outline {
 public:
  Outline(const File& file, std::int64_t levels, std::string label)
      : file_(file), levels_(levels), label_(std::move(label)) {}

  void visit(const std::string& path, const std::string& name, std::int64_t depth) {
    if (depth > kDeepest || found_.size() >= kMostObjects) {
      fail(ErrorCode::format, "{}: too many objects, or groups that hold themselves, at {}", label_,
           path);
    }
    const Object object(check(H5Oopen(file_.id(), path.c_str(), H5P_DEFAULT), "open", path));
    OutlinedObject& out = found_.emplace_back();
    out.name = name;
    out.depth = depth;
    out.is_group = H5Iget_type(object.id()) == H5I_GROUP;
    for (const NamedValue& attribute : read_attributes(object.id(), path)) {
      out.attributes.push_back(
          {attribute.name, attribute.value.scalar, values_of(attribute.value)});
    }
    if (H5Iget_type(object.id()) == H5I_DATASET) describe_dataset(object.id(), out);
    if (out.is_group && (levels_ < 0 || depth < levels_)) visit_children(object.id(), path, depth);
  }

  std::vector<OutlinedObject> take() { return std::move(found_); }

 private:
  static void describe_dataset(hid_t dataset, OutlinedObject& out) {
    const Datatype type(check(H5Dget_type(dataset), "describe", out.name));
    const Dataspace space(check(H5Dget_space(dataset), "describe", out.name));
    out.type = type_name(type);
    const int n = std::max(0, H5Sget_simple_extent_ndims(space.id()));
    std::vector<hsize_t> dims(static_cast<std::size_t>(n));
    H5Sget_simple_extent_dims(space.id(), dims.data(), nullptr);
    out.shape.assign(dims.begin(), dims.end());
    out.stored_bytes = static_cast<std::int64_t>(h5::stored_bytes(dataset, out.name));
  }

  void visit_children(hid_t group, const std::string& path, std::int64_t depth) {
    for (const std::string& name : child_names(group, path)) {
      // A link whose end is not in this file is no object of it.
      const std::string child = path == "/" ? "/" + name : path + "/" + name;
      if (has_object(file_.id(), child)) visit(child, name, depth + 1);
    }
  }

  const File& file_;
  std::int64_t levels_;
  std::string label_;
  std::vector<OutlinedObject> found_;
};

}  // namespace

std::vector<OutlinedObject> outline(const File& file, const std::string& path, std::int64_t levels,
                                    const std::string& label) {
  if (!has_object(file.id(), path)) fail(ErrorCode::format, "{} has no object {}", label, path);
  Outline outline(file, levels, label);
  const std::string name = path.substr(path.find_last_of('/') + 1);
  outline.visit(path, name.empty() ? "/" : name, 0);
  return outline.take();
}

}  // namespace ziggurat::h5
