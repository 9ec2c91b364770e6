// The set of columns that the open row has pixels in, to be visited in ascending order.
//
// Two levels of 64-bit words: a bit a column, and a bit for every word that is not empty. Setting
// costs two stores; visiting costs a step for each member and n_columns / 4096 for the rest.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ziggurat::coarsen {

class ColumnMarks {
 public:
  explicit ColumnMarks(std::uint32_t n_columns)
      : words_(n_columns / 64 + 1), summary_(n_columns / 4096 + 1) {}

  void mark(std::uint32_t column) {
    words_[column >> 6] |= std::uint64_t{1} << (column & 63U);
    summary_[column >> 12] |= std::uint64_t{1} << ((column >> 6) & 63U);
  }

  // Calls visit(column) for every member in ascending order and leaves the set empty.
  template <typename Visit>
  void drain(Visit visit) {
    for (std::size_t s = 0; s < summary_.size(); ++s) {
      for (std::uint64_t groups = summary_[s]; groups != 0; groups &= groups - 1) {
        const std::size_t w = s * 64 + static_cast<std::size_t>(std::countr_zero(groups));
        for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
          visit(static_cast<std::uint32_t>(w * 64 +
                                           static_cast<std::size_t>(std::countr_zero(bits))));
        }
        words_[w] = 0;
      }
      summary_[s] = 0;
    }
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;
};

}  // namespace ziggurat::coarsen
