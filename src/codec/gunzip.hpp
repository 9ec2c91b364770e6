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

// Whether bytes begin as a file of bgzip does: gzip whose members tell their length. All 18 bytes
// of its head are needed.
[[nodiscard]] bool is_bgzip(std::span<const std::byte> bytes);
// The empty member that bgzip ends a file with, to tell a whole one from one that was cut between
// members.
constexpr std::size_t kBgzipHeadBytes = 18;
constexpr std::size_t kBgzipEndBytes = 28;
[[nodiscard]] bool is_bgzip_end(std::span<const std::byte> last_bytes);

// All members one after the other, as `gzip -cd` prints them; zero bytes after the last are
// padding. Throws Error{format} when a member is damaged or cut short, or all together are longer
// than `limit` bytes.
[[nodiscard]] std::string gunzip(std::span<const std::byte> bytes, std::size_t limit);

}  // namespace ziggurat::codec
