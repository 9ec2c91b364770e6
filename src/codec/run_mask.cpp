#include "codec/run_mask.hpp"

#include "codec/plane_kernels.hpp"

namespace ziggurat::codec {

void RunMask::scan(std::span<const std::byte> plane) {
  size_ = plane.size();
  const std::size_t words = size_ / 64 + 1;
  if (words_.size() < words + 1) words_.resize(words + 1);
  mark_repeats(best_isa(), plane.data(), size_, words_.data());
  words_[words - 1] &= (std::uint64_t{1} << (size_ % 64)) - 1;
  words_[words] = 0;
  breaks_ = size_ - count_bits(best_isa(), words_.data(), words);
}

}  // namespace ziggurat::codec
