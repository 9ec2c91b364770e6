// With a the sum of bytes and b the sum of all values a has had, n bytes v take
//   a to a + n v,   b to b + n a + v n (n + 1) / 2,   both modulo 65521.
#include "codec/adler.hpp"

#include <libdeflate.h>

namespace ziggurat::codec {

void Adler::update(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;  // its data may be null, which libdeflate takes for a request to reset
  value_ = libdeflate_adler32(value_, bytes.data(), bytes.size());
}

void Adler::update_constant(std::byte value, std::size_t n) {
  constexpr std::uint64_t kModulus = 65521;
  const std::uint64_t a = value_ & 0xFFFF;
  const std::uint64_t b = value_ >> 16;
  const auto v = std::to_integer<std::uint64_t>(value);
  const std::uint64_t count = n % kModulus;
  const std::uint64_t triangle = std::uint64_t{n} * (n + 1) / 2 % kModulus;
  const std::uint64_t next_a = (a + count * v) % kModulus;
  const std::uint64_t next_b = (b + count * a + triangle * v) % kModulus;
  value_ = static_cast<std::uint32_t>(next_b << 16 | next_a);
}

}  // namespace ziggurat::codec
