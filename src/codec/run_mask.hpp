// Where in a plane a byte equals the byte before it, one bit a byte. Internal to codec.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ziggurat::codec {

class RunMask {
 public:
  // Bit i of the mask: plane[i] == plane[i - 1]; bit 0 is clear. plane must be readable for
  // kPlaneSlack bytes past its end.
  void scan(std::span<const std::byte> plane);

  [[nodiscard]] std::size_t size() const { return size_; }
  // How many bytes differ from the one before; the first counts.
  [[nodiscard]] std::size_t breaks() const { return breaks_; }

  // Whether the byte at `at` equals the one before.
  [[nodiscard]] bool repeats(std::size_t at) const { return words_[at / 64] >> (at % 64) & 1; }

  // The end of the run that holds `at`: the first clear bit at or after it, or size().
  [[nodiscard]] std::size_t run_end(std::size_t at) const {
    std::size_t word = at / 64;
    std::uint64_t clear = ~words_[word] & (~std::uint64_t{0} << (at % 64));
    while (clear == 0) clear = ~words_[++word];
    return word * 64 + static_cast<std::size_t>(std::countr_zero(clear));
  }

  // The first `at` or later where kMinMatch set bits begin, or size(): the second byte of a run
  // that is worth a match.
  [[nodiscard]] std::size_t next_run(std::size_t at) const {
    std::size_t word = at / 64;
    if (at >= size_) return size_;
    std::uint64_t starts = three_set(word) & (~std::uint64_t{0} << (at % 64));
    while (starts == 0) {
      if (++word * 64 >= size_) return size_;
      starts = three_set(word);
    }
    return word * 64 + static_cast<std::size_t>(std::countr_zero(starts));
  }

 private:
  [[nodiscard]] std::uint64_t three_set(std::size_t word) const {
    const std::uint64_t here = words_[word];
    const std::uint64_t next = words_[word + 1];
    return here & (here >> 1 | next << 63) & (here >> 2 | next << 62);
  }

  // Ends with a word of clear bits.
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
  std::size_t breaks_ = 0;
};

}  // namespace ziggurat::codec
