#include "coarsen/merged_row.hpp"

#include <algorithm>
#include <optional>

#include "base/check.hpp"
#include "coarsen/positive_row.hpp"

namespace ziggurat::coarsen {

// The sum of the last column is carried along, and written again for each pixel: only the place it
// is written to moves on.
void MergedRow::Part::append(std::span<const std::uint32_t> fine_columns,
                             std::span<const std::int32_t> added, const std::uint32_t* ids) {
  if (fine_columns.empty()) return;
  columns.resize(n + fine_columns.size());
  counts.resize(n + fine_columns.size());
  std::size_t last = n;
  std::uint32_t column = ids[fine_columns.front()];
  std::int32_t sum = 0;
  if (n > 0 && columns[n - 1] == column) sum = counts[--last];
  for (std::size_t i = 0; i < fine_columns.size(); ++i) {
    const std::uint32_t next = ids[fine_columns[i]];
    const bool is_new = next != column;
    last += is_new ? 1 : 0;
    sum = (is_new ? 0 : sum) + added[i];
    column = next;
    columns[last] = column;
    counts[last] = sum;
  }
  n = last + 1;
  last_column = fine_columns.back();
}

bool MergedRow::add(std::uint32_t fine_row, std::span<const std::uint32_t> columns,
                    std::span<const std::int32_t> counts, const std::uint32_t* ids) {
  ZIGGURAT_ASSERT(columns.size() == counts.size());
  const bool is_new = n_parts_ == 0 || !parts_[n_parts_ - 1].is_continued(fine_row, columns);
  if (is_new && n_parts_ == parts_.size()) return false;
  const std::optional<std::int64_t> total = positive_total(total_, counts);
  if (!total) return false;
  total_ = *total;
  if (is_new) {
    Part& part = parts_[n_parts_++];
    part.fine_row = fine_row;
    part.n = 0;
  }
  parts_[n_parts_ - 1].append(columns, counts, ids);
  return true;
}

std::size_t MergedRow::drain(std::uint32_t* columns, std::int32_t* counts) {
  const Part& a = parts_[0];
  const Part& b = parts_[1];
  const std::size_t n_a = n_parts_ > 0 ? a.n : 0;
  const std::size_t n_b = n_parts_ > 1 ? b.n : 0;
  std::size_t i = 0;
  std::size_t k = 0;
  std::size_t n = 0;
  while (i < n_a && k < n_b) {
    const std::uint32_t left = a.columns[i];
    const std::uint32_t right = b.columns[k];
    const std::int32_t from_left = left <= right ? 1 : 0;
    const std::int32_t from_right = right <= left ? 1 : 0;
    columns[n] = std::min(left, right);
    counts[n] = (a.counts[i] & -from_left) + (b.counts[k] & -from_right);
    i += static_cast<std::size_t>(from_left);
    k += static_cast<std::size_t>(from_right);
    ++n;
  }
  const auto take_rest = [&](const Part& part, std::size_t first, std::size_t end) {
    std::copy(part.columns.data() + first, part.columns.data() + end, columns + n);
    std::copy(part.counts.data() + first, part.counts.data() + end, counts + n);
    n += end - first;
  };
  take_rest(a, i, n_a);
  take_rest(b, k, n_b);
  n_parts_ = 0;
  total_ = 0;
  return n;
}

}  // namespace ziggurat::coarsen
