// Balancing: weights that make all bins equally visible.
//
// Thread rules: as build.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ziggurat/build.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat {

enum class BalanceMethod { ice, vc, vc_sqrt };
enum class ContactSet { all, cis_only, trans_only };
// What happens to weights that have not converged.
enum class ConvergencePolicy { store_final, store_nan, discard, error };

struct BalanceOptions {
  BalanceMethod method = BalanceMethod::ice;
  ContactSet contacts = ContactSet::all;
  std::int64_t ignore_diags = 2;              // pixels nearer to the diagonal are left out; 0: none
  std::optional<std::int64_t> ignore_dist;    // bp; the same by distance, the larger counts
  double mad_max = 5;                         // 0 or less: off
  std::int64_t min_nnz = 10;                  // 0 or less: off
  double min_count = 0;                       // 0: off
  std::string blacklist;                      // path of a BED file, plain or gzip; empty: none
  double tol = 1e-5;                          // on the variance of the marginals, counts squared
  int max_iters = 200;
  std::int64_t chunksize = 10'000'000;        // pixels whose sums are formed apart, as in cooler
  std::string name;                           // column; empty: weight, VC or VC_SQRT by method
  ConvergencePolicy policy = ConvergencePolicy::store_final;
  bool allow_square = false;                  // balance a square map as if each cell were a pixel
};

struct BalanceRequest {
  std::string target;       // URI of one map, or a multi-resolution file: then every level
  BalanceOptions options;
  bool force = false;       // replace a column of that name
  bool store = true;        // false: only compute
  SourceRules rules;        // of the pixels: duplicates, not finite; fields are not looked at
  std::int64_t memory_limit = 0;  // bytes for the pixels; over it they lie in a scratch file; 0: none
  bool replace_link = false;  // a symbolic link is replaced by a changed copy; else it is followed
  Settings settings;
};

// How one level went.
struct BalanceOutcome {
  std::string group;
  std::vector<double> weights;  // a bin; NaN: left out
  std::vector<double> scale;    // one, or one a chromosome with cis_only
  std::vector<double> var;
  std::vector<bool> converged;
  int iterations = 0;           // the most of any chromosome
  // Bins left out by each rule.
  std::int64_t masked_min_nnz = 0;
  std::int64_t masked_min_count = 0;
  std::int64_t masked_mad_max = 0;
  std::int64_t masked_blacklist = 0;
  std::string stop;             // why it ended: "converged", "max-iters reached", ...
  bool stored = false;
};

// Balances one map or every level of a file, and stores the weights in place: the file ends as it
// was or complete, at the latest after the next command that opens it. Levels that exist already are
// refused without force, before anything is computed. Throws Error.
std::vector<BalanceOutcome> balance_maps(const BalanceRequest& request, Observer& observer);

// True when the map has a column of that name.
[[nodiscard]] bool is_balanced(const std::string& uri, const std::string& name,
                               const std::string& reader_program = "");

}  // namespace ziggurat
