#include "coarsen/pixel_batch.hpp"

namespace ziggurat::coarsen {

void PixelBatch::clear() {
  runs.clear();
  columns.clear();
  counts.clear();
  exact_total.reset();
  for (pixels::Column& column : values) pixels::clear(column);
  const bool one_integer =
      values.size() == 1 && pixels::kind_of(values.front()) == pixels::ColumnKind::integer;
  compact = compact || one_integer;
}

void PixelBatch::widen() {
  if (!compact) return;
  std::vector<std::int64_t> wide(counts.begin(), counts.end());
  values.assign(1, std::move(wide));
  counts.clear();
  compact = false;
}

}  // namespace ziggurat::coarsen
