// Problem: walk the bin1_id column, which is sorted and made of runs, to find where rows begin, and
// prove that it is sorted; billions of ids, few row starts.
//
// Method: one vectorised loop over the piece counts descents. In a sorted piece a stretch of ids
// whose last equals the id before the stretch is all one run, so most stretches are passed over
// with one look. In the others a vectorised loop flags the ids that differ from the one before, a
// byte each, and the flags are read eight at a time.
//
// Cost (2.4 GHz EPYC, SSE2): 0.3 ns a pixel where rows have 1000, 0.7 where 30, 1.9 where 4; more
// where the index itself is too large for the cache.
//
// Invariant: offsets_ holds an entry for every row up to row_, the row of the last pixel taken.
#include "pixels/row_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/check.hpp"

namespace ziggurat::pixels {
namespace {

constexpr std::size_t kStretch = 64;

bool ascends(std::span<const std::uint32_t> rows) {
  std::uint32_t descents = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) descents |= rows[i] < rows[i - 1] ? 1U : 0U;
  return descents == 0;
}

}  // namespace

RowIndexBuilder::RowIndexBuilder(std::int64_t n_bins, std::int64_t first_row,
                                 std::int64_t first_pixel)
    : n_bins_(n_bins),
      first_row_(first_row),
      row_(first_row),
      end_pixel_(first_pixel),
      offsets_{first_pixel} {}

std::optional<PixelFault> RowIndexBuilder::append(std::span<const std::uint32_t> rows) {
  if (rows.empty()) return std::nullopt;
  if (rows.front() < row_ || rows.back() >= n_bins_ || !ascends(rows)) return first_fault(rows);
  reach(rows.back());
  for (std::size_t begin = 0; begin < rows.size(); begin += kStretch) {
    const auto stretch = rows.subspan(begin, std::min(kStretch, rows.size() - begin));
    if (stretch.back() != row_) {
      mark_row_starts(stretch, end_pixel_ + static_cast<std::int64_t>(begin));
    }
  }
  end_pixel_ += static_cast<std::int64_t>(rows.size());
  return std::nullopt;
}

std::optional<PixelFault> RowIndexBuilder::append(std::span<const RowRun> runs) {
  for (const RowRun& run : runs) {
    if (run.n == 0) continue;
    if (run.row < row_ || run.row >= n_bins_) return first_fault({&run.row, 1});
    reach(run.row);
    begin_row(run.row, end_pixel_);
    end_pixel_ += run.n;
  }
  return std::nullopt;
}

// Makes room for the offsets up to row, so that the walk stores them without looking.
void RowIndexBuilder::reach(std::int64_t row) {
  const std::size_t n_offsets = static_cast<std::size_t>(row - first_row_) + 1;
  if (offsets_.size() < n_offsets) offsets_.resize(n_offsets);
}

// Out of line from the walk: rows holds a breach, or the caller would not ask.
PixelFault RowIndexBuilder::first_fault(std::span<const std::uint32_t> rows) const {
  std::int64_t previous = row_;
  std::int64_t pixel = end_pixel_;
  for (const std::uint32_t row : rows) {
    if (row < previous) return {FaultKind::descending_row, pixel, row, -1};
    if (row >= n_bins_) return {FaultKind::out_of_range, pixel, row, -1};
    previous = row;
    ++pixel;
  }
  fail(ErrorCode::internal, "no fault among {} row ids", rows.size());
}

void RowIndexBuilder::mark_row_starts(std::span<const std::uint32_t> rows, std::int64_t pixel) {
  std::array<std::uint8_t, kStretch> is_start{};
  is_start[0] = rows[0] != row_ ? 1 : 0;
  for (std::size_t i = 1; i < rows.size(); ++i) is_start[i] = rows[i] != rows[i - 1] ? 1 : 0;
  for (std::size_t base = 0; base < rows.size(); base += 8) {
    std::uint64_t flags = 0;
    std::memcpy(&flags, is_start.data() + base, sizeof flags);
    for (; flags != 0; flags &= flags - 1) {
      const std::size_t i = base + static_cast<std::size_t>(std::countr_zero(flags)) / 8;
      begin_row(rows[i], pixel + static_cast<std::int64_t>(i));
    }
  }
}

std::vector<std::int64_t> RowIndexBuilder::finish(std::int64_t end_row) && {
  const bool holds_pixels = offsets_.front() < end_pixel_;
  if (end_row > n_bins_ || end_row < row_ + (holds_pixels ? 1 : 0)) {
    fail(ErrorCode::internal, "row index ended at row {} of {} bins, last row {}", end_row, n_bins_,
         row_);
  }
  reach(end_row);
  begin_row(end_row, end_pixel_);
  return std::move(offsets_);
}

}  // namespace ziggurat::pixels
