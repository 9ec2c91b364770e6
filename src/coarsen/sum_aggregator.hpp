// The aggregators for one value column that is summed: integers, float32 and float64.
// See row_aggregator.hpp for the method.
#pragma once

#include <memory>
#include <span>

#include "coarsen/row_aggregator.hpp"

namespace ziggurat::coarsen {

// Requires: kind_of(source) and kind_of(target) are the same.
[[nodiscard]] std::unique_ptr<RowAggregator> make_sum_aggregator(std::span<const std::uint32_t> ids,
                                                                 std::uint32_t n_coarse_bins,
                                                                 pixels::ColumnKind kind);

}  // namespace ziggurat::coarsen
