#include "base/crc32.hpp"

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

namespace ziggurat {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The check value of the catalogue of CRC algorithms.
TEST_CASE("crc32 is that of zlib and may be taken in parts") {
  CHECK(crc32(bytes_of("123456789")) == 0xCBF43926U);
  CHECK(crc32({}) == 0);
  CHECK(crc32(bytes_of("6789"), crc32(bytes_of("12345"))) == 0xCBF43926U);
}

// Values of zlib.crc32 in Python, of bytes i * 37 + 11 modulo 256.
TEST_CASE("crc32 of every length from none to a few steps is right wherever it is cut") {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 41; ++i) bytes.push_back(static_cast<std::byte>(i * 37 + 11));
  const std::span<const std::byte> all(bytes);
  CHECK(crc32(all.first(7)) == 0xEF6F3B31U);
  CHECK(crc32(all.first(8)) == 0x648BAD8BU);
  CHECK(crc32(all.first(23)) == 0x6232F06BU);
  CHECK(crc32(all) == 0x9385EB93U);
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    CHECK(crc32(all.subspan(cut), crc32(all.first(cut))) == 0x9385EB93U);
  }
}

}  // namespace
}  // namespace ziggurat
