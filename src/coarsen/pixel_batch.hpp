// A run of consecutive pixels of one level, in table order, as it is handed from level to level.
//
// Values have one of two forms. Compact: the single value column is an integer whose values all fit
// 32 bits (`counts`); this is what nearly every map looks like, and half the memory traffic.
// General: one pixels::Column for each value column. Every batch is in exactly one form.
// Thread rules: a value; no shared state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/row_run.hpp"
#include "pixels/column.hpp"

namespace ziggurat::coarsen {

// Leaves new elements of a growing vector unset: the buffers here are always overwritten at once.
template <typename T>
struct UnsetAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };
  template <typename U, typename... Args>
  void construct(U* place, Args&&... args) {
    if constexpr (sizeof...(Args) > 0) ::new (place) U(std::forward<Args>(args)...);
  }
};
template <typename T>
using Buffer = std::vector<T, UnsetAllocator<T>>;

struct PixelBatch {
  std::vector<RowRun> runs;       // ascending rows; the pixels of one row may be two runs
  Buffer<std::uint32_t> columns;  // bin2_id of every pixel
  bool compact = true;
  Buffer<std::int32_t> counts;         // compact form
  std::vector<pixels::Column> values;  // general form, each as long as `columns`
  // Total of the column `count` before it was rounded to its stored type, where that matters.
  std::optional<double> exact_total;

  [[nodiscard]] std::size_t size() const { return columns.size(); }
  // Drops the pixels, keeps the memory. A single integer column becomes compact again.
  void clear();
  // Compact to general form.
  void widen();
};

}  // namespace ziggurat::coarsen
