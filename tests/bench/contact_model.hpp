// How often two bins of a genome touch, and random counts drawn from it.
#pragma once

#include <cstdint>
#include <vector>

#include "assembly.hpp"
#include "random_stream.hpp"

namespace ziggurat::bench {

// Pixels of one or more rows: columns and counts side by side.
struct Contacts {
  std::vector<std::int32_t> columns;
  std::vector<std::int32_t> counts;

  void add(std::int64_t column, std::int64_t count);
};

// Const after construction; row() may be called from several threads.
class ContactModel {
 public:
  // resolution in base pairs; trans_share: expected share of contacts between chromosomes, below 1.
  // Throws std::runtime_error for a genome of fewer than two bins.
  ContactModel(std::vector<Chromosome> chromosomes, std::int64_t resolution, double trans_share,
               std::uint64_t seed);

  [[nodiscard]] const std::vector<Chromosome>& chromosomes() const { return chromosomes_; }
  // First bin of each chromosome, and the number of bins at the end.
  [[nodiscard]] const std::vector<std::int64_t>& chromosome_offsets() const { return offsets_; }
  [[nodiscard]] std::int64_t resolution() const { return resolution_; }
  [[nodiscard]] std::int64_t bins() const { return offsets_.back(); }
  // Bins with any coverage.
  [[nodiscard]] std::int64_t live_bins() const;

  // Appends the drawn pixels (row, column >= row) of one row, columns ascending. depth multiplies
  // every expected count. The same arguments give the same pixels.
  void row(std::int64_t row, double depth, Contacts& out) const;

 private:
  struct Walk;

  void make_tracks();
  void make_step(Walk& walk, RandomStream& random, std::int64_t bin, std::size_t chromosome);
  double draw_coverage(Walk& walk, RandomStream& random, std::int64_t bin, std::size_t chromosome);
  void make_decay();
  void make_sampling_tables();
  [[nodiscard]] double trans_factor(double trans_share) const;

  [[nodiscard]] std::int64_t end_of_chromosome(std::int64_t bin) const;
  void near_row(std::int64_t row, double scale, RandomStream& random, Contacts& out) const;
  void far_row(std::int64_t row, double scale, RandomStream& random, Contacts& out) const;
  void trans_row(std::int64_t row, double scale, RandomStream& random, Contacts& out) const;
  [[nodiscard]] std::int64_t bin_at_coverage(double cumulative, std::int64_t first) const;

  std::vector<Chromosome> chromosomes_;
  std::int64_t resolution_;
  std::uint64_t seed_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::int32_t> chromosome_of_;

  // One value a bin.
  std::vector<float> coverage_;
  std::vector<float> compartment_;
  std::vector<std::int32_t> domain_;
  std::vector<std::int32_t> subdomain_;

  std::vector<double> decay_;          // by distance in bins
  std::vector<double> cumulative_;     // coverage of all bins before
  std::vector<std::int32_t> guide_;    // equal steps of cumulative coverage -> bin
  std::vector<float> block_coverage_;  // largest of each block of bins
  std::int64_t near_bins_;             // up to here pairs are drawn one by one
  std::int64_t block_bins_;
  double largest_compartment_ = 1;
  double trans_factor_ = 0;
};

}  // namespace ziggurat::bench
