// Names and constants of the .cool / .mcool schema, version 3. Stored; do not change.
#pragma once

#include <cstdint>

namespace ziggurat::cool {

inline constexpr const char* kCoolFormat = "HDF5::Cooler";
inline constexpr const char* kMcoolFormat = "HDF5::MCOOL";
inline constexpr const char* kScoolFormat = "HDF5::SCOOL";
inline constexpr std::int64_t kCoolVersion = 3;
inline constexpr std::int64_t kMcoolVersion = 2;
// hictk marks a file with it while it is being written.
inline constexpr std::int64_t kUnfinishedVersion = 255;
inline constexpr const char* kFormatUrl = "https://github.com/open2c/cooler";

inline constexpr const char* kSymmetricUpper = "symmetric-upper";
inline constexpr const char* kSquare = "square";
inline constexpr const char* kBinTypeFixed = "fixed";
inline constexpr const char* kBinTypeVariable = "variable";
inline constexpr const char* kNoBinSize = "null";
inline constexpr const char* kUnknownAssembly = "unknown";
inline constexpr const char* kNoMetadata = "{}";

// Elements in a chunk of every column that we encode: small enough for readers that fetch tiles,
// large enough for the deflate encoder.
inline constexpr std::uint64_t kChunkLength = 16384;

}  // namespace ziggurat::cool
