// Length-limited prefix codes in deflate's canonical form. Internal to codec.
#pragma once

#include <cstdint>
#include <span>

namespace ziggurat::codec {

inline constexpr std::size_t kMaxSymbols = 288;
inline constexpr unsigned kMaxCodeLength = 15;

// A symbol's code, its first bit lowest; length 0: the symbol does not occur.
struct Code {
  std::uint16_t bits = 0;
  std::uint16_t length = 0;
};

// Gives every symbol whose count is not 0 a code of at most max_length bits. At least two symbols
// get one, because some inflaters refuse an incomplete code. Counts must stay below 2^23 in sum
// and there may be up to kMaxSymbols, and no more than 2^max_length, of them.
void make_codes(std::span<const std::uint32_t> counts, unsigned max_length, std::span<Code> codes);

}  // namespace ziggurat::codec
