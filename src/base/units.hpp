// Sizes, counts and times: as users write them and as people like to read them.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ziggurat {

// A number of bytes with an optional unit: 1073741824, 8G, 512MiB, 1.5 GB. K, M, G, T and KiB, MiB,
// ... are powers of 1024, KB, MB, ... powers of 1000, as GNU sort has it; case does not matter.
// Fractions of a byte are dropped.
// Throws: Error{usage} naming the text when it is none, negative, or beyond 64 bits.
[[nodiscard]] std::int64_t parse_bytes(std::string_view text);

// 1288490188 -> "1.2 GiB", 512 -> "512 B". Requires: bytes >= 0.
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

// 20000000 -> "20.0 M", 950 -> "950"; powers of 1000: k, M, G, T. Requires: count >= 0.
[[nodiscard]] std::string format_count(std::int64_t count);

// 0.0123 -> "12 ms", 12.34 -> "12.3 s", 185 -> "3 min 05 s", 7380 -> "2 h 03 min".
// Requires: seconds >= 0, finite.
[[nodiscard]] std::string format_duration(double seconds);

}  // namespace ziggurat
