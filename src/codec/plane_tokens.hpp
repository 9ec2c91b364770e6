// Cutting one byte plane of a column into deflate tokens. Internal to codec.
//
// Every function appends to tokens, reserves its own room there, and takes planes that are readable
// for kPlaneSlack bytes past their end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/run_mask.hpp"
#include "codec/tokens.hpp"

namespace ziggurat::codec {

// n >= 1 times the same byte.
void tokenize_constant(std::byte value, std::size_t n, Tokens& tokens);

// Literals and runs. mask: of this plane.
void tokenize_runs(std::span<const std::byte> plane, const RunMask& mask, Tokens& tokens);

// Literals, runs, and repeats of what the plane held up to kMaxDistance before.
class RepeatFinder {
 public:
  // What follows the first `history` bytes of the plane; those may be repeated.
  void tokenize(std::span<const std::byte> plane, std::size_t history, Tokens& tokens);

 private:
  static constexpr unsigned kTableBits = 14;

  // The bytes begin..end-1 equal those `distance` before.
  struct Match {
    std::size_t begin;
    std::size_t end;
    std::size_t distance;
  };

  // The lower 16 bits of the last place whose four bytes have this hash. Any value is safe: a place
  // is believed only when its bytes agree.
  std::uint16_t& place(std::uint32_t four_bytes) {
    return places_[(four_bytes * 0x9E3779B1U) >> (32 - kTableBits)];
  }
  void enter(std::span<const std::byte> plane, std::size_t at);
  std::size_t distance_at(std::span<const std::byte> plane, std::size_t at);
  void think_again(std::span<const std::byte> plane, Match& match);

  std::array<std::uint16_t, 1U << kTableBits> places_;
};

}  // namespace ziggurat::codec
