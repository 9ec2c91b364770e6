#include "engine/field_buffer.hpp"

#include <algorithm>
#include <cstring>

#include "pixels/decode.hpp"

namespace ziggurat::engine {

using reader::ValueForm;

namespace {

template <typename From, typename To>
std::vector<To> converted(std::span<const std::byte> values, std::size_t first, std::size_t n) {
  const auto* from = reinterpret_cast<const From*>(values.data()) + first;
  return std::vector<To>(from, from + n);
}

// True when the reader's form is byte for byte what is stored.
bool is_stored_form(ValueForm form, NumberType type) {
  return (form == ValueForm::i32 && type == NumberType::i32) ||
         (form == ValueForm::i64 && type == NumberType::i64) ||
         (form == ValueForm::f32 && type == NumberType::f32) ||
         (form == ValueForm::f64 && type == NumberType::f64);
}

template <typename Number>
NumberType holding(std::span<const std::byte> values, NumberType type) {
  const std::span<const Number> numbers(reinterpret_cast<const Number*>(values.data()),
                                        values.size() / sizeof(Number));
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  if (least == numbers.end() || pixels::fits(*least, *most, type)) return type;
  return pixels::narrowest_holding(type, *least, *most);
}

}  // namespace

pixels::Column to_column(ValueForm form, std::span<const std::byte> values, std::size_t first,
                         std::size_t n) {
  switch (form) {
    case ValueForm::i32:
      return converted<std::int32_t, std::int64_t>(values, first, n);
    case ValueForm::i64:
      return converted<std::int64_t, std::int64_t>(values, first, n);
    case ValueForm::f32:
      return converted<float, float>(values, first, n);
    case ValueForm::f64:
      break;
  }
  return converted<double, double>(values, first, n);
}

void append_stored(ValueForm form, std::span<const std::byte> values, std::size_t first,
                   std::size_t n, NumberType type, std::vector<std::byte>& out) {
  if (is_stored_form(form, type)) {
    const auto part = values.subspan(first * size(type), n * size(type));
    out.insert(out.end(), part.begin(), part.end());
    return;
  }
  pixels::encode_values(to_column(form, values, first, n), 0, static_cast<std::int64_t>(n), type,
                        out);
}

NumberType type_for(ValueForm form, std::span<const std::byte> values, NumberType type) {
  if (is_float(type) || is_stored_form(form, type)) return type;
  if (form == ValueForm::i32) {
    return type == NumberType::i64 ? type : holding<std::int32_t>(values, type);
  }
  return form == ValueForm::i64 ? holding<std::int64_t>(values, type) : type;
}

std::vector<std::byte> restored(std::span<const std::byte> elements, NumberType from,
                                NumberType to) {
  pixels::Column values = pixels::make_column(pixels::kind_of(from));
  pixels::decode_values(elements, from, values);
  std::vector<std::byte> bytes;
  pixels::encode_values(values, 0, pixels::size(values), to, bytes);
  return bytes;
}

}  // namespace ziggurat::engine
