#include "h5/types.hpp"

namespace ziggurat::h5 {

namespace {

// IEEE binary16: 1 sign, 5 exponent and 10 fraction bits.
Datatype half_type() {
  Datatype half(H5Tcopy(H5T_IEEE_F32LE));
  H5Tset_fields(half.id(), 15, 10, 5, 0, 10);
  H5Tset_size(half.id(), 2);
  H5Tset_ebias(half.id(), 15);
  return half;
}

}  // namespace

Datatype number_type(NumberType type) {
  switch (type) {
    case NumberType::i8:
      return Datatype(H5Tcopy(H5T_STD_I8LE));
    case NumberType::i16:
      return Datatype(H5Tcopy(H5T_STD_I16LE));
    case NumberType::i32:
      return Datatype(H5Tcopy(H5T_STD_I32LE));
    case NumberType::i64:
      return Datatype(H5Tcopy(H5T_STD_I64LE));
    case NumberType::u8:
      return Datatype(H5Tcopy(H5T_STD_U8LE));
    case NumberType::u16:
      return Datatype(H5Tcopy(H5T_STD_U16LE));
    case NumberType::u32:
      return Datatype(H5Tcopy(H5T_STD_U32LE));
    case NumberType::u64:
      return Datatype(H5Tcopy(H5T_STD_U64LE));
    case NumberType::f16:
      return half_type();
    case NumberType::f32:
      return Datatype(H5Tcopy(H5T_IEEE_F32LE));
    case NumberType::f64:
      break;
  }
  return Datatype(H5Tcopy(H5T_IEEE_F64LE));
}

Datatype fixed_text_type(std::size_t width, bool utf8) {
  Datatype type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), width);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  if (utf8) H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

Datatype text_type() {
  Datatype type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

Datatype bool_type() {
  Datatype type(H5Tenum_create(H5T_STD_I8LE));
  const signed char no = 0;
  const signed char yes = 1;
  H5Tenum_insert(type.id(), "FALSE", &no);
  H5Tenum_insert(type.id(), "TRUE", &yes);
  return type;
}

Datatype enumeration_type(const std::vector<std::pair<std::string, std::int32_t>>& members) {
  Datatype type(H5Tenum_create(H5T_STD_I32LE));
  for (const auto& [name, value] : members) H5Tenum_insert(type.id(), name.c_str(), &value);
  return type;
}

std::vector<std::pair<std::string, std::int64_t>> enumeration_members(const Datatype& type) {
  std::vector<std::pair<std::string, std::int64_t>> members;
  const Datatype base(H5Tget_super(type.id()));
  const int n = H5Tget_nmembers(type.id());
  for (int i = 0; i < n; ++i) {
    const auto index = static_cast<unsigned>(i);
    // Room for the widest integer, since the conversion works in place.
    std::int64_t value = 0;
    check(H5Tget_member_value(type.id(), index, &value), "read", "an enumeration");
    check(H5Tconvert(base.id(), H5T_NATIVE_INT64, 1, &value, nullptr, H5P_DEFAULT), "read",
          "an enumeration");
    char* name = H5Tget_member_name(type.id(), index);
    members.emplace_back(name == nullptr ? "" : name, value);
    H5free_memory(name);
  }
  return members;
}

std::size_t size_of(const Datatype& type) { return H5Tget_size(type.id()); }

bool is_enumeration(const Datatype& type) { return H5Tget_class(type.id()) == H5T_ENUM; }

}  // namespace ziggurat::h5
