// Streams are written by zlib; damage is done to them byte by byte.
#include "codec/inflate.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
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

// Room that ends where memory ends, so that a step past it is a crash, also in code that no
// sanitizer sees.
class GuardedRoom {
 public:
  explicit GuardedRoom(std::size_t bytes) : page_(static_cast<std::size_t>(getpagesize())) {
    size_ = (bytes + page_ - 1) / page_ * page_;
    void* start =
        mmap(nullptr, size_ + page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(start != MAP_FAILED);
    start_ = static_cast<std::byte*>(start);
    REQUIRE(mprotect(start_ + size_, page_, PROT_NONE) == 0);
  }
  ~GuardedRoom() { munmap(start_, size_ + page_); }
  GuardedRoom(const GuardedRoom&) = delete;
  GuardedRoom& operator=(const GuardedRoom&) = delete;

  [[nodiscard]] std::span<std::byte> last(std::size_t n) const { return {start_ + size_ - n, n}; }

 private:
  std::size_t page_;
  std::size_t size_ = 0;
  std::byte* start_ = nullptr;
};

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

TEST_CASE("no step is taken outside the spans, whatever the bytes") {
  Inflater inflater;
  std::mt19937 random(11);
  const GuardedRoom in(10000);
  const GuardedRoom out(100000);
  const auto inflate = [&](const Bytes& stream, std::size_t size) {
    const std::span<std::byte> input = in.last(stream.size());
    std::ranges::copy(stream, input.begin());
    try {
      inflater.inflate(input, out.last(size));
      return true;
    } catch (const ziggurat::Error& error) {
      REQUIRE(error.code() == ziggurat::ErrorCode::format);
      return false;
    }
  };
  for (const Bytes& data : {sample(5000), Bytes(5000), Bytes(60000)}) {
    const Bytes good = deflated(data);
    REQUIRE(inflate(good, data.size()));
    for (std::size_t size : {std::size_t{0}, data.size() - 1, data.size() + 1, data.size() / 2}) {
      REQUIRE_FALSE(inflate(good, size));
    }
    for (int round = 0; round < 1000; ++round) {
      Bytes bad = good;
      bad.resize(1 + random() % good.size());
      for (int hits = 0; hits < 3; ++hits) {
        bad[random() % bad.size()] = static_cast<std::byte>(random() & 0xFF);
      }
      inflate(bad, data.size());
    }
  }
  for (int round = 0; round < 3000; ++round) {
    Bytes noise(2 + random() % 200);
    for (std::byte& b : noise) b = static_cast<std::byte>(random() & 0xFF);
    noise[0] = std::byte{0x78};  // a right header lets the noise reach the block decoder
    noise[1] = std::byte{0x9C};
    REQUIRE_FALSE(inflate(noise, round % 2 == 0 ? 1000 : 50000));
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
