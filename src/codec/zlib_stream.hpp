// A zlib stream (RFC 1950) of some bytes, for formats of others: PNG.
// Thread rules: a free function of its arguments.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ziggurat::codec {

// `level`: 1 (fastest) to 12 (smallest), in libdeflate's sense.
[[nodiscard]] std::vector<std::byte> zlib_stream(std::span<const std::byte> data, int level);

}  // namespace ziggurat::codec
