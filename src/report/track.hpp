// The genome as one line of columns: coverage, and which bins have no weight.
// Thread rules: one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ziggurat/report.hpp"

namespace ziggurat::report {

// `drawn`: chromosomes by index, ascending; at least one.
class TrackBuilder {
 public:
  TrackBuilder(std::span<const Chromosome> chromosomes, std::vector<std::int32_t> drawn);

  // Coverage by bin of a level, spread over the columns that a bin touches.
  void add_coverage(std::span<const std::int64_t> offsets, std::span<const double> coverage);
  // A level more: of each column the share of bins without weight, by rule. Without weights: none.
  // Requires: a rule for each weight.
  void add_masked(std::span<const std::int64_t> offsets, std::span<const double> weights,
                  std::span<const LeftOutBy> rules);

  [[nodiscard]] GenomeTrack take() { return std::move(track_); }

 private:
  // Calls use(bin, column, share of the bin that lies in the column).
  template <typename Use>
  void for_each_part(std::span<const std::int64_t> offsets, Use use) const;

  std::vector<std::int32_t> drawn_;
  GenomeTrack track_;
};

}  // namespace ziggurat::report
