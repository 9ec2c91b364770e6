// HDF5's byte shuffle and the integer forms this project needs of it.
//
// Shuffled, n elements of s bytes become s planes of n bytes: plane k holds byte k of every
// element. Bytes after the last whole element are copied verbatim behind the planes, as HDF5 does.
// Elements are little-endian. All functions are pure and may run on any number of threads; spans
// must not overlap. A span whose size does not fit the other is Error{internal}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ziggurat::codec {

// in and out: the same size. element_size: 1 or more.
void shuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t element_size);
void unshuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t element_size);

// Joins planes 0..3 of shuffled integers of element_size 4 or 8 into out (in.size() is
// out.size() * element_size). False when a higher plane holds a byte other than 0, that is when a
// value is negative or 2^32 or more; out then holds the values modulo 2^32.
[[nodiscard]] bool unshuffle_to_u32(std::span<const std::byte> in, std::size_t element_size,
                                    std::span<std::uint32_t> out);

// The same for unshuffled 8-byte integers.
[[nodiscard]] bool narrow_to_u32(std::span<const std::byte> le_int64, std::span<std::uint32_t> out);

// The shuffled form of values widened to 8 bytes; out: 8 bytes a value.
void shuffle_u32_as_i64(std::span<const std::uint32_t> values, std::span<std::byte> out);

// The shuffled form of values; out: 4 bytes a value.
void shuffle_u32(std::span<const std::uint32_t> values, std::span<std::byte> out);

}  // namespace ziggurat::codec
