// Turns pixels at one resolution into pixels k times coarser, a coarse row at a time.
//
// Pixels (i, j) of k consecutive rows, whose columns ascend within each row but not across rows, go
// to coarse pixel (I, J) = (ids[i], ids[j]), where `ids` gives every bin its coarse bin. Because a
// chromosome's last coarse bin may hold fewer than k bins, ids is a table and never a division:
// rows on two sides of a chromosome's end must not meet.
//
//   k = 2, chromosomes of 3 and 1 bins:   ids = 0 0 1 2
//        j: 0 1 2 | 3                          J: 0   1 | 2
//   i=0     a b c | d                     I=0     aabe  cf | dg     (row sums of cells a b / e)
//   i=1       e f | g          ->
//   i=2         h | k                     I=1           h | k
//   i=3           | m                     I=2             | m
//
// The open coarse row is carried over between batches, so batches may be cut between any two rows.
// Cost: each input pixel is one addition into a dense row of sums and a mark at two levels; each
// output pixel is found by its marks and stored. Memory: one sum for every coarse bin.
// Invariant: the output is sorted and free of duplicates, whatever the order within the input rows.
// Thread rules: one aggregator per thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/aggregation.hpp"
#include "base/number_type.hpp"
#include "coarsen/pixel_batch.hpp"

namespace ziggurat::coarsen {

// How one value column is carried to the next level.
struct FieldRule {
  Aggregation aggregation = Aggregation::sum;
  NumberType source = NumberType::i32;  // type in the level that is read
  NumberType target = NumberType::i32;  // type in the level that is made, before any widening
  bool is_count = false;                // its total is the level's sum

  friend bool operator==(const FieldRule&, const FieldRule&) = default;
};

class RowAggregator {
 public:
  virtual ~RowAggregator() = default;
  // Adds a batch; coarse rows that are complete are appended to `out`.
  // Throws: Error{format} when an integer sum is beyond 64 bits.
  virtual void consume(const PixelBatch& in, PixelBatch& out) = 0;
  // Appends the coarse row that is still open, if any: its last input row has been seen.
  virtual void finish(PixelBatch& out) = 0;
};

// The fastest aggregator for these rules. `ids` must outlive it and hold values below
// n_coarse_bins.
[[nodiscard]] std::unique_ptr<RowAggregator> make_aggregator(std::span<const std::uint32_t> ids,
                                                             std::uint32_t n_coarse_bins,
                                                             const std::vector<FieldRule>& rules);

}  // namespace ziggurat::coarsen
