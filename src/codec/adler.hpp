// The checksum of a zlib stream (Adler-32), with a closed form for constant stretches: half and
// more of a column's bytes are zero planes, which need not be looked at. Internal to codec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ziggurat::codec {

class Adler {
 public:
  void update(std::span<const std::byte> bytes);
  // As if n bytes of this value were given to update; n below 2^31.
  void update_constant(std::byte value, std::size_t n);
  [[nodiscard]] std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 1;
};

}  // namespace ziggurat::codec
