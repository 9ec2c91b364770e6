// The inner loop of block_sums.hpp. Internal to h5.
//
// Written once; the compiler makes a form of it for each instruction set, with the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/isa.hpp"

namespace ziggurat::h5 {

inline constexpr std::size_t kWordBytes = 4;

struct WordSums {
  std::uint64_t words = 0;
  std::uint64_t placed = 0;  // each word times its number in the span
};

// Of the little-endian words of `bytes`, modulo 2^64.
// Requires: whole words, fewer than 2^32.
[[nodiscard]] WordSums sum_words(Isa isa, std::span<const std::byte> bytes);

}  // namespace ziggurat::h5
