#include "random_stream.hpp"

#include <bit>
#include <cmath>
#include <numbers>

namespace ziggurat::bench {

RandomStream::RandomStream(std::uint64_t seed) : state_{} {
  for (std::uint64_t& word : state_) {
    seed += 0x9e3779b97f4a7c15U;
    std::uint64_t mixed = seed;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    word = mixed ^ (mixed >> 31U);
  }
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::uniform() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

double RandomStream::normal() {
  const double radius_source = 1.0 - uniform();
  const double angle = 2.0 * std::numbers::pi * uniform();
  return std::sqrt(-2.0 * std::log(radius_source)) * std::cos(angle);
}

double RandomStream::exponential() { return -std::log(1.0 - uniform()); }

std::int64_t RandomStream::poisson(double mean) {
  if (mean <= 0) return 0;
  return mean < 12 ? poisson_by_inversion(mean) : poisson_by_rejection(mean);
}

std::int64_t RandomStream::poisson_by_inversion(double mean) {
  // Past this the remaining probability is below the resolution of a double.
  constexpr std::int64_t kMostSteps = 200;
  const double drawn = uniform();
  double term = std::exp(-mean);
  double cumulative = term;
  std::int64_t count = 0;
  while (drawn > cumulative && count < kMostSteps) {
    ++count;
    term *= mean / static_cast<double>(count);
    cumulative += term;
  }
  return count;
}

// Transformed rejection with squeeze, PTRS (Hoermann 1993); the constants are the paper's.
std::int64_t RandomStream::poisson_by_rejection(double mean) {
  const double b = 0.931 + 2.53 * std::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double squeeze = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = uniform() - 0.5;
    const double v = uniform();
    const double us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= squeeze) return static_cast<std::int64_t>(k);
    if (k < 0 || (us < 0.013 && v > us)) continue;
    const double accept = k * std::log(mean) - mean - std::lgamma(k + 1);
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <= accept) {
      return static_cast<std::int64_t>(k);
    }
  }
}

}  // namespace ziggurat::bench
