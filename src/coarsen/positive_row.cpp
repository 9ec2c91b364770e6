#include "coarsen/positive_row.hpp"

#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "coarsen/row_kernels.hpp"

namespace ziggurat::coarsen {

namespace {

constexpr std::size_t groups(std::size_t n_marks) { return n_marks / kGroup + 1; }

}  // namespace

std::optional<std::int64_t> positive_total(std::int64_t total,
                                           std::span<const std::int32_t> counts) {
  std::int32_t signs = 0;  // negative once any count is 0 or less
  for (const std::int32_t count : counts) {
    total += static_cast<std::uint32_t>(count);  // cheaper to extend, and no other where it counts
    signs |= count | static_cast<std::int32_t>(static_cast<std::uint32_t>(count) - 1);
  }
  if (signs < 0 || total > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return total;
}

PositiveRow::PositiveRow(std::uint32_t n_columns, Isa isa)
    : isa_(isa),
      cells_((n_columns / kLine + 1) * kLine),
      lines_(groups(cells_.size() / kLine) * kGroup),
      blocks_(groups(lines_.size() / kGroup) * kGroup),
      all_groups_(blocks_.size() / kGroup),
      found_blocks_(blocks_.size() + kSlack),
      found_lines_(lines_.size() + kSlack) {
  std::iota(all_groups_.begin(), all_groups_.end(), 0U);
}

bool PositiveRow::add(std::span<const std::uint32_t> columns, std::span<const std::int32_t> counts,
                      const std::uint32_t* ids) {
  ZIGGURAT_ASSERT(columns.size() == counts.size());
  const std::optional<std::int64_t> total = positive_total(total_, counts);
  if (!total) return false;
  total_ = *total;
  std::uint32_t* const cells = cells_.data();
  std::uint8_t* const lines = lines_.data();
  std::uint8_t* const blocks = blocks_.data();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::uint32_t column = ids[columns[i]];
    cells[column] += static_cast<std::uint32_t>(counts[i]);
    lines[column / kLine] = kMark;
    blocks[column / (kLine * kGroup)] = kMark;
  }
  return true;
}

std::size_t PositiveRow::drain(std::uint32_t* columns, std::int32_t* counts) {
  total_ = 0;
  const auto found = [](const std::vector<std::uint32_t>& list, std::size_t n) {
    return std::span(list).first(n);
  };
  const std::size_t n_blocks = take_marks(isa_, blocks_.data(), all_groups_, found_blocks_.data());
  const std::size_t n_lines =
      take_marks(isa_, lines_.data(), found(found_blocks_, n_blocks), found_lines_.data());
  return take_cells(isa_, cells_.data(), found(found_lines_, n_lines), columns, counts);
}

}  // namespace ziggurat::coarsen
