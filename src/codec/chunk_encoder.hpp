// Compression of one chunk of a pixel column: the bytes HDF5 stores for a chunk whose filters are
// shuffle, then deflate (a zlib stream, RFC 1950).
//
// Not promised: the compressed bytes themselves. They inflate to the same elements always, and one
// build makes the same bytes on every processor and in every thread, but another version, another
// level or another set of libraries at build time may make others. Compare elements, not chunks.
//
// Thread rules: one ChunkEncoder per thread; it keeps its scratch between calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/row_run.hpp"

namespace ziggurat::codec {

// No larger than zlib level 6 in files made by cooler, whose chunks of some 3,000 elements tell the
// encoder less than ours of 16 Ki, at the best speed for that.
inline constexpr int kDefaultLevel = 6;

class ChunkEncoder {
 public:
  // level: 1 (fastest) to 9 (smallest), in zlib's sense. 1 to 3 are the same, and so are 4 to 6;
  // they look for repeats only where a sample says that those save an eighth, or a sixteenth. 7
  // looks everywhere: up to a quarter more time for 3 % fewer bytes. 8 and 9 are those of
  // libdeflate: 15 to 20 times as much for 3 % fewer again. Throws Error{usage} for any other.
  explicit ChunkEncoder(int level = kDefaultLevel);
  ~ChunkEncoder();
  ChunkEncoder(ChunkEncoder&&) noexcept;
  ChunkEncoder& operator=(ChunkEncoder&&) noexcept;
  ChunkEncoder(const ChunkEncoder&) = delete;
  ChunkEncoder& operator=(const ChunkEncoder&) = delete;

  // Each call encodes one chunk of chunk_length elements: those given, then zeros. None at all is
  // legal. The span returned is valid until the next call.
  // Throws Error{internal} when there are more elements than chunk_length, or when the elements of
  // a chunk take 1 GiB or more.

  // bin1_id as int64, from the runs: runs[0].n elements of value runs[0].row, and so on.
  [[nodiscard]] std::span<const std::byte> encode_rows(std::span<const RowRun> runs,
                                                       std::int64_t chunk_length);

  // bin2_id as int64.
  [[nodiscard]] std::span<const std::byte> encode_ids(std::span<const std::uint32_t> ids,
                                                      std::int64_t chunk_length);

  // Counts and columns of any other fixed-size little-endian type; elements.size() is a multiple
  // of element_size.
  [[nodiscard]] std::span<const std::byte> encode_elements(std::span<const std::byte> elements,
                                                           std::size_t element_size,
                                                           std::int64_t chunk_length);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ziggurat::codec
