// What every balancing method hands back.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

namespace ziggurat::balance {

// Why a run of rounds ended.
enum class Stop {
  converged,
  nothing_left,  // no bin with contacts: weights NaN, variance 0; counts as converged
  max_rounds,
  not_finite,  // the variance is NaN, and would stay so
  growing,     // the variance grew in each of the last 30 rounds, whether or not that ended them
  no_trans,    // one chromosome holds all bins, so there are no contacts to balance
};

struct BalanceResult {
  // One a bin, NaN where the bin is left out. Balanced value of a pixel: count * w[row] *
  // w[column], or count / (w[row] * w[column]) when divisive.
  Eigen::ArrayXd weights;
  bool divisive = false;

  // One entry, or with contacts cis one a chromosome.
  std::vector<double> scale;  // mean marginal that the weights were divided by (its square root)
  std::vector<double> var;    // variance of the last round's marginals, counts squared
  std::vector<bool> converged;
  std::vector<int> rounds;
  std::vector<Stop> stop;

  [[nodiscard]] bool all_converged() const {
    return std::all_of(converged.begin(), converged.end(), [](bool yes) { return yes; });
  }
};

}  // namespace ziggurat::balance
