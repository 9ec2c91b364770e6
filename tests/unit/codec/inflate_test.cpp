// Streams are written by zlib; damage is done to them byte by byte.
#include "codec/inflate.hpp"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "ziggurat/error.hpp"

namespace {

using ziggurat::codec::Inflater;
using Bytes = std::vector<std::byte>;

// Text-like data: some repetition, some not.
Bytes sample(std::size_t n) {
  std::mt19937 random(7);
  Bytes made(n);
  for (std::size_t i = 0; i < n; ++i) {
    made[i] = i > 50 && random() % 4 != 0 ? made[i - 50] : static_cast<std::byte>(random() % 200);
  }
  return made;
}

Bytes deflated(const Bytes& data, int level = 6) {
  uLongf size = compressBound(data.size());
  Bytes stream(size);
  REQUIRE(compress2(reinterpret_cast<Bytef*>(stream.data()), &size,
                    reinterpret_cast<const Bytef*>(data.data()), data.size(), level) == Z_OK);
  stream.resize(size);
  return stream;
}

std::string error_of(Inflater& inflater, std::span<const std::byte> stream, std::size_t size) {
  Bytes out(size);
  try {
    inflater.inflate(stream, out);
  } catch (const ziggurat::Error& error) {
    CHECK(error.code() == ziggurat::ErrorCode::format);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("inflate restores what zlib deflated") {
  Inflater inflater;
  for (const int level : {0, 1, 6, 9}) {
    for (const std::size_t n : {0U, 1U, 1000U, 131072U}) {
      const Bytes data = sample(n);
      Bytes out(n);
      inflater.inflate(deflated(data, level), out);
      REQUIRE(out == data);
    }
  }
  const Bytes zeros(100000);
  Bytes out(100000, std::byte{1});
  inflater.inflate(deflated(zeros), out);
  CHECK(out == zeros);
}

TEST_CASE("a chunk of another size than expected is refused") {
  Inflater inflater;
  for (const Bytes& data : {sample(5000), Bytes(5000)}) {
    const Bytes stream = deflated(data);
    CHECK(error_of(inflater, stream, 4999) ==
          "compressed chunk is damaged: it holds more than its chunk");
    CHECK(error_of(inflater, stream, 5001) ==
          "compressed chunk is damaged: it holds less than its chunk");
    CHECK(error_of(inflater, stream, 0) ==
          "compressed chunk is damaged: it holds more than its chunk");
    CHECK(error_of(inflater, stream, 5000).empty());
  }
}

TEST_CASE("bytes after the stream are refused") {
  Inflater inflater;
  for (const Bytes& data : {sample(5000), Bytes(5000)}) {
    Bytes stream = deflated(data);
    stream.push_back(std::byte{0});
    CHECK(error_of(inflater, stream, 5000) == "compressed chunk is damaged: bytes follow its end");
  }
}

TEST_CASE("a stream cut anywhere is refused") {
  Inflater inflater;
  for (const Bytes& data : {sample(3000), Bytes(3000)}) {
    const Bytes stream = deflated(data);
    for (std::size_t n = 0; n < stream.size(); ++n) {
      // A copy of its own, so that a read past the cut is seen by the address sanitizer.
      const Bytes cut(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(n));
      REQUIRE_FALSE(error_of(inflater, cut, data.size()).empty());
    }
  }
}

TEST_CASE("a flipped bit never passes for the data") {
  Inflater inflater;
  for (const Bytes& data : {sample(3000), Bytes(3000)}) {
    const Bytes stream = deflated(data);
    for (std::size_t bit = 0; bit < 8 * stream.size(); bit += 3) {
      Bytes bad = stream;
      bad[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
      Bytes out(data.size());
      try {
        inflater.inflate(bad, out);
        REQUIRE(out == data);  // some header bits mean nothing
      } catch (const ziggurat::Error& error) {
        REQUIRE(error.code() == ziggurat::ErrorCode::format);
      }
    }
  }
}

TEST_CASE("random bytes are refused") {
  Inflater inflater;
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    Bytes noise(random() % 200);
    for (std::byte& b : noise) b = static_cast<std::byte>(random() & 0xFF);
    // A right zlib header lets the noise reach the block decoder.
    if (noise.size() > 2) noise[0] = std::byte{0x78}, noise[1] = std::byte{0x9C};
    REQUIRE_FALSE(error_of(inflater, noise, 1000).empty());
  }
}

TEST_CASE("a wrong checksum is refused") {
  Inflater inflater;
  for (const Bytes& data : {sample(3000), Bytes(3000)}) {
    Bytes stream = deflated(data);
    stream.back() ^= std::byte{1};
    CHECK_FALSE(error_of(inflater, stream, data.size()).empty());
  }
}
