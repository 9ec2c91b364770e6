// Writing tokens as one deflate block (RFC 1951 3.2). Internal to codec.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "codec/bit_writer.hpp"
#include "codec/huffman.hpp"
#include "codec/tokens.hpp"

namespace ziggurat::codec {

enum class Position { inner, last };

// The codes of a dynamic block for given tokens, its header and its exact size.
class BlockPlan {
 public:
  explicit BlockPlan(const Tokens& tokens);

  // Of header and body.
  [[nodiscard]] std::uint64_t bits() const { return bits_; }

  void write(const Tokens& tokens, Position position, BitWriter& out) const;

 private:
  // A code length as the header spells it: a length, or a repeat with its count.
  struct HeaderItem {
    std::uint8_t symbol;
    std::uint8_t extra;
  };

  void plan_header();
  void write_header(Position position, BitWriter& out) const;

  std::array<Code, kLengthSymbols> length_codes_;
  std::array<Code, kDistanceSymbols> distance_codes_;
  std::array<Code, 19> header_codes_;
  std::array<HeaderItem, kLengthSymbols + kDistanceSymbols> header_;
  std::size_t header_items_ = 0;
  std::size_t lengths_sent_ = 0;
  std::size_t distances_sent_ = 0;
  std::size_t header_codes_sent_ = 0;
  std::uint64_t bits_ = 0;
};

// What no code for these tokens can go below, without the header: a hundred times cheaper to tell
// than the size of a plan, and good enough to compare two ways to cut the same bytes.
[[nodiscard]] std::uint64_t entropy_bits(const Tokens& tokens);

// Bits of a stored form, alignment at its worst.
[[nodiscard]] std::uint64_t stored_bits(std::size_t bytes);

// As stored blocks, none of them the last.
void write_stored(std::span<const std::byte> bytes, BitWriter& out);

// A last block without content.
void write_empty_last(BitWriter& out);

}  // namespace ziggurat::codec
