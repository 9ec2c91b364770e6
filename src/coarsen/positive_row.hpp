// The open coarse row as nearly every map has it: 32-bit counts that are all positive, with a total
// below 2^31.
//
// Such a row is summed in 32 bits that cannot overflow, and a cell that holds anything is not zero;
// so pixels need not be marked one by one. Marks say which lines of 16 cells, and which blocks of
// 64 lines, were touched. A mark is a byte: setting a bit would make every pixel wait for the one
// before it, because neighbours share a word, and that has to be read before it is written.
//
// Draining looks at touched blocks, then at their touched lines, then packs the cells of a line
// that are not zero. No step has a branch for each pixel: where pixels lie cannot be predicted.
//
// Memory: 4.3 bytes a column. Thread rules: one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/isa.hpp"

namespace ziggurat::coarsen {

// What the counts make of this total; nothing when one of them is not positive or when they make it
// more than a cell can hold alone, 2^31 - 1.
[[nodiscard]] std::optional<std::int64_t> positive_total(std::int64_t total,
                                                         std::span<const std::int32_t> counts);

class PositiveRow {
 public:
  explicit PositiveRow(std::uint32_t n_columns, Isa isa = best_isa());

  // Adds counts[i] to column ids[columns[i]], for every i. Does nothing and returns false when the
  // row would not be positive with a total below 2^31 any more.
  // Requires: as many counts as columns; ids below n_columns.
  [[nodiscard]] bool add(std::span<const std::uint32_t> columns,
                         std::span<const std::int32_t> counts, const std::uint32_t* ids);

  [[nodiscard]] bool empty() const { return total_ == 0; }

  // Writes the pixels in ascending order of columns, leaves the row empty, and returns how many
  // they are. Both targets need room for kSlack elements more than that.
  std::size_t drain(std::uint32_t* columns, std::int32_t* counts);

 private:
  Isa isa_;
  std::int64_t total_ = 0;
  std::vector<std::uint32_t> cells_;
  std::vector<std::uint8_t> lines_;   // a mark for every line of cells
  std::vector<std::uint8_t> blocks_;  // a mark for every group of lines
  std::vector<std::uint32_t> all_groups_;
  std::vector<std::uint32_t> found_blocks_;
  std::vector<std::uint32_t> found_lines_;
};

}  // namespace ziggurat::coarsen
