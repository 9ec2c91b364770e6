// The rules that every pixel of a source is held to: columns ascend within a row, lie inside the
// matrix and, in symmetric-upper storage, not left of the diagonal.
//
// Thread rules: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ziggurat::pixels {

enum class FaultKind {
  unsorted,        // the column is less than the one before it in the row
  duplicate,       // the column is the one before it in the row
  lower_triangle,  // column < row in symmetric-upper storage
  out_of_range,    // a row or column id that is not below the number of bins
  descending_row,  // the row is less than the one before it in the table
};

// The first pixel that breaks a rule.
struct PixelFault {
  FaultKind kind = FaultKind::unsorted;
  std::int64_t pixel = 0;    // its row in the pixel table
  std::int64_t row = 0;      // its bin1_id
  std::int64_t column = -1;  // its bin2_id; -1 where only the row is at fault

  friend bool operator==(const PixelFault&, const PixelFault&) = default;
};

// "pixel 17 (bin1_id 3, bin2_id 2) lies below the diagonal ...": one line for a message, to which
// the caller adds the file.
[[nodiscard]] std::string describe(const PixelFault& fault);

enum class StorageMode { symmetric_upper, square };

// The pixels of whole matrix rows.
struct RowBlock {
  std::int64_t first_row = 0;
  // Table rows where the matrix rows first_row, first_row + 1, ... begin, and one more: a slice of
  // indexes/bin1_offset. At least one element, never descending.
  std::span<const std::int64_t> offsets;
  // bin2_id of the table rows [offsets.front(), offsets.back()).
  std::span<const std::uint32_t> columns;
};

// The first breach in table order; nothing when there is none. A pixel that breaks several rules is
// reported as out_of_range, else lower_triangle, else unsorted or duplicate.
// Throws: Error{internal} when offsets do not describe columns.
[[nodiscard]] std::optional<PixelFault> check_columns(const RowBlock& block, std::int64_t n_bins,
                                                      StorageMode mode);

}  // namespace ziggurat::pixels
