// Balancing: weights that make all bins equally visible.
//
// Thread rules: as build.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "ziggurat/balancing.hpp"
#include "ziggurat/build.hpp"
#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat {

struct BalanceRequest {
  std::string target;  // URI of one map, or a multi-resolution file: then every level
  BalanceOptions options;
  bool force = false;             // replace a column of that name
  bool store = true;              // false: only compute; the file may be read-only
  SourceRules rules;              // of the pixels: duplicates, not finite; fields are not looked at
  std::int64_t memory_limit = 0;  // bytes for the pixels; over it they lie in a scratch file; 0:
                                  // half of what a batch system or a cgroup grants, if any does
  bool replace_link = false;  // a symbolic link is replaced by a changed copy; else it is followed
  std::chrono::milliseconds lock_timeout{60'000};  // for a file that somebody else has locked
  Settings settings;
};

// Balances one map or every level of a file, and stores the weights in place: the file ends as it
// was or complete, at the latest after the next command that opens it. A column that exists is
// refused without force, before anything is computed. One outcome a map, in natural order of their
// groups. Throws Error: usage, input (also when policy `error` finds weights not converged),
// format, io, worker, cancelled, busy.
ZIGGURAT_API std::vector<BalanceOutcome> balance_maps(const BalanceRequest& request,
                                                      Observer& observer);

// Finds what is wrong with options by themselves, the blacklist's existence included. Throws
// Error{usage}.
ZIGGURAT_API void check_balance_options(const BalanceOptions& options);

// A map and whether it has weights of some name.
struct WeightCheck {
  std::string group;
  bool balanced = false;
};
// Of one map, or of every map of a multi-resolution file. Throws Error: usage, input, format.
[[nodiscard]] ZIGGURAT_API std::vector<WeightCheck> check_weights(
    const std::string& target, const std::string& name, const std::string& reader_program = "");

}  // namespace ziggurat
