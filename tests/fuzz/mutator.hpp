// Small damage to known bytes, from a seed: the same seed gives the same bytes everywhere.
#pragma once

#include <cstdint>
#include <random>

#include "targets.hpp"

namespace ziggurat::fuzz {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  // One of the inputs (never none), damaged in one to eight places.
  [[nodiscard]] Bytes next(const std::vector<Bytes>& inputs);

 private:
  // In [0, end); 0 when end is 0. Not std::uniform_int_distribution, which differs by library.
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }
  void damage(Bytes& bytes, const std::vector<Bytes>& inputs);

  std::mt19937_64 random_;
};

}  // namespace ziggurat::fuzz
