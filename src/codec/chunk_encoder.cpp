#include "codec/chunk_encoder.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include "base/check.hpp"
#include "codec/shuffle.hpp"

namespace ziggurat::codec {
namespace {

struct FreeCompressor {
  void operator()(libdeflate_compressor* handle) const { libdeflate_free_compressor(handle); }
};

constexpr std::size_t kMaxChunkBytes = std::size_t{1} << 30;

}  // namespace

struct ChunkEncoder::State {
  std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor;
  std::vector<std::byte> planes;
  std::vector<std::byte> stream;
  std::vector<std::uint32_t> ids;
  std::vector<std::byte> elements;

  void size_planes(std::size_t count, std::size_t element_size, std::int64_t chunk_length) {
    const auto length = narrow<std::size_t>(chunk_length);
    if (count > length) {
      fail(ErrorCode::internal, "encoder: {} elements in a chunk of {}", count, length);
    }
    if (length > kMaxChunkBytes / element_size) {
      fail(ErrorCode::internal, "encoder: a chunk of {} elements is too long", length);
    }
    planes.assign(length * element_size, std::byte{0});
  }

  std::span<const std::byte> deflate() {
    stream.resize(libdeflate_zlib_compress_bound(compressor.get(), planes.size()));
    const std::size_t size = libdeflate_zlib_compress(compressor.get(), planes.data(),
                                                      planes.size(), stream.data(), stream.size());
    if (size == 0) fail(ErrorCode::internal, "encoder: libdeflate found no room");
    return std::span<const std::byte>(stream).first(size);
  }
};

ChunkEncoder::ChunkEncoder(int level) : state_(std::make_unique<State>()) {
  if (level < 1 || level > 9) {
    fail(ErrorCode::usage, "compression level must be 1 to 9, not {}", level);
  }
  state_->compressor.reset(libdeflate_alloc_compressor(level));
  if (!state_->compressor) throw std::bad_alloc();
}
ChunkEncoder::~ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder&&) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&&) noexcept = default;

std::span<const std::byte> ChunkEncoder::encode_rows(std::span<const RowRun> runs,
                                                     std::int64_t chunk_length) {
  std::vector<std::uint32_t> rows;
  for (const RowRun& run : runs) rows.insert(rows.end(), run.n, run.row);
  return encode_ids(rows, chunk_length);
}

std::span<const std::byte> ChunkEncoder::encode_ids(std::span<const std::uint32_t> ids,
                                                    std::int64_t chunk_length) {
  state_->size_planes(ids.size(), 8, chunk_length);
  state_->ids.assign(ids.begin(), ids.end());
  state_->ids.resize(narrow<std::size_t>(chunk_length));
  shuffle_u32_as_i64(state_->ids, state_->planes);
  return state_->deflate();
}

std::span<const std::byte> ChunkEncoder::encode_elements(std::span<const std::byte> elements,
                                                         std::size_t element_size,
                                                         std::int64_t chunk_length) {
  if (element_size == 0 || elements.size() % element_size != 0) {
    fail(ErrorCode::internal, "encoder: {} bytes are no whole elements of {}", elements.size(),
         element_size);
  }
  state_->size_planes(elements.size() / element_size, element_size, chunk_length);
  state_->elements.assign(elements.begin(), elements.end());
  state_->elements.resize(state_->planes.size());
  codec::shuffle(state_->elements, state_->planes, element_size);
  return state_->deflate();
}

}  // namespace ziggurat::codec
