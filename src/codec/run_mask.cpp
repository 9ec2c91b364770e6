#include "codec/run_mask.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ziggurat::codec {
namespace {

// Bit i: p[i] == p[i - 1], i < 64.
std::uint64_t equal_to_previous(const std::byte* p) {
  std::uint64_t mask = 0;
#if defined(__SSE2__)
  for (unsigned k = 0; k < 4; ++k) {
    const __m128i here = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * k));
    const __m128i before = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * k - 1));
    const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(here, before));
    mask |= std::uint64_t{static_cast<unsigned>(equal)} << (16 * k);
  }
#else
  for (unsigned i = 0; i < 64; ++i) mask |= std::uint64_t{p[i] == *(p + i - 1)} << i;
#endif
  return mask;
}

}  // namespace

void RunMask::scan(std::span<const std::byte> plane) {
  size_ = plane.size();
  const std::size_t words = size_ / 64 + 1;
  if (words_.size() < words + 1) words_.resize(words + 1);
  words_[words] = 0;
  words_[0] = equal_to_previous(plane.data() + 1) << 1;  // nothing is before the first byte
  for (std::size_t w = 1; w < words; ++w) words_[w] = equal_to_previous(plane.data() + 64 * w);
  words_[words - 1] &= (std::uint64_t{1} << (size_ % 64)) - 1;
  std::size_t equal = 0;
  for (std::size_t w = 0; w < words; ++w)
    equal += static_cast<std::size_t>(std::popcount(words_[w]));
  breaks_ = size_ - equal;
}

}  // namespace ziggurat::codec
