// Frames between a reader process and its parent: the header that precedes every payload, and the
// two cursors that lay values into a payload and take them out again.
//
// Pure: spans in, values out, no descriptors. The byte layout is in docs/wire-format.md.
// Whatever arrives is judged as if a stranger had sent it: a child that went wrong may write
// anything, so decoding throws Error{worker} and never reads outside what it was given.
// Thread rules: an Encoder or Decoder belongs to one thread; the free functions are stateless.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ziggurat::wire {

// Both ends are one program on one machine, so values cross as they lie in memory. The format is
// little endian because every machine we build for is.
static_assert(std::endian::native == std::endian::little);

inline constexpr std::size_t kFrameHeaderBytes = 20;
inline constexpr std::uint64_t kMaxPayloadBytes = std::uint64_t{1} << 30;

// What a payload can be made of: numbers, enums, and structs of them without padding. Views are
// trivially copyable too but would send an address; a bool of 2, as a stranger may send, is
// undefined behaviour.
template <typename T>
concept WireValue = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                    !std::is_array_v<T> && !std::is_same_v<T, bool> && !requires(const T& view) {
  view.data();
};

struct FrameHeader {
  std::uint16_t kind = 0;           // meaning belongs to the two ends
  std::uint64_t payload_bytes = 0;  // at most kMaxPayloadBytes
  std::uint32_t checksum = 0;       // frame_checksum of kind and payload
};

struct Frame {
  std::uint16_t kind = 0;
  std::vector<std::byte> payload;
};

// CRC-32 (IEEE 802.3, as in zlib) of the header's first 16 bytes followed by the payload.
[[nodiscard]] std::uint32_t frame_checksum(std::uint16_t kind, std::span<const std::byte> payload);

// The 20 bytes that announce payload. Throws Error{internal} when payload is over the limit.
[[nodiscard]] std::array<std::byte, kFrameHeaderBytes> encode_header(
    std::uint16_t kind, std::span<const std::byte> payload);

// Throws Error{worker} on a wrong magic number or version, or a length over the limit.
[[nodiscard]] FrameHeader decode_header(std::span<const std::byte, kFrameHeaderBytes> bytes);

// Throws Error{worker} when length or checksum of payload are not what header announced.
void check_payload(const FrameHeader& header, std::span<const std::byte> payload);

// Lays values one after the other, without padding between them.
class Encoder {
 public:
  template <WireValue T>
  void put(const T& value) {
    append(&value, sizeof(T));
  }

  // u32 length, then the bytes. Throws Error{internal} beyond kMaxPayloadBytes.
  void put_string(std::string_view text);

  // u64 count, then the elements.
  template <WireValue T>
  void put_span(std::span<const T> values) {
    put(std::uint64_t{values.size()});
    append(values.data(), values.size_bytes());
  }

  // Valid until the next put or clear.
  [[nodiscard]] std::span<const std::byte> payload() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void append(const void* data, std::size_t size);

  std::vector<std::byte> bytes_;
};

// Takes values out in the order in which they were put. Does not own the payload, which must
// outlive it. Every get throws Error{worker} when the payload does not hold that much, before
// anything is allocated; the cursor has not moved then.
class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> payload) : rest_(payload) {}

  template <WireValue T>
  [[nodiscard]] T get() {
    T value;
    const std::span<const std::byte> from = take(sizeof(T));
    std::memcpy(&value, from.data(), sizeof(T));
    return value;
  }

  [[nodiscard]] std::string get_string();

  template <WireValue T>
  [[nodiscard]] std::vector<T> get_vector() {
    const std::span<const std::byte> from = take_counted<std::uint64_t>(sizeof(T));
    std::vector<T> values(from.size() / sizeof(T));
    if (!from.empty()) std::memcpy(values.data(), from.data(), from.size());
    return values;
  }

  [[nodiscard]] std::size_t remaining() const { return rest_.size(); }

  // Throws Error{worker} when something is left: the two ends disagree on the message.
  void expect_end() const;

 private:
  std::span<const std::byte> take(std::size_t size);
  // The elements announced by a count in front of them; instantiated in frame.cpp.
  template <typename Count>
  std::span<const std::byte> take_counted(std::size_t element_bytes);

  std::span<const std::byte> rest_;
};

}  // namespace ziggurat::wire
