// The reductions that turn the values of the pixels falling into one coarse pixel into one value.
//
// The names, and what each does with missing values, are those of a pandas group-by, because
// `--field NAME:agg=NAME` promises them. Thread rules: pure functions.
#pragma once

#include <optional>
#include <string_view>

namespace ziggurat {

enum class Aggregation {
  sum,
  mean,
  min,
  max,
  median,
  first,
  last,
  count,  // values that are not NaN
  size,   // values, NaN included
  prod,
  std,      // sample deviation: divisor n - 1
  var,      // sample variance: divisor n - 1
  sem,      // standard error of the mean: std / sqrt(n)
  nunique,  // distinct values that are not NaN
  any,
  all,
};

// The aggregation of that exact name; nothing when there is none.
[[nodiscard]] std::optional<Aggregation> parse_aggregation(std::string_view name) noexcept;

// The name that parse_aggregation() takes.
[[nodiscard]] std::string_view name(Aggregation aggregation) noexcept;

}  // namespace ziggurat
