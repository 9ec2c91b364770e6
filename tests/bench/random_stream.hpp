// A seeded stream of random numbers that is the same on every machine and standard library
// (the distributions of <random> are not).
#pragma once

#include <array>
#include <cstdint>

namespace ziggurat::bench {

// xoshiro256++ (Blackman and Vigna 2019), its state filled by splitmix64. Cheap to make: the
// contact model makes one a matrix row, so that no row depends on how the others were drawn.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed);

  std::uint64_t next();
  // In [0, 1).
  double uniform();
  double normal();
  // Of mean 1.
  double exponential();
  // Poisson counts of the given mean; 0 for a mean of 0 or less.
  std::int64_t poisson(double mean);

 private:
  std::int64_t poisson_by_inversion(double mean);
  std::int64_t poisson_by_rejection(double mean);

  std::array<std::uint64_t, 4> state_;
};

}  // namespace ziggurat::bench
