// Iterative correction (ICE): weights that make the marginals of all bins equal.
//
// Two ways lead to them. Plain rounds are cooler's, number for number. Accelerated ones (Anderson
// mixing of the logarithms of the factors, see anderson.hpp) have the same solution and need a
// third to three quarters of the passes. They do not reach it by the same points, so where both
// stop at one variance they are not equally near to it; accelerated rounds go on until the variance
// is kAcceleratedTol times the tolerance. Thread rules: work is spread over the calling TBB arena;
// weights do not depend on its size, to the bit. The store must not be used by others meanwhile.
#pragma once

#include <cstdint>
#include <functional>

#include "balance/balance_result.hpp"
#include "balance/filters.hpp"
#include "balance/pixel_store.hpp"

namespace ziggurat::balance {

// A finished round, for progress. chromosome is -1 unless contacts are cis.
struct Round {
  std::int64_t chromosome;
  int number;  // from 1
  double var;
};

// What to do once the variance has grown for 30 rounds on end. Where weights exist it falls, so the
// rounds lead nowhere; but who keeps the last weights all the same, as cooler does, wants all
// rounds.
enum class Growth { go_on, stop };

enum class Iteration { plain, anderson };

// What is left of the error when accelerated rounds reach a variance lies in directions that hardly
// show in it. At a hundredth of the default tolerance the weights of real maps are as near to the
// solution as those of plain rounds, or within 2e-4 of it.
constexpr double kAcceleratedTol = 0.01;

struct IceOptions {
  Iteration iteration = Iteration::plain;
  double tol = 1e-5;     // on the variance of the marginals, in counts squared
  int max_rounds = 200;  // 0: no round is made: weights 1 where the filters keep a bin, scale 1,
                         // variance NaN, not converged
  Growth growth = Growth::go_on;
  std::function<bool(const Round&)> keep_going;  // called after each round; false stops the run
};

// Converged: var < tol and var / mean^2 < tol, the latter so that small marginals (float maps) do
// not pass for equal at once; for a mean of 1 or more it changes nothing.
// Pixels that mask leaves out are dropped from the store.
// Throws: Error{cancelled} when keep_going returns false.
[[nodiscard]] BalanceResult iterative_correction(PixelStore& store, const BinMask& mask,
                                                 const IceOptions& options);

// ignore_diags so that contacts nearer than ignore_dist_bp are left out too.
[[nodiscard]] std::int64_t diags_for_distance(std::int64_t ignore_diags,
                                              std::int64_t ignore_dist_bp,
                                              std::int64_t bin_size_bp);

}  // namespace ziggurat::balance
