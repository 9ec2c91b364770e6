// The values of a rectangle of the map, with several bins a cell where there are too many.
// Thread rules: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ziggurat/plot.hpp"
#include "ziggurat/read.hpp"

namespace ziggurat::report {

// A stretch of one chromosome, at the borders of its bins.
struct GridAxis {
  std::string chromosome;
  double start = 0;  // bp
  double end = 0;
  std::int64_t n_cells = 0;
};

struct RegionGrid {
  GridAxis rows;
  GridAxis columns;
  std::optional<std::int64_t> bin_size;  // of the level
  std::int64_t bins_per_cell = 1;
  // Raw: sum of the counts of a cell; balanced: the mean over the pairs of bins with a weight, NaN
  // where there is none. Or either over what is expected at its distance.
  std::vector<float> values;
};

// Throws Error: as read.hpp; usage for a column of weights that there is not.
[[nodiscard]] RegionGrid read_region(const PlotRequest& request, Observer& observer);

}  // namespace ziggurat::report
