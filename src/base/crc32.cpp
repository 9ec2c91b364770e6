#include "base/crc32.hpp"

#include <array>

namespace ziggurat {
namespace {

// kTables[k][b]: what byte b does to the CRC when k more bytes follow it.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFFU];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t crc = ~before;
  const auto value = [&](std::size_t at) { return std::to_integer<std::uint32_t>(bytes[at]); };
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    crc ^= value(0) | value(1) << 8 | value(2) << 16 | value(3) << 24;
    crc = kTables[7][crc & 0xFFU] ^ kTables[6][(crc >> 8) & 0xFFU] ^
          kTables[5][(crc >> 16) & 0xFFU] ^ kTables[4][crc >> 24] ^ kTables[3][value(4)] ^
          kTables[2][value(5)] ^ kTables[1][value(6)] ^ kTables[0][value(7)];
  }
  for (const std::byte byte : bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  }
  return ~crc;
}

}  // namespace ziggurat
