// The column that balancing adds to the bins of a map, with the attributes that describe the run.
// Thread rules: one thread at a time, the one that calls HDF5.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cool/description.hpp"
#include "h5/block_sums.hpp"
#include "h5/locked_file.hpp"

namespace ziggurat::cool {

struct WeightColumn {
  std::string group;                // of the map in its file
  std::string name;                 // of the column; one that exists is replaced
  std::span<const double> weights;  // a bin; NaN: left out
  double tol = 0;
  std::int64_t min_nnz = 0;
  double min_count = 0;
  double mad_max = 0;
  std::int64_t ignore_diags = 0;
  bool cis_only = false;
  bool divisive = false;
  std::string
      iteration;  // an attribute of its own when rounds were not the reference's; else empty
  std::vector<double> scale;  // one, or with cis_only one a chromosome
  std::vector<double> var;
  std::vector<bool> converged;
};

// Into a file that nobody else knows of: on failure not to be used any more. Takes what the file
// holds, where that is known, and returns what it holds then. Throws Error{io}.
std::optional<h5::BlockSums> write_weights(const std::string& path,
                                           const std::vector<WeightColumn>& columns,
                                           std::optional<h5::BlockSums> content = std::nullopt);

// Further columns of bins, as they were read, into a file as above whose map is at its root. Each
// is added as write_weights() adds one, so that a level with weights has the same bytes whether
// they were computed for it or brought along.
std::optional<h5::BlockSums> add_bin_columns(const std::string& path,
                                             const std::vector<SideColumn>& columns,
                                             std::optional<h5::BlockSums> content);

// Into somebody's file, in place and atomically: see h5/journal.hpp, also for what is thrown.
// `check` is called when the file is held and before it is touched; what it throws ends the edit.
void write_weights_in_place(const std::string& path, const std::vector<WeightColumn>& columns,
                            const h5::LockPatience& patience, const std::function<void()>& check);

}  // namespace ziggurat::cool
