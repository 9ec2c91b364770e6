// What balancing is asked for, and how it went: values shared by balance.hpp and build.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ziggurat/export.hpp"

namespace ziggurat {

enum class BalanceMethod { ice, vc, vc_sqrt };
// How the rounds of ice go: as cooler's, number for number, or accelerated: to the same solution in
// a third to three quarters of the rounds, with other last digits.
enum class BalanceIteration { plain, anderson };
enum class ContactSet { all, cis_only, trans_only };
// What happens to weights that have not converged: stored as they are, stored as NaN, not stored,
// or the work fails.
enum class ConvergencePolicy { store_final, store_nan, discard, error };

struct BalanceOptions {
  BalanceMethod method = BalanceMethod::ice;
  BalanceIteration iteration = BalanceIteration::plain;  // of method ice; others have no rounds
  ContactSet contacts = ContactSet::all;
  std::int64_t ignore_diags = 2;  // pixels nearer to the diagonal are left out; 0: none
  std::int64_t ignore_dist = 0;   // bp; the same by distance, the larger counts; 0: off
  double mad_max = 5;             // 0 or less: off
  std::int64_t min_nnz = 10;      // 0 or less: off
  double min_count = 0;           // 0: off
  std::string blacklist;          // path of a BED file, plain or gzip; empty: none
  double tol = 1e-5;  // on the variance of the marginals, counts squared; anderson: on 100 times it
  int max_iters = 200;                  // at least 1
  std::int64_t chunksize = 10'000'000;  // pixels whose sums are formed apart, as in cooler
  std::string name;                     // column; empty: weight, VC or VC_SQRT by method
  ConvergencePolicy policy = ConvergencePolicy::store_final;
  bool allow_square = false;  // balance a square map as if each cell were a pixel
};

// The options of a method when none is given. VC and VC_SQRT leave nothing out, as the program
// that defined them.
[[nodiscard]] ZIGGURAT_API BalanceOptions balance_defaults(BalanceMethod method);

// The column that weights with these options are stored as.
[[nodiscard]] ZIGGURAT_API std::string weight_name(const BalanceOptions& options);

// How one map went.
struct BalanceOutcome {
  std::string group;            // of the map in its file
  std::string name;             // of the column
  std::vector<double> weights;  // a bin; NaN: left out; none at all when they were discarded
  std::vector<double> scale;    // one, or one a chromosome with cis_only
  std::vector<double> var;
  std::vector<bool> converged;
  int iterations = 0;              // the most of any chromosome
  std::int64_t ignored_diags = 0;  // as used, after ignore_dist
  // Bins left out by each rule; a bin counts for the first that it breaks.
  std::int64_t masked_min_nnz = 0;
  std::int64_t masked_min_count = 0;
  std::int64_t masked_mad_max = 0;
  std::int64_t masked_blacklist = 0;
  std::string stop;  // why it ended: "converged", "the limit of rounds", ...
  // Variance after each round, one list or one a chromosome with cis_only, and how long it took to
  // read the map and iterate. Nothing where an earlier run did it, or the method has no rounds.
  std::vector<std::vector<double>> variances;
  double seconds = 0;
  bool stored = false;
};

}  // namespace ziggurat
