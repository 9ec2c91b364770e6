#include "report/png.hpp"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <vector>

using namespace ziggurat::report;

namespace {

struct Chunk {
  std::string kind;
  std::string content;
};

std::uint32_t number_at(std::string_view text, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number = number << 8 | static_cast<unsigned char>(text[at + i]);
  }
  return number;
}

// Chunks of a file, their checksums compared with zlib's.
std::vector<Chunk> chunks_of(const std::string& png) {
  REQUIRE(png.substr(0, 8) == std::string("\x89PNG\r\n\x1a\n", 8));
  std::vector<Chunk> chunks;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = number_at(png, at);
    const std::string checked = png.substr(at + 4, 4 + length);
    const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                             static_cast<uInt>(checked.size()));
    CHECK(number_at(png, at + 8 + length) == crc);
    chunks.push_back({checked.substr(0, 4), checked.substr(4)});
    at += 12 + length;
  }
  return chunks;
}

std::string inflated(const std::string& stream, std::size_t size) {
  std::string out(size, '\0');
  uLongf length = size;
  REQUIRE(::uncompress(reinterpret_cast<Bytef*>(out.data()), &length,
                       reinterpret_cast<const Bytef*>(stream.data()), stream.size()) == Z_OK);
  REQUIRE(length == size);
  return out;
}

}  // namespace

TEST_CASE("a picture of shades") {
  const std::vector<std::uint8_t> shades{0, 1, 2, 254, 255, 7};
  const auto chunks = chunks_of(png_of_shades(3, 2, shades, palette("viridis")));
  REQUIRE(chunks.size() == 4);
  CHECK(chunks[0].kind == "IHDR");
  CHECK(chunks[0].content == std::string("\0\0\0\3\0\0\0\2\x08\3\0\0\0", 13));
  CHECK(chunks[1].kind == "PLTE");
  CHECK(chunks[1].content.size() == 768);
  CHECK(chunks[1].content.substr(0, 3) == "\x44\x01\x54");
  CHECK(chunks[2].kind == "IDAT");
  CHECK(inflated(chunks[2].content, 8) == std::string("\0\0\1\2\0\xfe\xff\7", 8));
  CHECK(chunks[3].kind == "IEND");
  CHECK(chunks[3].content.empty());
}

TEST_CASE("a picture of colours") {
  const std::vector<Rgb> pixels{{1, 2, 3}, {255, 0, 128}};
  const auto chunks = chunks_of(png_of_colours(1, 2, pixels));
  REQUIRE(chunks.size() == 3);
  CHECK(chunks[0].content == std::string("\0\0\0\1\0\0\0\2\x08\2\0\0\0", 13));
  CHECK(inflated(chunks[1].content, 8) == std::string("\0\1\2\3\0\xff\0\x80", 8));
}

TEST_CASE("base64 as in its standard") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd") == "//79");
  CHECK(data_uri("foo") == "data:image/png;base64,Zm9v");
}
