// Sequential reading of one pixel column by a reader process.
//
// Chunks with the usual filters are fetched as they are stored, inflated and unshuffled here,
// straight into 32-bit columns; that costs a fraction of HDF5's own pipeline. Anything else (other
// filters, layouts, byte orders, enumerations) goes through HDF5: slower, same values. A chunk that
// does not decode to exactly its elements is refused: HDF5 would take it. Thread rules: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codec/inflate.hpp"
#include "h5/chunk_io.hpp"
#include "h5/object.hpp"
#include "pixels/column.hpp"

namespace ziggurat::cool {

// A chunk as it is stored, lent to the observer for the duration of the call.
struct StoredChunk {
  std::uint64_t index = 0;
  h5::FilterMask mask = 0;
  std::span<const std::byte> bytes;
};

class ColumnReader {
 public:
  // `n_pixels`: rows that count; the dataset may be longer.
  ColumnReader(h5::Column column, std::uint64_t n_pixels);

  // Called for every chunk that is fetched from now on, before it is decoded, when chunks can be
  // fetched as they are; chunks that were never stored are not reported.
  using ChunkObserver = std::function<void(const StoredChunk&)>;
  void observe_chunks(ChunkObserver observer) { observer_ = std::move(observer); }

  // Bin ids of pixels [first, first + out.size()). Throws Error{format} naming the pixel whose id
  // is negative or 2^32 or more.
  void read_ids(std::uint64_t first, std::span<std::uint32_t> out);

  // Appends the values of pixels [first, first + n) to `out`, which is of the column's kind.
  void read_values(std::uint64_t first, std::size_t n, pixels::Column& out);

  // Values of a column of type int32, as they are.
  void read_int32(std::uint64_t first, std::span<std::int32_t> out);

  // True when read_int32 may be called.
  [[nodiscard]] bool is_int32() const;

  // Fetches the chunks that begin in [first, end), for the observer. They are decoded for their
  // checksums alone: what was right when it was read before need not be so now.
  void pass_chunks(std::uint64_t first, std::uint64_t end);

  [[nodiscard]] const std::string& label() const { return column_.label; }
  // Elements in a stored chunk; 0 when the column is not chunked.
  [[nodiscard]] std::uint64_t chunk_length() const { return column_.storage.chunk_length; }
  [[nodiscard]] NumberType type() const { return *column_.number; }

 private:
  // Calls visit(elements, plane_form, at) for the parts of chunks that make up [first, first + n).
  template <typename Visit>
  void for_each_part(std::uint64_t first, std::size_t n, Visit visit);
  void load_chunk(std::uint64_t index);
  bool fetch(std::uint64_t index);
  void inflate_fetched();
  void decode_fetched(std::uint64_t index);
  [[noreturn]] void refuse_id(std::uint64_t first, std::size_t n);
  void read_values_slowly(std::uint64_t first, std::size_t n, pixels::Column& out);

  h5::Column column_;
  std::uint64_t n_pixels_;
  std::size_t element_size_;
  bool direct_;          // chunks are decoded here
  int shuffle_at_ = -1;  // position of the filter in the pipeline, -1: not there
  int deflate_at_ = -1;
  ChunkObserver observer_;
  codec::Inflater inflater_;

  std::uint64_t loaded_ = ~std::uint64_t{0};  // index of the chunk in elements_
  bool loaded_shuffled_ = false;              // its elements are still in planes
  std::vector<std::byte> stored_;
  h5::FilterMask stored_mask_ = 0;
  std::vector<std::byte> elements_;
  std::vector<std::byte> scratch_;
};

}  // namespace ziggurat::cool
