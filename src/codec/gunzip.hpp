// Decompression of a whole gzip file (RFC 1952) held in memory, made of one member or many.
// Safe on hostile input. Thread rules: a free function of its arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ziggurat::codec {

// Whether bytes begin as a gzip file does.
[[nodiscard]] bool is_gzip(std::span<const std::byte> bytes);

// All members one after the other, as `gzip -cd` prints them; zero bytes after the last are
// padding. Throws Error{format} when a member is damaged or cut short, or all together are longer
// than `limit` bytes.
[[nodiscard]] std::string gunzip(std::span<const std::byte> bytes, std::size_t limit);

}  // namespace ziggurat::codec
