// CRC-32 (IEEE 802.3, as in zlib): is a stretch of bytes what it was?
//
// Eight bytes at a time through a table each, so that whole files can be checked with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ziggurat {

// The CRC of bytes, continuing from that of what went before.
[[nodiscard]] std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace ziggurat
