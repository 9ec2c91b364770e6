// indexes/bin1_offset made anew from the bin1_id column, which it proves to ascend.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/row_run.hpp"
#include "pixels/pixel_checks.hpp"

namespace ziggurat::pixels {

// Takes the row ids of consecutive pixels, in pieces of any size, and notes where each row begins.
// Thread rules: one thread at a time.
class RowIndexBuilder {
 public:
  // Starts at the first pixel of matrix row first_row, which is row first_pixel of the table. The
  // defaults are those of a whole table; others serve a reader that has a span of rows.
  explicit RowIndexBuilder(std::int64_t n_bins, std::int64_t first_row = 0,
                           std::int64_t first_pixel = 0);

  // Takes the next pixels. Returns the first whose row is less than the one before it (or than
  // first_row) or not below n_bins; after that the builder is of no further use.
  [[nodiscard]] std::optional<PixelFault> append(std::span<const std::uint32_t> rows);
  [[nodiscard]] std::optional<PixelFault> append(std::span<const RowRun> runs);

  // The table row that the next pixel will have.
  [[nodiscard]] std::int64_t end_pixel() const noexcept { return end_pixel_; }

  // Ends the span before matrix row end_row: the offsets of first_row .. end_row, the last being
  // end_pixel(). Requires: end_row <= n_bins, above the row of every pixel taken.
  // Throws: Error{internal} otherwise.
  [[nodiscard]] std::vector<std::int64_t> finish(std::int64_t end_row) &&;

 private:
  void reach(std::int64_t row);
  void begin_row(std::int64_t row, std::int64_t pixel) {
    std::int64_t* const offsets = offsets_.data() - first_row_;
    while (row_ < row) offsets[++row_] = pixel;
  }
  [[nodiscard]] PixelFault first_fault(std::span<const std::uint32_t> rows) const;
  void mark_row_starts(std::span<const std::uint32_t> rows, std::int64_t pixel);

  std::int64_t n_bins_;
  std::int64_t first_row_;
  std::int64_t row_;  // of the last pixel
  std::int64_t end_pixel_;
  // [i]: where row first_row_ + i begins; meaningful up to row_, with room for those being taken.
  std::vector<std::int64_t> offsets_;
};

}  // namespace ziggurat::pixels
