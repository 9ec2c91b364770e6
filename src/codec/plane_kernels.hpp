// The two loops under every shuffle: 4-byte elements to 4 planes, and back. Internal to codec.
//
// Each exists twice, portable and AVX2. Callers take the fastest the processor has; tests name
// either, to prove that they agree.
#pragma once

#include <cstddef>

namespace ziggurat::codec {

enum class Isa { portable, avx2 };

// The best that this processor runs.
[[nodiscard]] Isa best_isa();

// Byte k of element i goes to planes[k * stride + i], i < n, k < 4. Needs stride >= n; neither
// pointer need be aligned.
void split_planes(Isa isa, const std::byte* elements, std::size_t n, std::byte* planes,
                  std::size_t stride);

// The inverse.
void join_planes(Isa isa, const std::byte* planes, std::size_t stride, std::size_t n,
                 std::byte* elements);

}  // namespace ziggurat::codec
