// Every element size rests on the 4-byte kernels where speed matters: 4 bytes directly; 8 bytes as
// two 4-byte halves, a cache-resident block at a time. Other sizes are rare and take a byte loop.
#include "codec/shuffle.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/check.hpp"
#include "codec/plane_kernels.hpp"

namespace ziggurat::codec {
namespace {

static_assert(std::endian::native == std::endian::little, "planes are cut from memory as it is");

constexpr std::size_t kHalfBlock = 1024;
using Half = std::array<std::uint32_t, kHalfBlock>;

void require_size(std::size_t got, std::size_t wanted) {
  if (got != wanted) fail(ErrorCode::internal, "shuffle: {} bytes where {} fit", got, wanted);
}

std::byte* bytes_of(std::uint32_t* values) {
  return std::as_writable_bytes(std::span(values, 1)).data();
}

const std::byte* bytes_of(const std::uint32_t* values) {
  return std::as_bytes(std::span(values, 1)).data();
}

void shuffle8(const std::byte* in, std::size_t n, std::byte* out) {
  Half low;
  Half high;
  for (std::size_t first = 0; first < n; first += kHalfBlock) {
    const std::size_t count = std::min(kHalfBlock, n - first);
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(&low[i], in + 8 * (first + i), 4);
      std::memcpy(&high[i], in + 8 * (first + i) + 4, 4);
    }
    split_planes(best_isa(), bytes_of(low.data()), count, out + first, n);
    split_planes(best_isa(), bytes_of(high.data()), count, out + 4 * n + first, n);
  }
}

void unshuffle8(const std::byte* in, std::size_t n, std::byte* out) {
  Half low;
  Half high;
  for (std::size_t first = 0; first < n; first += kHalfBlock) {
    const std::size_t count = std::min(kHalfBlock, n - first);
    join_planes(best_isa(), in + first, n, count, bytes_of(low.data()));
    join_planes(best_isa(), in + 4 * n + first, n, count, bytes_of(high.data()));
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(out + 8 * (first + i), &low[i], 4);
      std::memcpy(out + 8 * (first + i) + 4, &high[i], 4);
    }
  }
}

// Whole words first: the upper planes of a chunk are some 64 KiB of zeros.
bool all_zero(std::span<const std::byte> bytes) {
  std::uint64_t seen = 0;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    seen |= word;
  }
  for (; i < bytes.size(); ++i) seen |= std::to_integer<std::uint64_t>(bytes[i]);
  return seen == 0;
}

}  // namespace

void shuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t element_size) {
  require_size(out.size(), in.size());
  const std::size_t n = in.size() / element_size;
  if (element_size == 4) {
    split_planes(best_isa(), in.data(), n, out.data(), n);
  } else if (element_size == 8) {
    shuffle8(in.data(), n, out.data());
  } else {
    for (std::size_t k = 0; k < element_size; ++k) {
      for (std::size_t i = 0; i < n; ++i) out[k * n + i] = in[i * element_size + k];
    }
  }
  std::ranges::copy(in.subspan(n * element_size),
                    out.begin() + static_cast<std::ptrdiff_t>(n * element_size));
}

void unshuffle(std::span<const std::byte> in, std::span<std::byte> out, std::size_t element_size) {
  require_size(out.size(), in.size());
  const std::size_t n = in.size() / element_size;
  if (element_size == 4) {
    join_planes(best_isa(), in.data(), n, n, out.data());
  } else if (element_size == 8) {
    unshuffle8(in.data(), n, out.data());
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < element_size; ++k) out[i * element_size + k] = in[k * n + i];
    }
  }
  std::ranges::copy(in.subspan(n * element_size),
                    out.begin() + static_cast<std::ptrdiff_t>(n * element_size));
}

bool unshuffle_to_u32(std::span<const std::byte> in, std::size_t element_size,
                      std::span<std::uint32_t> out) {
  if (element_size != 4 && element_size != 8) {
    fail(ErrorCode::internal, "shuffle: no integer of {} bytes", element_size);
  }
  const std::size_t n = out.size();
  require_size(in.size(), n * element_size);
  join_planes(best_isa(), in.data(), n, n, bytes_of(out.data()));
  return all_zero(in.subspan(4 * n));
}

bool narrow_to_u32(std::span<const std::byte> le_int64, std::span<std::uint32_t> out) {
  require_size(le_int64.size(), out.size() * 8);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint64_t value;
    std::memcpy(&value, le_int64.data() + 8 * i, 8);
    seen |= value;
    out[i] = static_cast<std::uint32_t>(value);
  }
  return (seen >> 32) == 0;
}

void shuffle_u32_as_i64(std::span<const std::uint32_t> values, std::span<std::byte> out) {
  require_size(out.size(), values.size() * 8);
  shuffle_u32(values, out.first(values.size() * 4));
  std::ranges::fill(out.subspan(values.size() * 4), std::byte{0});
}

void shuffle_u32(std::span<const std::uint32_t> values, std::span<std::byte> out) {
  require_size(out.size(), values.size() * 4);
  split_planes(best_isa(), bytes_of(values.data()), values.size(), out.data(), values.size());
}

}  // namespace ziggurat::codec
