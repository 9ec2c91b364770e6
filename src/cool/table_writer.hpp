// Writes whole columns of the small tables (chroms, bins, indexes) as HDF5 chunks of our own
// making: shuffle + deflate outside the library.
// Failures are kept by the output driver; HDF5's own refusals are Error{io}.
// Thread rules: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codec/chunk_encoder.hpp"
#include "h5/chunk_io.hpp"

namespace ziggurat::cool {

class TableWriter {
 public:
  explicit TableWriter(int compression_level)
      : level_(compression_level), encoder_(compression_level) {}

  // A fixed-length column of n elements of an HDF5 type, whose bytes lie in `elements`.
  h5::Dataset write(hid_t group, const std::string& name, const h5::Datatype& type,
                    std::span<const std::byte> elements, std::size_t element_size);

  // The same with the elements made chunk by chunk: produce(first, out) fills `out` with the
  // elements from `first` on. Serves columns that follow from a formula.
  using Producer = std::function<void(std::uint64_t first, std::span<std::byte> out)>;
  h5::Dataset write(hid_t group, const std::string& name, const h5::Datatype& type, std::uint64_t n,
                    std::size_t element_size, const Producer& produce);

  [[nodiscard]] int level() const { return level_; }

 private:
  int level_;
  codec::ChunkEncoder encoder_;
  std::vector<std::byte> buffer_;
};

}  // namespace ziggurat::cool
