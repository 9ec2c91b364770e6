// Frame bytes against values worked out with Python's struct and zlib, and decoding of damage.
#include "wire/frame.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "ziggurat/error.hpp"

namespace ziggurat::wire {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

std::vector<std::byte> whole_frame(std::uint16_t kind, std::span<const std::byte> payload) {
  const std::array<std::byte, kFrameHeaderBytes> header = encode_header(kind, payload);
  std::vector<std::byte> frame(header.begin(), header.end());
  frame.insert(frame.end(), payload.begin(), payload.end());
  return frame;
}

// What a receiver does with the bytes of one frame.
std::uint16_t read_frame(std::span<const std::byte> frame) {
  const FrameHeader header = decode_header(frame.first<kFrameHeaderBytes>());
  check_payload(header, frame.subspan(kFrameHeaderBytes));
  return header.kind;
}

template <typename Action>
void require_worker_error(const Action& action) {
  try {
    action();
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    REQUIRE(error.code() == ErrorCode::worker);
  }
}

TEST_CASE("a frame has the documented bytes") {
  Encoder encoder;
  encoder.put(std::uint32_t{7});
  encoder.put(std::uint16_t{513});
  REQUIRE(whole_frame(3, encoder.payload()) ==
          bytes_of({0x5a, 0x47, 0x46, 0x4d, 0x01, 0x00, 0x03, 0x00, 0x06, 0x00, 0x00, 0x00, 0x00,
                    0x00, 0x00, 0x00, 0xeb, 0x94, 0x35, 0xde, 0x07, 0x00, 0x00, 0x00, 0x01, 0x02}));
  REQUIRE(frame_checksum(0, {}) == 0x59d44c87U);
}

TEST_CASE("any single flipped bit of a frame is noticed") {
  const std::vector<std::byte> good = whole_frame(3, bytes_of({1, 2, 3, 4, 5}));
  REQUIRE(read_frame(good) == 3);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::vector<std::byte> bad = good;
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    CAPTURE(bit);
    require_worker_error([&] { read_frame(bad); });
  }
}

TEST_CASE("a length over the limit is refused from the header alone") {
  std::array<std::byte, kFrameHeaderBytes> header = encode_header(1, {});
  header[11] = std::byte{0x40};  // 2^30 in bytes 8 to 15
  REQUIRE(decode_header(header).payload_bytes == kMaxPayloadBytes);
  header[8] = std::byte{1};
  require_worker_error([&] { (void)decode_header(header); });
}

TEST_CASE("a payload shorter or longer than announced is refused") {
  const std::vector<std::byte> payload = bytes_of({1, 2, 3});
  const FrameHeader header = decode_header(encode_header(9, payload));
  check_payload(header, payload);
  require_worker_error([&] { check_payload(header, std::span(payload).first(2)); });
}

enum class Colour : std::uint8_t { red = 1, blue = 2 };
struct Span {
  std::int64_t first;
  std::int64_t end;
};

TEST_CASE("values come out as they went in") {
  const std::vector<std::uint32_t> columns{1, 70000, 0xFFFFFFFF};
  Encoder encoder;
  encoder.put(std::int8_t{-1});
  encoder.put(-0.1);
  encoder.put_string("chr1");
  encoder.put_string("");
  encoder.put(Colour::blue);
  encoder.put(Span{-5, std::int64_t{1} << 40});
  encoder.put_span(std::span<const std::uint32_t>(columns));
  encoder.put_span(std::span<const double>());

  Decoder decoder(encoder.payload());
  REQUIRE(decoder.get<std::int8_t>() == -1);
  REQUIRE(decoder.get<double>() == -0.1);
  REQUIRE(decoder.get_string() == "chr1");
  REQUIRE(decoder.get_string().empty());
  REQUIRE(decoder.get<Colour>() == Colour::blue);
  const Span span = decoder.get<Span>();
  REQUIRE(span.first == -5);
  REQUIRE(span.end == 1099511627776);
  REQUIRE(decoder.get_vector<std::uint32_t>() == columns);
  REQUIRE(decoder.get_vector<double>().empty());
  decoder.expect_end();
}

TEST_CASE("strings and arrays have the documented bytes") {
  const std::vector<std::uint16_t> numbers{258};
  Encoder encoder;
  encoder.put_string("ab");
  encoder.put_span(std::span<const std::uint16_t>(numbers));
  const std::vector<std::byte> expected =
      bytes_of({2, 0, 0, 0, 'a', 'b', 1, 0, 0, 0, 0, 0, 0, 0, 2, 1});
  REQUIRE(std::vector(encoder.payload().begin(), encoder.payload().end()) == expected);
}

TEST_CASE("a payload cut anywhere is refused, and the cursor stays") {
  Encoder encoder;
  encoder.put_string("abc");
  for (std::size_t size = 0; size < encoder.payload().size(); ++size) {
    Decoder decoder(encoder.payload().first(size));
    require_worker_error([&] { (void)decoder.get_string(); });
    REQUIRE(decoder.remaining() == size);
  }
}

TEST_CASE("a made-up count is refused before memory is asked for") {
  for (const std::uint64_t count :
       {std::uint64_t{2}, std::uint64_t{1} << 61, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    Encoder encoder;
    encoder.put(count);
    encoder.put(std::uint64_t{0});
    Decoder decoder(encoder.payload());
    require_worker_error([&] { (void)decoder.get_vector<std::uint64_t>(); });
    REQUIRE(decoder.remaining() == 16);
  }
}

TEST_CASE("bytes that are left over are refused") {
  const std::vector<std::byte> payload = bytes_of({1});
  const Decoder decoder(payload);
  require_worker_error([&] { decoder.expect_end(); });
}

// One random reading of one random payload; true when the payload was refused.
bool read_at_random(std::mt19937& random, std::span<const std::byte> payload) {
  Decoder decoder(payload);
  try {
    while (decoder.remaining() > 0) {
      switch (random() % 4) {
        case 0:
          (void)decoder.get<std::uint64_t>();
          break;
        case 1:
          (void)decoder.get_string();
          break;
        case 2:
          (void)decoder.get_vector<Span>();
          break;
        default:
          (void)decoder.get<std::uint8_t>();
      }
    }
    return false;
  } catch (const Error& error) {
    REQUIRE(error.code() == ErrorCode::worker);
    return true;
  }
}

TEST_CASE("random payloads are read or refused, never read past") {
  std::mt19937 random(20240601);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    // Exactly sized and on the heap, so that a sanitizer sees one byte too many. Mostly small
    // numbers, so that lengths are often plausible.
    std::vector<std::byte> payload(random() % 64);
    for (std::byte& byte : payload) byte = static_cast<std::byte>(random() % 8 == 0 ? random() : 0);
    refused += read_at_random(random, payload) ? 1 : 0;
  }
  REQUIRE(refused > 1000);
  REQUIRE(refused < 19000);
}

}  // namespace
}  // namespace ziggurat::wire
