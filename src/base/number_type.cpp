#include "base/number_type.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ziggurat {
namespace {

struct Properties {
  std::string_view name;
  std::size_t size;
  bool is_float;
  bool is_signed;
  std::optional<NumberType> next_wider;
};

// In the order of the enumerators.
constexpr std::array<Properties, 11> kProperties = {{
    {"int8", 1, false, true, NumberType::i16},
    {"int16", 2, false, true, NumberType::i32},
    {"int32", 4, false, true, NumberType::i64},
    {"int64", 8, false, true, std::nullopt},
    {"uint8", 1, false, false, NumberType::u16},
    {"uint16", 2, false, false, NumberType::u32},
    {"uint32", 4, false, false, NumberType::i64},
    {"uint64", 8, false, false, std::nullopt},
    {"float16", 2, true, true, std::nullopt},
    {"float32", 4, true, true, std::nullopt},
    {"float64", 8, true, true, std::nullopt},
}};
static_assert(kProperties.size() == static_cast<std::size_t>(NumberType::f64) + 1);

// The C names mean what they do where `long` has 64 bits. Codes count bytes, so i8 is int64.
constexpr std::array<std::pair<std::string_view, NumberType>, 31> kAliases = {{
    {"int", NumberType::i64},      {"uint", NumberType::u64},      {"float", NumberType::f64},
    {"byte", NumberType::i8},      {"ubyte", NumberType::u8},      {"short", NumberType::i16},
    {"ushort", NumberType::u16},   {"intc", NumberType::i32},      {"uintc", NumberType::u32},
    {"int_", NumberType::i64},     {"long", NumberType::i64},      {"ulong", NumberType::u64},
    {"longlong", NumberType::i64}, {"ulonglong", NumberType::u64}, {"half", NumberType::f16},
    {"single", NumberType::f32},   {"double", NumberType::f64},    {"float_", NumberType::f64},
    {"intp", NumberType::i64},     {"uintp", NumberType::u64},     {"i1", NumberType::i8},
    {"i2", NumberType::i16},       {"i4", NumberType::i32},        {"i8", NumberType::i64},
    {"u1", NumberType::u8},        {"u2", NumberType::u16},        {"u4", NumberType::u32},
    {"u8", NumberType::u64},       {"f2", NumberType::f16},        {"f4", NumberType::f32},
    {"f8", NumberType::f64},
}};

const Properties& properties(NumberType type) {
  return kProperties[static_cast<std::size_t>(type)];
}

}  // namespace

std::size_t size(NumberType type) { return properties(type).size; }

bool is_float(NumberType type) { return properties(type).is_float; }

bool is_signed(NumberType type) { return properties(type).is_signed; }

std::string_view name(NumberType type) { return properties(type).name; }

std::optional<NumberType> parse_number_type(std::string_view text) {
  // Native, little and "not applicable" byte order are one thing on the machines we run on.
  if (!text.empty() && std::string_view("<=|").find(text.front()) != std::string_view::npos) {
    text.remove_prefix(1);
  }
  const auto named = std::find_if(kProperties.begin(), kProperties.end(),
                                  [&](const Properties& each) { return each.name == text; });
  if (named != kProperties.end()) return static_cast<NumberType>(named - kProperties.begin());
  const auto alias = std::find_if(kAliases.begin(), kAliases.end(),
                                  [&](const auto& each) { return each.first == text; });
  if (alias != kAliases.end()) return alias->second;
  return std::nullopt;
}

std::optional<NumberType> next_wider(NumberType type) { return properties(type).next_wider; }

namespace {

NumberType integer_of(bool is_signed, std::size_t bytes) {
  switch (bytes) {
    case 1:
      return is_signed ? NumberType::i8 : NumberType::u8;
    case 2:
      return is_signed ? NumberType::i16 : NumberType::u16;
    case 4:
      return is_signed ? NumberType::i32 : NumberType::u32;
    default:
      return is_signed ? NumberType::i64 : NumberType::u64;
  }
}

NumberType float_of(std::size_t bytes) {
  if (bytes <= 2) return NumberType::f16;
  return bytes == 4 ? NumberType::f32 : NumberType::f64;
}

}  // namespace

NumberType common_type(NumberType a, NumberType b) {
  // Bytes of floating point that an integer needs: half precision holds the integers of one byte.
  const auto float_bytes = [](NumberType type) {
    return is_float(type) ? size(type) : 2 * size(type);
  };
  if (is_float(a) || is_float(b)) return float_of(std::max(float_bytes(a), float_bytes(b)));
  if (is_signed(a) == is_signed(b)) return size(a) >= size(b) ? a : b;
  const std::size_t signed_bytes = size(is_signed(a) ? a : b);
  const std::size_t bytes = std::max(signed_bytes, 2 * size(is_signed(a) ? b : a));
  return bytes > 8 ? NumberType::f64 : integer_of(true, bytes);
}

}  // namespace ziggurat
