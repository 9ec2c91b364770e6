// The literals and matches of one deflate block. Internal to codec.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace ziggurat::codec {

inline constexpr std::size_t kMinMatch = 3;
inline constexpr std::size_t kMaxMatch = 258;
inline constexpr std::size_t kMaxDistance = 32768;
inline constexpr std::size_t kLengthSymbols = 286;  // literals, end of block, match lengths
inline constexpr std::size_t kDistanceSymbols = 30;
inline constexpr std::size_t kEndOfBlock = 256;

// Planes may be read this far past their end; see Tokens::add_literals and RunMask.
inline constexpr std::size_t kPlaneSlack = 64;

// RFC 1951 3.2.5: the symbol of a match length and the bits that follow it.
struct LengthSymbol {
  std::uint16_t symbol;
  std::uint8_t extra_bits;
  std::uint8_t extra;
};
extern const std::array<LengthSymbol, kMaxMatch + 1> kLengthSymbol;

struct DistanceSymbol {
  unsigned symbol;
  unsigned extra_bits;
  unsigned extra;
};

[[nodiscard]] inline DistanceSymbol distance_symbol(std::size_t distance) {
  const auto from_zero = static_cast<unsigned>(distance - 1);
  if (from_zero < 2) return {from_zero, 0, 0};
  const auto extra_bits = static_cast<unsigned>(std::bit_width(from_zero)) - 2;
  const unsigned half = from_zero >> extra_bits;  // 2 or 3
  return {2 * extra_bits + half, extra_bits, from_zero - (half << extra_bits)};
}

// Literals, then one match.
struct Sequence {
  std::uint32_t literals;
  std::uint16_t length;
  std::uint16_t distance;
};

class Tokens {
 public:
  void clear();

  // Room for the tokens of `bytes` more bytes of input. Nothing may be added without.
  void reserve(std::size_t bytes);

  // Copies in words, so from must be readable for kPlaneSlack bytes past n.
  void add_literals(const std::byte* from, std::size_t n) {
    std::byte* to = literals_.data() + literal_count_;
    std::memcpy(to, from, 16);  // nearly always enough, and no branch when there are none
    for (std::size_t i = 16; i < n; i += 16) std::memcpy(to + i, from + i, 16);
    literal_count_ += n;
    open_literals_ += static_cast<std::uint32_t>(n);
  }

  void add_literal(std::byte value) {
    literals_[literal_count_++] = value;
    ++open_literals_;
  }

  // kMinMatch <= length <= kMaxMatch, 1 <= distance <= kMaxDistance.
  void add_match(std::size_t length, std::size_t distance) {
    sequences_[sequence_count_++] = {open_literals_, static_cast<std::uint16_t>(length),
                                     static_cast<std::uint16_t>(distance)};
    open_literals_ = 0;
    ++length_counts_[kLengthSymbol[length].symbol];
    ++distance_counts_[distance_symbol(distance).symbol];
  }

  // n more of the byte before, which has this value.
  void add_run(std::byte value, std::size_t n);

  [[nodiscard]] bool empty() const { return literal_count_ + sequence_count_ == 0; }
  [[nodiscard]] std::span<const Sequence> sequences() const {
    return {sequences_.data(), sequence_count_};
  }
  // Of all sequences, and those after the last match.
  [[nodiscard]] std::span<const std::byte> literals() const {
    return {literals_.data(), literal_count_};
  }
  // How often each symbol occurs, the end of the block included.
  [[nodiscard]] std::array<std::uint32_t, kLengthSymbols> length_counts() const;
  [[nodiscard]] const std::array<std::uint32_t, kDistanceSymbols>& distance_counts() const {
    return distance_counts_;
  }

 private:
  std::vector<std::byte> literals_;
  std::vector<Sequence> sequences_;
  std::size_t literal_count_ = 0;
  std::size_t sequence_count_ = 0;
  std::uint32_t open_literals_ = 0;
  std::array<std::uint32_t, kLengthSymbols> length_counts_{};
  std::array<std::uint32_t, kDistanceSymbols> distance_counts_{};
};

}  // namespace ziggurat::codec
