#include "base/crc32.hpp"

#include <catch2/catch.hpp>
#include <string_view>

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

}  // namespace
}  // namespace ziggurat
