// Problem: prove the order of every pixel at a cost that does not show beside inflating it (about
// 2 ns), for rows that may be a handful of pixels long.
//
// Method: a loop over each row would spend its time on starting and ending. Instead one vectorised
// loop counts, over the whole block and across row borders, the steps that do not ascend. Steps
// into a row's first pixel may do that, so they are counted as well, one look a row. If both counts
// are equal, no step inside a row failed. With the order inside rows proven, the first column of a
// row is its least and the last its greatest, and two more looks a row prove triangle and range.
// Only when something is wrong does a plain walk find the first culprit.
//
// Cost: 0.15 to 0.3 ns a pixel and about 4 ns a row (2.4 GHz EPYC, SSE2).
#include "pixels/pixel_checks.hpp"

#include <algorithm>
#include <cstddef>

#include "base/check.hpp"

namespace ziggurat::pixels {
namespace {

// Steps of columns that do not ascend. The 32-bit counter keeps four lanes in an SSE register; it
// is emptied before it can overflow.
std::int64_t count_breaks(std::span<const std::uint32_t> columns) {
  constexpr std::size_t kStride = std::size_t{1} << 20;
  std::int64_t total = 0;
  for (std::size_t begin = 1; begin < columns.size(); begin += kStride) {
    const std::size_t end = std::min(columns.size(), begin + kStride);
    std::uint32_t breaks = 0;
    for (std::size_t i = begin; i < end; ++i) breaks += columns[i] <= columns[i - 1] ? 1U : 0U;
    total += breaks;
  }
  return total;
}

std::size_t position(const RowBlock& block, std::size_t row) {
  return static_cast<std::size_t>(block.offsets[row] - block.offsets.front());
}

bool is_sound(const RowBlock& block, std::int64_t n_bins, StorageMode mode) {
  const std::span<const std::uint32_t> columns = block.columns;
  std::int64_t breaks_between_rows = 0;
  bool sound = true;
  for (std::size_t r = 0; r + 1 < block.offsets.size(); ++r) {
    const std::size_t begin = position(block, r);
    const std::size_t end = position(block, r + 1);
    if (begin >= end) continue;
    const std::int64_t least =
        mode == StorageMode::square ? 0 : block.first_row + static_cast<std::int64_t>(r);
    sound &= std::int64_t{columns[begin]} >= least;
    sound &= std::int64_t{columns[end - 1]} < n_bins;
    breaks_between_rows += begin > 0 && columns[begin] <= columns[begin - 1] ? 1 : 0;
  }
  return sound && count_breaks(columns) == breaks_between_rows;
}

std::optional<FaultKind> fault_of(std::int64_t row, std::int64_t previous, std::int64_t column,
                                  std::int64_t n_bins, StorageMode mode) {
  if (column >= n_bins) return FaultKind::out_of_range;
  if (mode == StorageMode::symmetric_upper && column < row) return FaultKind::lower_triangle;
  if (column < previous) return FaultKind::unsorted;
  if (column == previous) return FaultKind::duplicate;
  return std::nullopt;
}

std::optional<PixelFault> find_fault(const RowBlock& block, std::int64_t n_bins, StorageMode mode) {
  for (std::size_t r = 0; r + 1 < block.offsets.size(); ++r) {
    const std::int64_t row = block.first_row + static_cast<std::int64_t>(r);
    std::int64_t previous = -1;
    for (std::size_t i = position(block, r); i < position(block, r + 1); ++i) {
      const std::int64_t column = block.columns[i];
      if (const auto kind = fault_of(row, previous, column, n_bins, mode)) {
        return PixelFault{*kind, block.offsets.front() + static_cast<std::int64_t>(i), row, column};
      }
      previous = column;
    }
  }
  return std::nullopt;
}

void require_described(const RowBlock& block) {
  bool described = !block.offsets.empty();
  for (std::size_t r = 1; r < block.offsets.size(); ++r) {
    described &= block.offsets[r - 1] <= block.offsets[r];
  }
  if (!described || position(block, block.offsets.size() - 1) != block.columns.size()) {
    fail(ErrorCode::internal, "row offsets do not describe {} columns", block.columns.size());
  }
}

}  // namespace

std::optional<PixelFault> check_columns(const RowBlock& block, std::int64_t n_bins,
                                        StorageMode mode) {
  require_described(block);
  if (is_sound(block, n_bins, mode)) return std::nullopt;
  return find_fault(block, n_bins, mode);
}

std::string describe(const PixelFault& fault) {
  const std::string pixel =
      fault.column < 0
          ? fmt::format("pixel {} (bin1_id {})", fault.pixel, fault.row)
          : fmt::format("pixel {} (bin1_id {}, bin2_id {})", fault.pixel, fault.row, fault.column);
  switch (fault.kind) {
    case FaultKind::unsorted:
      return pixel + " is out of order: its bin2_id is less than that of the pixel before it";
    case FaultKind::duplicate:
      return pixel + " is a duplicate of the pixel before it";
    case FaultKind::lower_triangle:
      return pixel + " lies below the diagonal of a symmetric-upper map";
    case FaultKind::out_of_range:
      return pixel + " has a bin id that is not below the number of bins";
    case FaultKind::descending_row:
      return pixel + " is out of order: its bin1_id is less than that of the pixel before it";
  }
  fail(ErrorCode::internal, "no such fault: {}", static_cast<int>(fault.kind));
}

}  // namespace ziggurat::pixels
