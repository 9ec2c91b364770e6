#include "report/picture_grid.hpp"

#include <cmath>
#include <limits>

namespace ziggurat::report {

PictureGrid::PictureGrid(const PicturePlan& plan, std::span<const Chromosome> chromosomes,
                         std::span<const std::int64_t> offsets, std::span<const double> weights,
                         bool is_symmetric)
    : is_symmetric_(is_symmetric) {
  const auto first = static_cast<std::size_t>(plan.chromosomes.front());
  const auto last = static_cast<std::size_t>(plan.chromosomes.back());
  first_bin_ = offsets[first];
  cells_.assign(static_cast<std::size_t>(offsets[last + 1] - first_bin_), -1);
  std::int64_t n_cells = 0;
  for (const std::int32_t index : plan.chromosomes) {
    const auto c = static_cast<std::size_t>(index);
    const std::int64_t n_bins = offsets[c + 1] - offsets[c];
    const std::int64_t n = (n_bins + plan.bins_per_cell - 1) / plan.bins_per_cell;
    picture_.spans.push_back({chromosomes[c].name, n_cells, n, chromosomes[c].length});
    for (std::int64_t i = 0; i < n_bins; ++i) {
      cells_[static_cast<std::size_t>(offsets[c] - first_bin_ + i)] =
          static_cast<std::int32_t>(n_cells + i / plan.bins_per_cell);
    }
    n_cells += n;
  }
  picture_.bins_per_cell = plan.bins_per_cell;
  picture_.n_cells = n_cells;
  side_ = static_cast<std::size_t>(n_cells);
  raw_.assign(side_ * side_, 0);
  if (weights.empty()) return;
  balanced_.assign(side_ * side_, 0);
  weighted_.assign(side_, 0);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i] < 0 || std::isnan(weights[static_cast<std::size_t>(first_bin_) + i])) continue;
    ++weighted_[static_cast<std::size_t>(cells_[i])];
  }
}

void PictureGrid::average() {
  for (std::size_t row = 0; row < side_; ++row) {
    for (std::size_t column = 0; column < side_; ++column) {
      const double a = weighted_[row];
      const double b = weighted_[column];
      const bool half = is_symmetric_ && row == column;
      const double pairs = half ? a * (a + 1) / 2 : a * b;
      double& cell = balanced_[row * side_ + column];
      cell = pairs > 0 ? cell / pairs : std::numeric_limits<double>::quiet_NaN();
    }
  }
}

void PictureGrid::mirror() {
  for (std::size_t row = 0; row < side_; ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      const std::size_t from = column * side_ + row;
      const std::size_t to = row * side_ + column;
      raw_[to] = raw_[from];
      if (!balanced_.empty()) balanced_[to] = balanced_[from];
    }
  }
}

MapPicture PictureGrid::take(std::optional<std::int64_t> bin_size) {
  if (!balanced_.empty()) average();
  if (is_symmetric_) mirror();
  picture_.bin_size = bin_size;
  picture_.raw.assign(raw_.begin(), raw_.end());
  picture_.balanced.assign(balanced_.begin(), balanced_.end());
  return std::move(picture_);
}

}  // namespace ziggurat::report
