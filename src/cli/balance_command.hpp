// The options of balancing, declared once: for `ziggurat balance`, and for the text that
// `zoomify --balance-args` takes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "ziggurat/balance.hpp"

namespace ziggurat::cli {

// Where the parser leaves what was said. Must outlive the parsing.
class BalanceFlags {
 public:
  void declare(CLI::App& command);

  // After parsing. Options that were not given are the method's own defaults. Throws Error{usage}.
  [[nodiscard]] BalanceRequest request() const;
  [[nodiscard]] bool only_checks() const { return only_check_; }

 private:
  void declare_filters(CLI::App& command);
  void declare_iteration(CLI::App& command);
  void declare_result(CLI::App& command);
  void declare_means(CLI::App& command);

  BalanceRequest given_;
  bool cis_only_ = false;
  bool trans_only_ = false;
  bool print_ = false;
  bool only_check_ = false;
  double lock_timeout_s_ = 60;
  CLI::Option* ignore_diags_ = nullptr;
  CLI::Option* mad_max_ = nullptr;
  CLI::Option* min_nnz_ = nullptr;
};

// From the texts of --balance-args: `OPTIONS` for all levels, `RESOLUTION:OPTIONS` for one, where
// they are added to those for all. Throws Error{usage} naming the option.
[[nodiscard]] ZoomifyBalancing parse_balance_args(const std::vector<std::string>& texts);

// The weights of one map as cooler prints them: a line a bin, blank where there is none,
// right-justified, no line end after the last.
[[nodiscard]] std::string weight_lines(const std::vector<double>& weights);
// Those of all maps on standard output, one after the other.
void print_weights(const std::vector<const BalanceOutcome*>& outcomes);

}  // namespace ziggurat::cli
