// Vanilla coverage (VC) and its square root (VC_SQRT): weights straight from the row sums.
//
// A bin's weight is the sum of its row of the whole matrix (a pixel on the diagonal counts once),
// or the square root of it, times one factor for all bins that keeps the sum of the matrix. The
// weights are divisive. Definition and factor: Juicer's VC and VC_SQRT (Lieberman-Aiden et al.
// 2009 for the method; Juicer's NormalizationCalculations, computeVC and getSumFactor, for the
// factor sqrt(sum of count / (w_i w_j) over sum of count)); hictk's VC is the same. With contacts
// cis the weights equal those that Juicer stored in .hic files to a unit in the last place.
// Juicer leaves out neither diagonals nor bins: for its numbers build the store with ignore_diags
// 0 and switch the filters off. A bin without contacts gets NaN.
#pragma once

#include "balance/balance_result.hpp"
#include "balance/filters.hpp"
#include "balance/pixel_store.hpp"

namespace ziggurat::balance {

enum class Coverage { plain, square_root };

// With contacts cis each chromosome has its own factor, which is what scale holds; variance is 0
// and converged true, since there is nothing to iterate. Pixels that mask leaves out are dropped
// from the store. Thread rules as iterative_correction's.
[[nodiscard]] BalanceResult vanilla_coverage(PixelStore& store, const BinMask& mask,
                                             Coverage coverage);

}  // namespace ziggurat::balance
