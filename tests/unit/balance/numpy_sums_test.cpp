#include "balance/numpy_sums.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace ziggurat::balance;

namespace {

// Made the same way in NumPy: s = (s * 1103515245 + 12345) & 0x7fffffff from 12345 on,
// x[i] = s / 2**20 + 1 / (i + 1).
std::vector<double> sequence(std::size_t n) {
  std::vector<double> values;
  std::uint64_t s = 12345;
  for (std::size_t i = 0; i < n; ++i) {
    s = (s * 1103515245 + 12345) & 0x7fffffff;
    values.push_back(static_cast<double>(s) / 1048576.0 + 1 / static_cast<double>(i + 1));
  }
  return values;
}

}  // namespace

TEST_CASE("mean and variance are NumPy's to the bit") {
  struct Case {
    std::size_t n;
    double mean;
    double variance;
  };
  // x.mean() and x.var() of NumPy 1.24.2, printed by float.hex.
  const std::vector<Case> cases = {
      {1, 0x1.4fb059f800000p+10, 0x0.0p+0},
      {7, 0x1.ea4d69a7bd206p+9, 0x1.2aa3b1be08302p+17},
      {8, 0x1.dc6069e3c57c5p+9, 0x1.0fea36e8d71f8p+17},
      {9, 0x1.c4a7b213bf586p+9, 0x1.14df2409dd8fep+17},
      {127, 0x1.e902390534be9p+9, 0x1.4518a4cb3e8d0p+18},
      {128, 0x1.e83a174eba550p+9, 0x1.42dc1165be694p+18},
      {129, 0x1.eab3ea3635d97p+9, 0x1.436bfd059e645p+18},
      {1000, 0x1.fcd72135f5f35p+9, 0x1.51b5d88d7952fp+18},
      {8191, 0x1.0155a62e4190fp+10, 0x1.549a127b5ac3ap+18},
      {8192, 0x1.015b4e63273eep+10, 0x1.549f6d75fd260p+18},
      {8193, 0x1.0159eec290e9ep+10, 0x1.5495ba4c97250p+18},
      {20000, 0x1.0011fd9fd567cp+10, 0x1.551027296bde2p+18},
      {70001, 0x1.0008fea2c55a0p+10, 0x1.551d54bc769e7p+18},
  };
  for (const Case& c : cases) {
    CAPTURE(c.n);
    const auto values = sequence(c.n);
    CHECK(numpy_mean(values) == c.mean);
    CHECK(numpy_variance(values, c.mean) == c.variance);
  }
}

TEST_CASE("no values have no mean, variance or median") {
  CHECK(std::isnan(numpy_mean({})));
  CHECK(std::isnan(numpy_variance({}, 0)));
  CHECK(std::isnan(median({})));
}

TEST_CASE("the median of an even number is half the sum of the middle two") {
  CHECK(median({3}) == 3);
  CHECK(median({9, 1, 4}) == 4);
  CHECK(median({9, 1, 4, 2}) == 3);
  CHECK(median({1, 1, 1, 8}) == 1);
}

TEST_CASE("a sum of products is the product's sum") {
  for (const std::size_t n : {0, 1, 100, 8192, 100'000}) {
    const std::vector<double> a = sequence(n);
    std::vector<double> b(n);
    long double expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      b[i] = i % 3 == 0 ? -0.25 : 2.0;
      expected += static_cast<long double>(a[i]) * b[i];
    }
    CHECK(blocked_dot(a, b) == Approx(static_cast<double>(expected)).epsilon(1e-14));
  }
}
