// Members are written by zlib; every cut of input and output must give the same bytes.
#include "codec/gzip_stream.hpp"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "ziggurat/error.hpp"

namespace ziggurat::codec {
namespace {

std::string gzipped(std::string text) {
  z_stream stream{};
  constexpr int kGzip = 16 + MAX_WBITS;
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

struct Inflated {
  std::string text;
  bool complete = false;
};

Inflated inflated(std::string_view bytes, std::size_t in_piece, std::size_t out_piece) {
  GzipStream stream;
  Inflated result;
  std::string out(out_piece, '\0');
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, in_piece);
    bytes.remove_prefix(piece.size());
    std::span<const std::byte> in = std::as_bytes(std::span(piece));
    std::size_t made = 0;
    do {
      made = stream.inflate(in, std::as_writable_bytes(std::span(out)));
      result.text.append(out, 0, made);
    } while (!in.empty() || made > 0);
  }
  result.complete = stream.complete();
  return result;
}

std::string sample() {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919 % 100'003) + '\t';
  return text;
}

TEST_CASE("pieces of any size, of one member or several") {
  const std::string text = sample();
  const std::string bytes =
      gzipped(text) + gzipped("") + gzipped(text.substr(5)) + std::string(700, '\0');
  for (const std::size_t in_piece : {1U, 7U, 1000U, 10'000'000U}) {
    for (const std::size_t out_piece : {1U, 333U, 10'000'000U}) {
      const Inflated result = inflated(bytes, in_piece, out_piece);
      CHECK((result.text == text + text.substr(5)));
      CHECK(result.complete);
    }
  }
}

TEST_CASE("a cut is seen, damage is refused") {
  const std::string bytes = gzipped(sample());
  for (const std::size_t kept :
       {std::size_t{1}, std::size_t{9}, std::size_t{300}, bytes.size() - 9, bytes.size() - 1}) {
    CHECK_FALSE(inflated(bytes.substr(0, kept), 64, 4096).complete);
  }
  std::string wrong = bytes;
  wrong[wrong.size() - 6] = static_cast<char>(wrong[wrong.size() - 6] ^ 1);
  CHECK_THROWS_AS(inflated(wrong, 64, 4096), Error);
  CHECK_THROWS_AS(inflated(bytes + "trailing text", 64, 4096), Error);
}

}  // namespace
}  // namespace ziggurat::codec
