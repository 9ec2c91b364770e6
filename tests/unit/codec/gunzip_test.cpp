// Members are written by zlib.
#include "codec/gunzip.hpp"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "ziggurat/error.hpp"

namespace ziggurat::codec {
namespace {

constexpr std::size_t kNoLimit = std::size_t{1} << 30;

std::string gzipped(const std::string& text) {
  z_stream stream{};
  constexpr int kGzip = 16 + MAX_WBITS;
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string unpack(const std::string& bytes, std::size_t limit = kNoLimit) {
  return gunzip(std::as_bytes(std::span(bytes)), limit);
}

TEST_CASE("a gzip file is known by its first two bytes") {
  const std::string packed = gzipped("chr1\t0\t10\n");
  CHECK(is_gzip(std::as_bytes(std::span(packed))));
  CHECK_FALSE(is_gzip(std::as_bytes(std::span(std::string_view("chr1\t0\t10\n")))));
  CHECK_FALSE(is_gzip(std::as_bytes(std::span(std::string_view("\x1f")))));
}

TEST_CASE("one member, several, none but an empty one") {
  CHECK(unpack(gzipped("abc")) == "abc");
  CHECK(unpack(gzipped("abc") + gzipped("") + gzipped("def")) == "abcdef");
  CHECK(unpack(gzipped("")).empty());
  CHECK(unpack(gzipped("abc") + std::string(512, '\0')) == "abc");
}

TEST_CASE("what packs a thousandfold is unpacked wholly") {
  const std::string text(5'000'000, 'x');
  CHECK(unpack(gzipped(text)) == text);
}

TEST_CASE("the limit is that of all members together") {
  const std::string ten = gzipped(std::string(10, 'a'));
  CHECK(unpack(ten + ten, 20).size() == 20);
  CHECK_THROWS_WITH(unpack(ten + ten, 19), "the gzip data hold more than 19 bytes");
}

TEST_CASE("damage is told") {
  std::string packed = gzipped("some text that is long enough to be cut somewhere");
  CHECK_THROWS_AS(unpack(packed.substr(0, packed.size() - 5)), Error);
  CHECK_THROWS_AS(unpack(packed + "more"), Error);
  packed[packed.size() - 6] ^= 1;  // of the checksum
  CHECK_THROWS_WITH(unpack(packed), "the gzip data are damaged or cut short");
}

}  // namespace
}  // namespace ziggurat::codec
