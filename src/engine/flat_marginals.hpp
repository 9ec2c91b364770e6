// Weights that say of themselves that they converged, held to it: the sums of the balanced rows
// must be as even as their tolerance says.
//
// Thread rules: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cool/description.hpp"
#include "reader/protocol.hpp"

namespace ziggurat::engine {

class FlatMarginals {
 public:
  // Takes the columns of `map` that state a tolerance, a scale and convergence as cooler's do; not
  // those of trans contacts alone, whose sums are weighed by the lengths of chromosomes, nor any of
  // a square map. Keeps a reference to `map`.
  explicit FlatMarginals(const cool::Description& map);

  // Pixels of the map, each once, in any order.
  void add(const reader::Block& block, const reader::BlockView& view);

  // All pixels are in: a line for each column that is not what it says.
  [[nodiscard]] std::vector<std::string> faults() const;

 private:
  struct Column {
    std::string name;
    std::vector<double> weights;   // 0 in place of NaN
    std::vector<double> sums;      // of the balanced values in each bin's row and column
    std::vector<double> diagonal;  // what the sums hold twice: cells that are row and column
    std::int64_t ignored_diags = 0;
    bool cis_only = false;
    double tol = 0;
    std::vector<double> scale;  // one, or of each chromosome; NaN: nothing is claimed
  };

  void take(const cool::SideColumn& side);
  void add_pixel(Column& column, std::uint32_t row, std::uint32_t bin2, double count) const;
  [[nodiscard]] static double variance(const std::vector<double>& sums, std::int64_t first,
                                       std::int64_t end);
  [[nodiscard]] static double least_variance(const Column& column, std::int64_t first,
                                             std::int64_t end);

  const cool::Description& map_;
  std::vector<std::int32_t> chromosome_of_;
  std::vector<Column> columns_;
};

}  // namespace ziggurat::engine
