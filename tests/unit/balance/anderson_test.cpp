#include "balance/anderson.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

using namespace ziggurat::balance;

namespace {

// g(x) = rates * x + (1 - rates): its fixed point is 1 in every coordinate.
Eigen::ArrayXd residual(const Eigen::ArrayXd& rates, const Eigen::ArrayXd& x) {
  return (1 - rates) * (1 - x);
}

Eigen::ArrayXd after(int steps, const Eigen::ArrayXd& rates) {
  Eigen::ArrayXd x = Eigen::ArrayXd::Zero(rates.size());
  AndersonMixer mixer;
  for (int i = 0; i < steps; ++i) mixer.advance(x, residual(rates, x));
  return x;
}

}  // namespace

TEST_CASE("a linear iteration ends after as many steps as it has rates, and one") {
  // The slowest of these would need 2,000 plain steps for six digits.
  Eigen::ArrayXd rates(8);
  rates << 0.1, 0.5, 0.9, 0.993, 0.1, 0.5, 0.9, 0.993;
  CHECK((after(5, rates) - 1).abs().maxCoeff() > 1e-9);
  CHECK((after(6, rates) - 1).abs().maxCoeff() < 1e-9);
}

TEST_CASE("more rates than are remembered are a gain all the same") {
  // Plain steps are still 0.45 away: 0.99 to the power of 80.
  const Eigen::ArrayXd rates = Eigen::ArrayXd::LinSpaced(40, 0, 0.99);
  CHECK((after(80, rates) - 1).abs().maxCoeff() < 0.005);
}

TEST_CASE("a point that is fixed stays") {
  Eigen::ArrayXd x(3);
  x << 1, 2, 3;
  const Eigen::ArrayXd start = x;
  AndersonMixer mixer;
  for (int i = 0; i < 8; ++i) mixer.advance(x, Eigen::ArrayXd::Zero(3));
  CHECK((x == start).all());
}

TEST_CASE("residuals that do not change give plain steps") {
  Eigen::ArrayXd x = Eigen::ArrayXd::Zero(2);
  AndersonMixer mixer;
  for (int i = 0; i < 8; ++i) mixer.advance(x, Eigen::ArrayXd::Ones(2));
  CHECK((x == 8).all());
}

TEST_CASE("a step that would be absurdly long is a plain one, and what led to it is forgotten") {
  Eigen::ArrayXd x = Eigen::ArrayXd::Zero(1);
  AndersonMixer mixer;
  mixer.advance(x, Eigen::ArrayXd::Constant(1, 1.0));
  mixer.advance(x, Eigen::ArrayXd::Constant(1, 1.0 - 1e-6));  // by the secant it is at a million
  CHECK(x[0] == Approx(2 - 1e-6).epsilon(1e-15));
  // From here on the residual falls by a half for each unit, and the secant finds its end.
  mixer.advance(x, Eigen::ArrayXd::Constant(1, 0.5 - 1e-6));
  CHECK(x[0] == Approx(3).epsilon(1e-4));
}

TEST_CASE("steps do not depend on the number of threads, to the bit") {
  constexpr Eigen::Index kLength = 100'003;
  const Eigen::ArrayXd rates = Eigen::ArrayXd::Random(kLength).abs() * 0.95;
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 4);
  std::vector<Eigen::ArrayXd> results;
  for (const int n : {1, 2, 4}) {
    tbb::task_arena(n).execute([&] { results.push_back(after(9, rates)); });
  }
  for (const Eigen::ArrayXd& other : results) {
    CHECK(std::memcmp(other.data(), results.front().data(), kLength * sizeof(double)) == 0);
  }
}
