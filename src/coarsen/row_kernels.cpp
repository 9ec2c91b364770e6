// Where pixels lie is what a processor cannot predict, and a wrong guess costs as much as twenty
// instructions. So the AVX2 forms write a fixed number of results, right or not, and then step on
// by as many as were right: the next ones overwrite the rest.
#include "coarsen/row_kernels.hpp"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ziggurat::coarsen {

namespace {

// A bit for each of the 64 marks.
std::uint64_t to_bits(const std::uint8_t* marks) {
  std::uint64_t bits = 0;
  for (unsigned byte = 0; byte < kGroup / 8; ++byte) {
    std::uint64_t eight;
    std::memcpy(&eight, marks + 8 * byte, 8);
    // The products of the low bits of eight marks meet in the top byte without a carry.
    bits |= ((eight & 0x0101010101010101U) * 0x0102040810204080U >> 56) << (8 * byte);
  }
  return bits;
}

std::size_t take_marks_portable(std::uint8_t* marks, std::span<const std::uint32_t> groups,
                                std::uint32_t* found) {
  std::size_t n = 0;
  for (const std::uint32_t group : groups) {
    std::uint8_t* const own = marks + kGroup * group;
    for (std::uint64_t bits = to_bits(own); bits != 0; bits &= bits - 1) {
      found[n++] = static_cast<std::uint32_t>(kGroup) * group +
                   static_cast<std::uint32_t>(std::countr_zero(bits));
    }
    std::memset(own, 0, kGroup);
  }
  return n;
}

std::size_t take_cells_portable(std::uint32_t* cells, std::span<const std::uint32_t> lines,
                                std::uint32_t* places, std::int32_t* values) {
  std::size_t n = 0;
  for (const std::uint32_t line : lines) {
    const std::uint32_t first = line * static_cast<std::uint32_t>(kLine);
    for (std::uint32_t place = first; place < first + kLine; ++place) {
      places[n] = place;
      values[n] = static_cast<std::int32_t>(cells[place]);
      n += cells[place] != 0 ? 1 : 0;
      cells[place] = 0;
    }
  }
  return n;
}

#if defined(__x86_64__)

#define ZIGGURAT_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

ZIGGURAT_AVX2 inline std::uint64_t take_bits(std::uint8_t* marks) {
  auto* const halves = reinterpret_cast<__m256i*>(marks);
  const auto low = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_loadu_si256(halves)));
  const auto high =
      static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_loadu_si256(halves + 1)));
  _mm256_storeu_si256(halves, _mm256_setzero_si256());
  _mm256_storeu_si256(halves + 1, _mm256_setzero_si256());
  return low | std::uint64_t{high} << 32;
}

// Few groups have more than four marks, so the inner loop's end is guessed right.
ZIGGURAT_AVX2 std::size_t take_marks_avx2(std::uint8_t* marks,
                                          std::span<const std::uint32_t> groups,
                                          std::uint32_t* found) {
  constexpr std::size_t kAtOnce = 4;
  std::size_t n = 0;
  for (const std::uint32_t group : groups) {
    const std::uint32_t first = static_cast<std::uint32_t>(kGroup) * group;
    std::uint64_t bits = take_bits(marks + first);
    const auto members = static_cast<std::size_t>(_mm_popcnt_u64(bits));
    std::uint32_t* out = found + n;
    do {
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        out[i] = first + static_cast<std::uint32_t>(_tzcnt_u64(bits));
        bits = _blsr_u64(bits);
      }
      out += kAtOnce;
    } while (bits != 0);
    n += members;
  }
  return n;
}

// For every set of eight lanes their numbers in ascending order, then anything.
constexpr auto kPackings = [] {
  std::array<std::array<std::uint8_t, 8>, 256> packings{};
  for (unsigned set = 0; set < packings.size(); ++set) {
    std::size_t n = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1U) != 0) packings[set][n++] = static_cast<std::uint8_t>(lane);
    }
  }
  return packings;
}();

ZIGGURAT_AVX2 inline std::size_t take_eight(std::uint32_t* cells, std::uint32_t first,
                                            std::uint32_t* places, std::int32_t* values) {
  auto* const eight = reinterpret_cast<__m256i*>(cells + first);
  const __m256i sums = _mm256_loadu_si256(eight);
  const __m256i is_zero = _mm256_cmpeq_epi32(sums, _mm256_setzero_si256());
  const auto set = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(is_zero))) ^ 0xffU;
  const __m256i packing = _mm256_cvtepu8_epi32(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(kPackings[set].data())));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(places),
                      _mm256_add_epi32(packing, _mm256_set1_epi32(static_cast<int>(first))));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(values),
                      _mm256_permutevar8x32_epi32(sums, packing));
  _mm256_storeu_si256(eight, _mm256_setzero_si256());
  return static_cast<std::size_t>(_mm_popcnt_u32(set));
}

ZIGGURAT_AVX2 std::size_t take_cells_avx2(std::uint32_t* cells,
                                          std::span<const std::uint32_t> lines,
                                          std::uint32_t* places, std::int32_t* values) {
  static_assert(kLine == 16 && kSlack >= 8);
  std::size_t n = 0;
  for (const std::uint32_t line : lines) {
    const std::uint32_t first = line * static_cast<std::uint32_t>(kLine);
    n += take_eight(cells, first, places + n, values + n);
    n += take_eight(cells, first + 8, places + n, values + n);
  }
  return n;
}

#endif

}  // namespace

std::size_t take_marks([[maybe_unused]] Isa isa, std::uint8_t* marks,
                       std::span<const std::uint32_t> groups, std::uint32_t* found) {
#if defined(__x86_64__)
  if (isa == Isa::avx2) return take_marks_avx2(marks, groups, found);
#endif
  return take_marks_portable(marks, groups, found);
}

std::size_t take_cells([[maybe_unused]] Isa isa, std::uint32_t* cells,
                       std::span<const std::uint32_t> lines, std::uint32_t* places,
                       std::int32_t* values) {
#if defined(__x86_64__)
  if (isa == Isa::avx2) return take_cells_avx2(cells, lines, places, values);
#endif
  return take_cells_portable(cells, lines, places, values);
}

}  // namespace ziggurat::coarsen
