// Sums of floating-point numbers in the order in which NumPy adds them, to the bit.
//
// A level's `sum` attribute is a NumPy sum in the reference, for float32 counts one in float32, and
// the rounds of balancing divide by a NumPy mean. NumPy adds blocks of 8192 elements one after the
// other; within a block it halves (at multiples of 8) down to runs of at most 128, which eight
// interleaved sums add up. The order is also a good one: the error grows with the logarithm of a
// block's length. No fused or re-associated arithmetic may be compiled in.
// Thread rules: pure functions and a value.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace ziggurat::pixels {

inline constexpr std::size_t kNumpyBlock = 8192;

// Sum of term(begin) .. term(begin + n - 1) for at most 128 terms.
template <typename T, typename Term>
[[nodiscard]] T numpy_run_sum(std::size_t begin, std::size_t n, const Term& term) {
  constexpr std::size_t kLanes = 8;
  if (n < kLanes) {
    T sum = T(-0.0);
    for (std::size_t i = 0; i < n; ++i) sum += term(begin + i);
    return sum;
  }
  std::array<T, kLanes> lane;
  for (std::size_t k = 0; k < kLanes; ++k) lane[k] = term(begin + k);
  std::size_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] += term(begin + i + k);
  }
  T sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  for (; i < n; ++i) sum += term(begin + i);
  return sum;
}

// Sum of one block: at most kNumpyBlock terms.
template <typename T, typename Term>
[[nodiscard]] T numpy_block_sum(std::size_t begin, std::size_t n, const Term& term) {
  if (n <= 128) return numpy_run_sum<T>(begin, n, term);
  const std::size_t half = n / 2 / 8 * 8;
  return numpy_block_sum<T>(begin, half, term) + numpy_block_sum<T>(begin + half, n - half, term);
}

// The sum of values that come in pieces: the same however they are cut.
template <typename T>
class NumpySum {
 public:
  void add(std::span<const T> values) {
    for (const T value : values) {
      block_.push_back(value);
      if (block_.size() == kNumpyBlock) close_block();
    }
  }
  // All there is to know of it, and one that goes on from there.
  struct State {
    T closed_blocks = T(0);
    std::vector<T> open_block;
  };
  [[nodiscard]] State state() const { return {sum_, block_}; }
  void resume(State state) {
    sum_ = state.closed_blocks;
    block_ = std::move(state.open_block);
  }
  [[nodiscard]] T total() const { return block_.empty() ? sum_ : sum_ + block_sum(); }

 private:
  [[nodiscard]] T block_sum() const {
    return numpy_block_sum<T>(0, block_.size(), [this](std::size_t i) { return block_[i]; });
  }
  void close_block() {
    sum_ += block_sum();
    block_.clear();
  }

  T sum_ = T(0);
  std::vector<T> block_;
};

}  // namespace ziggurat::pixels
