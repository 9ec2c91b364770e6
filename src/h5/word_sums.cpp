#include "h5/word_sums.hpp"

#include <cstring>

namespace ziggurat::h5 {
namespace {

[[gnu::always_inline]] inline WordSums sum_in_order(std::span<const std::byte> bytes) {
  const std::byte* const data = bytes.data();
  const auto n = static_cast<std::uint32_t>(bytes.size() / kWordBytes);
  WordSums sums;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, data + std::size_t{i} * kWordBytes, kWordBytes);
    sums.words += word;
    sums.placed += std::uint64_t{word} * i;
  }
  return sums;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) WordSums sum_words_avx2(std::span<const std::byte> bytes) {
  return sum_in_order(bytes);
}
#endif

}  // namespace

WordSums sum_words([[maybe_unused]] Isa isa, std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  if (isa == Isa::avx2) return sum_words_avx2(bytes);
#endif
  return sum_in_order(bytes);
}

}  // namespace ziggurat::h5
