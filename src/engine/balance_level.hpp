// Balancing one map: pixels into a store, filters, iteration, and what becomes of the result.
// Thread rules: one thread, which must outlive the call; the iteration uses threads of its own.
#pragma once

#include <map>
#include <string>

#include "cool/description.hpp"
#include "cool/weight_column.hpp"
#include "genome/uri.hpp"
#include "ziggurat/build.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

// The texts of blacklists, each read once: a path may lead to a pipe. Plain and gzip files.
class Blacklists {
 public:
  // Throws Error{usage} when the file cannot be read.
  void read(const std::string& path);
  // Requires: it was read, or the path is empty.
  [[nodiscard]] const std::string& text(const std::string& path) const;

 private:
  std::map<std::string, std::string> texts_{{"", ""}};
};

// What balancing works with, the same for all maps of a run.
struct BalanceMeans {
  Settings settings;  // decided
  int threads = 1;    // that iterate
  SourceRules rules;
  std::int64_t memory_limit = 0;  // bytes of one map's pixels in memory; 0: half of what is granted
  std::string scratch_folder;     // for what is over it
  Blacklists blacklists;
};

// A map to balance.
struct BalanceTarget {
  genome::Uri uri;
  cool::Description description;  // with the one field `count`
  std::string label;              // for progress and notes
};

// Describes a map with its column `count`. Throws as describe().
[[nodiscard]] cool::Description describe_for_balance(const genome::Uri& uri,
                                                     const Settings& settings, Observer& observer);
[[nodiscard]] bool has_bin_column(const cool::Description& map, const std::string& name);

// Throws Error{usage} when options do not fit a map: square storage, distances of variable bins,
// chromosomes of the blacklist that the map lacks.
void check_balanceable(const cool::Description& map, const BalanceOptions& options,
                       const Blacklists& blacklists);

// Computes the weights, treats them by the convergence policy, and says in one note how it went.
// `stored` of the outcome is left to the caller. Throws Error: input when policy `error` finds them
// not converged, and what load_pixels throws.
[[nodiscard]] BalanceOutcome balance_map(const BalanceTarget& target, const BalanceOptions& options,
                                         const BalanceMeans& means, Observer& observer);

// What is to be stored; the outcome must outlive it. Requires: weights were not discarded.
[[nodiscard]] cool::WeightColumn weight_column(const std::string& group,
                                               const BalanceOptions& options,
                                               const BalanceOutcome& outcome);

}  // namespace ziggurat::engine
