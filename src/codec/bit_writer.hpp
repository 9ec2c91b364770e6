// Bits into bytes, the first bit lowest, as deflate wants them. Internal to codec.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace ziggurat::codec {

static_assert(std::endian::native == std::endian::little, "bits are stored a word at a time");

// A growing buffer whose memory is kept between streams. The room for a piece of work is reserved
// before it, so that put and flush need not look. One flush must follow at most kBitsBetweenFlushes
// bits of put.
class BitWriter {
 public:
  static constexpr unsigned kBitsBetweenFlushes = 56;

  void clear() {
    used_ = 0;
    bits_ = 0;
    bit_count_ = 0;
  }

  // Room for `bytes` more bytes.
  void reserve(std::size_t bytes) {
    if (buffer_.size() < used_ + bytes + kSlack) buffer_.resize(used_ + bytes + kSlack);
  }

  void put(std::uint64_t value, unsigned count) {
    bits_ |= value << bit_count_;
    bit_count_ += count;
  }

  void flush() {
    std::memcpy(buffer_.data() + used_, &bits_, sizeof bits_);
    used_ += bit_count_ / 8;
    bits_ >>= bit_count_ & ~7U;
    bit_count_ %= 8;
  }

  void align_to_byte() {
    bit_count_ = (bit_count_ + 7) & ~7U;
    flush();
  }

  // Requires an aligned position and reserved room.
  void put_bytes(std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(buffer_.data() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }

  // Requires an aligned position.
  [[nodiscard]] std::span<const std::byte> bytes() const { return {buffer_.data(), used_}; }

 private:
  static constexpr std::size_t kSlack = 16;  // flush stores a whole word

  std::vector<std::byte> buffer_;
  std::size_t used_ = 0;
  std::uint64_t bits_ = 0;
  unsigned bit_count_ = 0;  // below 8 after a flush
};

}  // namespace ziggurat::codec
