// Transposing a 4-byte table, and comparing a plane with itself. A transpose of 32 elements is
// eight 32-byte loads or stores and a dozen register shuffles in AVX2, 0.1 ns an element against 1
// to 3 for the byte loop, which is bound by one load and one store a byte. The compiler does not
// find it by itself, hence the intrinsics; they are compiled by function attribute and chosen at
// run time, so that one build runs everywhere. Both forms do the same thing to the last byte: tails
// go through the byte loop.
#include "codec/plane_kernels.hpp"

#include <array>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ziggurat::codec {
namespace {

std::uint32_t split_bytes(const std::byte* elements, std::size_t first, std::size_t n,
                          std::byte* planes, std::size_t stride) {
  std::uint32_t seen = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    std::byte seen_in_plane{0};
    for (std::size_t i = first; i < n; ++i) {
      planes[k * stride + i] = elements[4 * i + k];
      seen_in_plane |= elements[4 * i + k];
    }
    seen |= std::to_integer<std::uint32_t>(seen_in_plane) << (8 * k);
  }
  return seen;
}

void join_bytes(const std::byte* planes, std::size_t stride, std::size_t first, std::size_t n,
                std::byte* elements) {
  for (std::size_t i = first; i < n; ++i) {
    for (std::size_t k = 0; k < 4; ++k) elements[4 * i + k] = planes[k * stride + i];
  }
}

#if defined(__x86_64__)

constexpr std::size_t kBlock = 32;

__attribute__((target("avx2"))) inline __m256i load(const std::byte* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

__attribute__((target("avx2"))) inline void store(std::byte* to, __m256i value) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
}

// Gathers the bytes of 8 elements by plane: after it, 64-bit word k holds plane k.
__attribute__((target("avx2"))) inline __m256i group_by_plane(__m256i eight) {
  const __m256i in_lane = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15,  //
                                           0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m256i join_lanes = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  return _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(eight, in_lane), join_lanes);
}

// How many elements were split, and all of them or-ed.
struct Split {
  std::size_t n;
  std::uint32_t seen;
};

__attribute__((target("avx2"))) Split split_avx2(const std::byte* elements, std::size_t n,
                                                 std::byte* planes, std::size_t stride) {
  __m256i seen = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    const std::byte* from = elements + 4 * i;
    const __m256i a = group_by_plane(load(from));
    const __m256i b = group_by_plane(load(from + 32));
    const __m256i c = group_by_plane(load(from + 64));
    const __m256i d = group_by_plane(load(from + 96));
    const __m256i ab02 = _mm256_unpacklo_epi64(a, b);
    const __m256i ab13 = _mm256_unpackhi_epi64(a, b);
    const __m256i cd02 = _mm256_unpacklo_epi64(c, d);
    const __m256i cd13 = _mm256_unpackhi_epi64(c, d);
    seen = _mm256_or_si256(seen, _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)));
    store(planes + i, _mm256_permute2x128_si256(ab02, cd02, 0x20));
    store(planes + stride + i, _mm256_permute2x128_si256(ab13, cd13, 0x20));
    store(planes + 2 * stride + i, _mm256_permute2x128_si256(ab02, cd02, 0x31));
    store(planes + 3 * stride + i, _mm256_permute2x128_si256(ab13, cd13, 0x31));
  }
  std::array<std::byte, 32> bytes_seen;  // 8 of each plane
  store(bytes_seen.data(), seen);
  std::uint32_t joined = 0;
  for (std::size_t k = 0; k < 32; ++k) {
    joined |= std::to_integer<std::uint32_t>(bytes_seen[k]) << (k / 8 * 8);
  }
  return {i, joined};
}

__attribute__((target("avx2"))) std::size_t join_avx2(const std::byte* planes, std::size_t stride,
                                                      std::size_t n, std::byte* elements) {
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    const __m256i p0 = load(planes + i);
    const __m256i p1 = load(planes + stride + i);
    const __m256i p2 = load(planes + 2 * stride + i);
    const __m256i p3 = load(planes + 3 * stride + i);
    const __m256i lo01 = _mm256_unpacklo_epi8(p0, p1);
    const __m256i hi01 = _mm256_unpackhi_epi8(p0, p1);
    const __m256i lo23 = _mm256_unpacklo_epi8(p2, p3);
    const __m256i hi23 = _mm256_unpackhi_epi8(p2, p3);
    const __m256i q0 = _mm256_unpacklo_epi16(lo01, lo23);
    const __m256i q1 = _mm256_unpackhi_epi16(lo01, lo23);
    const __m256i q2 = _mm256_unpacklo_epi16(hi01, hi23);
    const __m256i q3 = _mm256_unpackhi_epi16(hi01, hi23);
    std::byte* to = elements + 4 * i;
    store(to, _mm256_permute2x128_si256(q0, q1, 0x20));
    store(to + 32, _mm256_permute2x128_si256(q2, q3, 0x20));
    store(to + 64, _mm256_permute2x128_si256(q0, q1, 0x31));
    store(to + 96, _mm256_permute2x128_si256(q2, q3, 0x31));
  }
  return i;
}

__attribute__((target("avx2"))) void mark_repeats_avx2(const std::byte* plane, std::size_t n,
                                                       std::uint64_t* words) {
  const auto equal = [plane](std::size_t at) __attribute__((target("avx2"))) {
    const __m256i same = _mm256_cmpeq_epi8(load(plane + at), load(plane + at - 1));
    return std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(same))};
  };
  for (std::size_t w = 1; w <= n / 64; ++w) words[w] = equal(64 * w) | equal(64 * w + 32) << 32;
}

__attribute__((target("popcnt"))) std::size_t count_bits_popcnt(const std::uint64_t* words,
                                                                std::size_t n) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < n; ++w) {
    count += static_cast<std::size_t>(__builtin_popcountll(words[w]));
  }
  return count;
}

#endif

// Bit i: p[i] == p[i - 1], i < 64.
std::uint64_t equal_to_previous(const std::byte* p) {
  std::uint64_t mask = 0;
  for (unsigned i = 0; i < 64; ++i) mask |= std::uint64_t{p[i] == *(p + i - 1)} << i;
  return mask;
}

}  // namespace

std::uint32_t split_planes([[maybe_unused]] Isa isa, const std::byte* elements, std::size_t n,
                           std::byte* planes, std::size_t stride) {
  std::size_t done = 0;
  std::uint32_t seen = 0;
#if defined(__x86_64__)
  if (isa == Isa::avx2) {
    const Split split = split_avx2(elements, n, planes, stride);
    done = split.n;
    seen = split.seen;
  }
#endif
  return seen | split_bytes(elements, done, n, planes, stride);
}

void join_planes([[maybe_unused]] Isa isa, const std::byte* planes, std::size_t stride,
                 std::size_t n, std::byte* elements) {
  std::size_t done = 0;
#if defined(__x86_64__)
  if (isa == Isa::avx2) done = join_avx2(planes, stride, n, elements);
#endif
  join_bytes(planes, stride, done, n, elements);
}

void mark_repeats([[maybe_unused]] Isa isa, const std::byte* plane, std::size_t n,
                  std::uint64_t* words) {
  words[0] = equal_to_previous(plane + 1) << 1;  // nothing is before the first byte
#if defined(__x86_64__)
  if (isa == Isa::avx2) return mark_repeats_avx2(plane, n, words);
#endif
  for (std::size_t w = 1; w <= n / 64; ++w) words[w] = equal_to_previous(plane + 64 * w);
}

std::size_t count_bits([[maybe_unused]] Isa isa, const std::uint64_t* words, std::size_t n) {
#if defined(__x86_64__)
  if (isa == Isa::avx2) return count_bits_popcnt(words, n);
#endif
  std::size_t count = 0;
  for (std::size_t w = 0; w < n; ++w) count += static_cast<std::size_t>(std::popcount(words[w]));
  return count;
}

}  // namespace ziggurat::codec
