// The square of a picture while pixels are poured into it.
//
// A cell stands for `bins_per_cell` bins on either side and never holds bins of two chromosomes.
// Raw values add up, as in a map that coarse; balanced ones are averaged over the pairs of bins
// that have weights. Of symmetric maps the upper triangle is filled and mirrored at the end.
// Thread rules: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ziggurat/report.hpp"

namespace ziggurat::report {

// What a picture shows: these chromosomes of one level.
struct PicturePlan {
  std::size_t level = 0;
  std::vector<std::int32_t> chromosomes;  // ascending
  std::int64_t bins_per_cell = 1;
};

class PictureGrid {
 public:
  // `weights`: as multiplied, of all bins of the level; empty: none.
  PictureGrid(const PicturePlan& plan, std::span<const Chromosome> chromosomes,
              std::span<const std::int64_t> offsets, std::span<const double> weights,
              bool is_symmetric);

  // `balanced` may be NaN. Bins outside of the picture are passed over.
  void add(std::int64_t bin1, std::int64_t bin2, double raw, double balanced) {
    const std::int32_t row = cell_of(bin1);
    const std::int32_t column = cell_of(bin2);
    if (row < 0 || column < 0) return;
    const auto at = static_cast<std::size_t>(row) * side_ + static_cast<std::size_t>(column);
    raw_[at] += raw;
    if (!balanced_.empty() && balanced == balanced) balanced_[at] += balanced;
  }

  // To be called once.
  [[nodiscard]] MapPicture take(std::optional<std::int64_t> bin_size);

 private:
  [[nodiscard]] std::int32_t cell_of(std::int64_t bin) const {
    const std::int64_t at = bin - first_bin_;
    return at < 0 || at >= static_cast<std::int64_t>(cells_.size())
               ? -1
               : cells_[static_cast<std::size_t>(at)];
  }
  void average();
  void mirror();

  MapPicture picture_;
  std::size_t side_ = 0;
  std::int64_t first_bin_ = 0;
  std::vector<std::int32_t> cells_;     // of the bins from first_bin_ on; -1: none
  std::vector<std::int32_t> weighted_;  // bins of each cell that have a weight
  std::vector<double> raw_;
  std::vector<double> balanced_;
  bool is_symmetric_;
};

}  // namespace ziggurat::report
