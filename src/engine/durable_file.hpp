// Files that must be right after a crash or else be known to be wrong: written whole under a
// temporary name, synced, renamed, and sealed with a checksum.
//
// Layout: "ZIGGSEAL", u32 CRC-32 of all that follows, u64 bytes of the payload, the payload.
// Thread rules: free functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

// Replaces the file durably: afterwards it is there whole, or Error{io} was thrown and the old one
// is.
void write_sealed(const std::string& path, std::span<const std::byte> payload);

// The payload; nothing when there is no such file. Throws Error: format when it is damaged, io when
// it cannot be read.
[[nodiscard]] std::optional<std::vector<std::byte>> read_sealed(const std::string& path);

// Makes data of a file that is closed durable. Throws Error{io}.
void sync_file(const std::string& path);
// Makes the names in a folder durable, where the file system can. Throws Error{io}.
void sync_folder(const std::string& folder);

// CRC-32 of all its bytes, at most one MiB of which is in memory. Throws Error: input when the file
// cannot be read, cancelled.
[[nodiscard]] std::uint32_t crc_of_file(const std::string& path, Observer& observer);

}  // namespace ziggurat::engine
