// Each stored type is a C++ type that is copied element by element, save float16, which C++20
// lacks: it goes by its bits. The machine is taken to be little-endian, as every supported one is,
// so a stored element and the object in memory are the same bytes.
#include "pixels/decode.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/check.hpp"

static_assert(std::endian::native == std::endian::little, "stored elements are copied as they are");

namespace ziggurat::pixels {
namespace {

// A float16 as it is stored, so that it can stand beside the arithmetic types below.
struct Half {
  std::uint16_t bits;
};

// Calls action with a value of the C++ type that type is stored as.
template <typename Action>
decltype(auto) with_stored_type(NumberType type, Action action) {
  switch (type) {
    case NumberType::i8:
      return action(std::int8_t{});
    case NumberType::i16:
      return action(std::int16_t{});
    case NumberType::i32:
      return action(std::int32_t{});
    case NumberType::i64:
      return action(std::int64_t{});
    case NumberType::u8:
      return action(std::uint8_t{});
    case NumberType::u16:
      return action(std::uint16_t{});
    case NumberType::u32:
      return action(std::uint32_t{});
    case NumberType::u64:
      return action(std::uint64_t{});
    case NumberType::f16:
      return action(Half{});
    case NumberType::f32:
      return action(float{});
    case NumberType::f64:
      return action(double{});
  }
  fail(ErrorCode::internal, "no such number type: {}", static_cast<int>(type));
}

template <typename Stored>
struct Held {
  using Type = std::int64_t;
};
template <>
struct Held<Half> {
  using Type = float;
};
template <>
struct Held<float> {
  using Type = float;
};
template <>
struct Held<double> {
  using Type = double;
};

template <typename Stored>
auto from_stored(Stored element) {
  if constexpr (std::is_same_v<Stored, Half>) {
    return half_to_float(element.bits);
  } else if constexpr (std::is_same_v<Stored, std::uint64_t>) {
    if (!std::in_range<std::int64_t>(element)) {
      fail(ErrorCode::format, "the value {} is beyond a signed 64-bit integer", element);
    }
    return static_cast<std::int64_t>(element);
  } else {
    return static_cast<typename Held<Stored>::Type>(element);
  }
}

template <typename Stored, typename Value>
Stored integer_from_float(Value value) {
  using Limits = std::numeric_limits<Stored>;
  if (std::isnan(value)) return Limits::min();
  // Both bounds are powers of two or 0, hence exact in Value: the greatest integer itself is not.
  const Value above = std::ldexp(Value(1), Limits::digits);
  const Value below = static_cast<Value>(Limits::min());
  if (value >= above) return Limits::max();
  if (value <= below) return Limits::min();
  return static_cast<Stored>(value);
}

template <typename Stored, typename Value>
Stored to_stored(Value value) {
  if constexpr (std::is_same_v<Stored, Half>) {
    return Half{double_to_half(static_cast<double>(value))};
  } else if constexpr (std::is_floating_point_v<Stored>) {
    return static_cast<Stored>(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return integer_from_float<Stored>(value);
  } else {
    if (!std::in_range<Stored>(value)) {
      fail(ErrorCode::format, "the value {} does not fit {} bits {} sign", value,
           8 * sizeof(Stored), std::is_signed_v<Stored> ? "with a" : "without a");
    }
    return static_cast<Stored>(value);
  }
}

template <typename Stored, typename Value>
void encode_as(std::span<const Value> values, std::vector<std::byte>& out) {
  const std::size_t begin = out.size();
  out.resize(begin + values.size() * sizeof(Stored));
  std::byte* target = out.data() + begin;
  for (const Value value : values) {
    const Stored element = to_stored<Stored>(value);
    std::memcpy(target, &element, sizeof element);
    target += sizeof element;
  }
}

template <typename Stored>
void decode_as(std::span<const std::byte> elements, std::vector<typename Held<Stored>::Type>& out) {
  out.reserve(out.size() + elements.size() / sizeof(Stored));
  for (std::size_t at = 0; at < elements.size(); at += sizeof(Stored)) {
    Stored element;
    std::memcpy(&element, elements.data() + at, sizeof element);
    out.push_back(from_stored(element));
  }
}

}  // namespace

void decode_values(std::span<const std::byte> elements, NumberType type, Column& out) {
  if (elements.size() % size(type) != 0 || kind_of(out) != kind_of(type)) {
    fail(ErrorCode::internal, "{} bytes of {} do not fill a column of kind {}", elements.size(),
         name(type), out.index());
  }
  with_stored_type(type, [&]<typename Stored>(Stored) {
    decode_as<Stored>(elements, std::get<std::vector<typename Held<Stored>::Type>>(out));
  });
}

void encode_values(const Column& column, std::int64_t first, std::int64_t end, NumberType target,
                   std::vector<std::byte>& out) {
  if (first < 0 || first > end || end > size(column)) {
    fail(ErrorCode::internal, "column range [{}, {}) is outside 0..{}", first, end, size(column));
  }
  std::visit(
      [&]<typename Value>(const std::vector<Value>& values) {
        const std::span<const Value> part(values.data() + first, values.data() + end);
        with_stored_type(target, [&]<typename Stored>(Stored) { encode_as<Stored>(part, out); });
      },
      column);
}

bool fits(std::int64_t min, std::int64_t max, NumberType target) noexcept {
  return with_stored_type(target, [&]<typename Stored>(Stored) {
    if constexpr (std::is_integral_v<Stored>) {
      return std::in_range<Stored>(min) && std::in_range<Stored>(max);
    } else {
      return true;
    }
  });
}

bool fits(const Column& column, NumberType target) noexcept {
  const auto* values = std::get_if<std::vector<std::int64_t>>(&column);
  if (values == nullptr || values->empty()) return true;
  std::int64_t least = values->front();
  std::int64_t greatest = least;
  for (const std::int64_t value : *values) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  return fits(least, greatest, target);
}

NumberType narrowest_holding(NumberType source, std::int64_t min, std::int64_t max) {
  NumberType type = source;
  while (!fits(min, max, type)) type = next_wider(type).value_or(NumberType::i64);
  return type;
}

// A half's exponent is shifted to a float's place and rebased by a multiplication with 2^112, which
// also makes subnormal halves normal floats.
float half_to_float(std::uint16_t bits) noexcept {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7fffU;
  if (magnitude >= 0x7c00U) {
    return std::bit_cast<float>(sign | 0x7f800000U | (magnitude & 0x3ffU) << 13);
  }
  const float rebased = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(rebased));
}

// The distance between neighbouring halves near the value decides the rounding: scaled so that it
// is 1, the value is rounded to an integer by the processor's own ties-to-even rule.
std::uint16_t double_to_half(double value) noexcept {
  const std::uint16_t sign = std::signbit(value) ? 0x8000U : 0U;
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00U);
  // 65520 is half way from the greatest half to what would be the next.
  if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00U);
  const int exponent = magnitude < 0x1p-14 ? -14 : std::ilogb(magnitude);
  const double steps = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  // For normal values steps is 1024 .. 2048; a carry to 2048 moves on to the next exponent, and
  // from the subnormals to the normals, by the same addition.
  const std::int32_t bits = static_cast<std::int32_t>(steps) + ((exponent + 14) << 10);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(bits));
}

}  // namespace ziggurat::pixels
