// Cutting the rows of a source into spans for the readers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "genome/bins.hpp"
#include "reader/protocol.hpp"

namespace ziggurat::engine {

// Source pixels in a span: enough that a reader is busy for some time, few enough that all are.
constexpr std::int64_t kSpanPixels = std::int64_t{1} << 19;

// Readers worth starting for a source: no more than it has spans.
[[nodiscard]] int worthwhile_readers(std::uint64_t n_pixels, int processes);

// Spans of about `pixels` pixels each that cover all rows in order and that no coarse row crosses:
// cuts lie at the ends of chromosomes or at multiples of every factor within one. `factors`: base
// bins that a bin of each level pools. The result depends on the data alone. Throws nothing.
[[nodiscard]] std::vector<reader::RowSpan> cut_spans(const genome::BinTable& bins,
                                                     std::span<const std::int64_t> row_offsets,
                                                     const std::vector<std::int64_t>& factors,
                                                     std::int64_t pixels);

}  // namespace ziggurat::engine
