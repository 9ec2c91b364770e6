// The aggregator for everything but a single summed column: several value columns, other
// aggregations, and results stored in another kind of number than they come from.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "coarsen/row_aggregator.hpp"

namespace ziggurat::coarsen {

[[nodiscard]] std::unique_ptr<RowAggregator> make_group_aggregator(
    std::span<const std::uint32_t> ids, const std::vector<FieldRule>& rules);

}  // namespace ziggurat::coarsen
