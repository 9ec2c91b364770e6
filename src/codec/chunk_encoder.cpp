// From elements to planes, and to the encoder for the level: our own up to kMaxOwnLevel, libdeflate
// above. Row ids always take our own, since runs are all they consist of and a match finder gains
// nothing. ISA-L, the fastest general encoder, is not among them: the bytes of its level 1 depend
// on the processor (seen with and without SSE 4.2), and the same job must give the same file
// anywhere.
#include "codec/chunk_encoder.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "base/check.hpp"
#include "codec/plane_encoder.hpp"
#include "codec/plane_kernels.hpp"
#include "codec/shuffle.hpp"

namespace ziggurat::codec {
namespace {

constexpr int kMaxFastLevel = 3;
constexpr int kMaxMediumLevel = 6;
constexpr int kMaxOwnLevel = 7;
constexpr std::size_t kIdBytes = 8;
constexpr std::size_t kIdPlanes = 4;      // those of a 32-bit id that may differ from zero
constexpr std::size_t kRepeatPlanes = 2;  // those of a column id that change within a row
constexpr std::size_t kMaxChunkBytes = (std::size_t{1} << 30) - 1;

struct FreeCompressor {
  void operator()(libdeflate_compressor* handle) const { libdeflate_free_compressor(handle); }
};

std::byte byte_of(std::uint32_t value, std::size_t k) {
  return static_cast<std::byte>(value >> (8 * k) & 0xFF);
}

std::size_t checked_length(std::uint64_t elements, std::size_t element_size,
                           std::int64_t chunk_length) {
  const auto length = narrow<std::size_t>(chunk_length);
  if (elements > length) {
    fail(ErrorCode::internal, "encoder: {} elements for a chunk of {}", elements, length);
  }
  if (length > kMaxChunkBytes / element_size) {
    fail(ErrorCode::internal, "encoder: a chunk of {} elements of {} bytes is too long", length,
         element_size);
  }
  return length;
}

// Writes byte k of every row of the runs.
void fill_plane(std::span<const RowRun> runs, std::size_t k, std::byte* to) {
  for (const RowRun& run : runs) {
    std::memset(to, std::to_integer<int>(byte_of(run.row, k)), run.n);
    to += run.n;
  }
}

// The same plane as stretches of one value.
void add_stretches(std::span<const RowRun> runs, std::size_t k, PlaneEncoder& encoder) {
  std::byte value{0};
  std::size_t n = 0;
  for (const RowRun& run : runs) {
    if (byte_of(run.row, k) != value) {
      encoder.add_constant(value, n);
      value = byte_of(run.row, k);
      n = 0;
    }
    n += run.n;
  }
  encoder.add_constant(value, n);
}

}  // namespace

struct ChunkEncoder::State {
  int level;
  PlaneEncoder encoder;
  std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor;
  std::vector<std::byte> planes;
  std::vector<std::byte> elements;
  std::vector<std::byte> stream;

  [[nodiscard]] bool own() const { return level <= kMaxOwnLevel; }
  [[nodiscard]] Repeats repeats() const {
    return level <= kMaxFastLevel     ? Repeats::when_an_eighth_smaller
           : level <= kMaxMediumLevel ? Repeats::when_a_sixteenth_smaller
                                      : Repeats::when_smaller;
  }

  std::byte* room(std::size_t bytes) {
    if (planes.size() < bytes + kPlaneSlack) planes.resize(bytes + kPlaneSlack);
    return planes.data();
  }

  // Shuffles the elements into planes of `length` bytes, zeros at their ends. Returns a bit for
  // each of the first 32 bits that may be set in an element.
  std::uint32_t split(std::span<const std::byte> given, std::size_t element_size,
                      std::size_t length) {
    const std::size_t n = given.size() / element_size;
    std::byte* to = room(length * element_size);
    if (element_size == 4) {
      const std::uint32_t seen = split_planes(best_isa(), given.data(), n, to, length);
      for (std::size_t k = 0; k < 4; ++k) std::memset(to + k * length + n, 0, length - n);
      return seen;
    }
    elements.assign(given.begin(), given.end());
    elements.resize(length * element_size);
    codec::shuffle(elements, std::span(to, length * element_size), element_size);
    return 0xFFFFFFFF;
  }

  // Plane k of those that split() made, without a look at it when all of it is known to be zero.
  void add_plane(std::size_t k, std::size_t length, std::uint32_t seen, Repeats how) {
    if (k < sizeof seen && byte_of(seen, k) == std::byte{0}) {
      encoder.add_constant(std::byte{0}, length);
    } else {
      encoder.add_plane({planes.data() + k * length, length}, how);
    }
  }

  std::span<const std::byte> deflate_planes(std::size_t bytes) {
    stream.resize(libdeflate_zlib_compress_bound(compressor.get(), bytes));
    const std::size_t size = libdeflate_zlib_compress(compressor.get(), planes.data(), bytes,
                                                      stream.data(), stream.size());
    if (size == 0) fail(ErrorCode::internal, "encoder: libdeflate found no room");
    return std::span<const std::byte>(stream).first(size);
  }
};

ChunkEncoder::ChunkEncoder(int level) : state_(std::make_unique<State>()) {
  if (level < 1 || level > 9) {
    fail(ErrorCode::usage, "compression level must be 1 to 9, not {}", level);
  }
  state_->level = level;
  if (state_->own()) return;
  state_->compressor.reset(libdeflate_alloc_compressor(level));
  if (!state_->compressor) throw std::bad_alloc();
}
ChunkEncoder::~ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder&&) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&&) noexcept = default;

// A plane in which all rows, and the zeros after them, agree is not looked at; one that changes
// rarely goes from runs to tokens without ever being there.
std::span<const std::byte> ChunkEncoder::encode_rows(std::span<const RowRun> runs,
                                                     std::int64_t chunk_length) {
  std::uint64_t n = 0;
  for (const RowRun& run : runs) n += run.n;
  const std::size_t length = checked_length(n, kIdBytes, chunk_length);
  const std::uint32_t first = n == length && n > 0 ? runs.front().row : 0;
  std::uint32_t differing = 0;
  for (const RowRun& run : runs) differing |= run.row ^ first;
  const bool quiet = PlaneEncoder::is_quiet(runs.size() + 1, length);

  PlaneEncoder& encoder = state_->encoder;
  encoder.begin();
  for (std::size_t k = 0; k < kIdPlanes; ++k) {
    if (byte_of(differing, k) == std::byte{0}) {
      encoder.add_constant(byte_of(first, k), length);
    } else if (quiet) {
      add_stretches(runs, k, encoder);
      encoder.add_constant(std::byte{0}, length - n);
    } else {
      std::byte* plane = state_->room(length);
      fill_plane(runs, k, plane);
      std::memset(plane + n, 0, length - n);
      encoder.add_plane({plane, length}, state_->repeats());
    }
  }
  encoder.add_constant(std::byte{0}, (kIdBytes - kIdPlanes) * length);
  return encoder.finish();
}

std::span<const std::byte> ChunkEncoder::encode_ids(std::span<const std::uint32_t> ids,
                                                    std::int64_t chunk_length) {
  const std::size_t length = checked_length(ids.size(), kIdBytes, chunk_length);
  if (!state_->own()) state_->room(kIdBytes * length);
  const std::uint32_t seen = state_->split(std::as_bytes(ids), sizeof(std::uint32_t), length);
  std::byte* planes = state_->planes.data();
  if (!state_->own()) {
    std::memset(planes + kIdPlanes * length, 0, (kIdBytes - kIdPlanes) * length);
    return state_->deflate_planes(kIdBytes * length);
  }
  PlaneEncoder& encoder = state_->encoder;
  encoder.begin();
  for (std::size_t k = 0; k < kIdPlanes; ++k) {
    const bool always = k < kRepeatPlanes && state_->level > kMaxMediumLevel;
    state_->add_plane(k, length, seen, always ? Repeats::always : state_->repeats());
  }
  encoder.add_constant(std::byte{0}, (kIdBytes - kIdPlanes) * length);
  return encoder.finish();
}

std::span<const std::byte> ChunkEncoder::encode_elements(std::span<const std::byte> elements,
                                                         std::size_t element_size,
                                                         std::int64_t chunk_length) {
  if (element_size == 0 || elements.size() % element_size != 0) {
    fail(ErrorCode::internal, "encoder: {} bytes are no whole elements of {}", elements.size(),
         element_size);
  }
  const std::size_t length =
      checked_length(elements.size() / element_size, element_size, chunk_length);
  const std::uint32_t seen = state_->split(elements, element_size, length);
  if (!state_->own()) return state_->deflate_planes(element_size * length);
  PlaneEncoder& encoder = state_->encoder;
  encoder.begin();
  for (std::size_t k = 0; k < element_size; ++k) {
    state_->add_plane(k, length, seen, state_->repeats());
  }
  return encoder.finish();
}

}  // namespace ziggurat::codec
