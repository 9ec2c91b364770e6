// The open coarse row where it has few pixels and comes of two fine rows: a merge of the two.
//
// A row with a place for every column (positive_row.hpp) costs two looks into far memory for each
// pixel, one to add and one to collect, of which neighbours share what is fetched only in rows that
// are full. Rows of fine levels are not. Each fine row is cut down to coarse columns as it comes,
// and the two are merged in the end. No step has a branch for each pixel, since which row is next
// cannot be predicted. Twice as fast where one column in a thousand has a pixel; as fast where one
// in twenty has.
//
// Counts are positive, with a total below 2^31. Memory: 16 bytes a pixel of the row. Thread rules:
// one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "coarsen/pixel_batch.hpp"

namespace ziggurat::coarsen {

class MergedRow {
 public:
  // Whether a row whose first pixels are so many, of so many columns, is one to merge.
  [[nodiscard]] static bool is_sparse(std::size_t n_pixels, std::size_t n_columns) {
    constexpr std::size_t kColumnsAPixel = 32;
    return n_pixels * kColumnsAPixel < n_columns;
  }

  // Adds counts[i] to column ids[columns[i]], for every i, which are pixels of this fine row. A row
  // may come in pieces, in table order; one that begins anew counts as another. Does nothing and
  // returns false when the row would not be positive with a total below 2^31 any more, or would
  // have a third fine row. Requires: as many counts as columns; columns ascend.
  [[nodiscard]] bool add(std::uint32_t fine_row, std::span<const std::uint32_t> columns,
                         std::span<const std::int32_t> counts, const std::uint32_t* ids);

  [[nodiscard]] bool empty() const { return n_parts_ == 0; }

  // Writes the pixels in ascending order of columns, leaves the row empty, and returns how many
  // they are. Both targets need room for as many as were added.
  std::size_t drain(std::uint32_t* columns, std::int32_t* counts);

 private:
  // A fine row in coarse columns, ascending, each once.
  struct Part {
    std::uint32_t fine_row = 0;
    std::uint32_t last_column = 0;  // fine
    std::size_t n = 0;
    Buffer<std::uint32_t> columns;
    Buffer<std::int32_t> counts;

    [[nodiscard]] bool is_continued(std::uint32_t row, std::span<const std::uint32_t> fine) const {
      return row == fine_row && (fine.empty() || n == 0 || fine.front() > last_column);
    }
    void append(std::span<const std::uint32_t> fine_columns, std::span<const std::int32_t> added,
                const std::uint32_t* ids);
  };

  std::array<Part, 2> parts_;
  std::size_t n_parts_ = 0;
  std::int64_t total_ = 0;
};

}  // namespace ziggurat::coarsen
