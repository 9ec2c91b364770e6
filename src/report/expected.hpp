// What a map holds at each distance on average: observed contacts over these tell what stands out.
//
// Expected of a distance is the mean over the pairs of bins of one chromosome that far apart;
// balanced, of those pairs that both have weights. Cost: one reading of the chromosome, and a few
// operations for each bin of a region and cell along its other axis.
// Thread rules: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/region_grid.hpp"

namespace ziggurat::report {

// By distance in bins. `weights`: the column's name and, where there is one, its values as `map`
// gives them; an empty name: counts as they are.
[[nodiscard]] std::vector<double> expected_by_distance(const ContactMap& map, BinRange chromosome,
                                                       const std::string& weight_name,
                                                       const std::vector<double>& weights,
                                                       Observer& observer);

// The bins [first, end) of an axis, of which so many make a cell.
struct CellAxis {
  BinRange bins;
  std::int64_t bins_per_cell = 1;
};

// Sum over the pairs of bins of each cell, row by row. Requires: no pair farther apart than
// `expected` reaches.
[[nodiscard]] std::vector<double> expected_of_cells(const std::vector<double>& expected,
                                                    const CellAxis& rows, const CellAxis& columns);

}  // namespace ziggurat::report
