// The loops over every byte of a column: 4-byte elements to 4 planes and back, and where a plane
// repeats itself. Internal to codec.
//
// Each exists twice, portable and AVX2. Callers take the fastest the processor has; tests name
// either, to prove that they agree.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/isa.hpp"

namespace ziggurat::codec {

// Byte k of element i goes to planes[k * stride + i], i < n, k < 4. Needs stride >= n; neither
// pointer need be aligned. Returns all elements, or-ed: a zero byte k of it is a plane of zeros.
std::uint32_t split_planes(Isa isa, const std::byte* elements, std::size_t n, std::byte* planes,
                           std::size_t stride);

// The inverse.
void join_planes(Isa isa, const std::byte* planes, std::size_t stride, std::size_t n,
                 std::byte* elements);

// Bit i of words[w]: plane[64 w + i] == plane[64 w + i - 1], also past the end of the plane; bit 0
// of all is clear. Writes n / 64 + 1 words and reads as far.
void mark_repeats(Isa isa, const std::byte* plane, std::size_t n, std::uint64_t* words);

// The bits set in n words.
[[nodiscard]] std::size_t count_bits(Isa isa, const std::uint64_t* words, std::size_t n);

}  // namespace ziggurat::codec
