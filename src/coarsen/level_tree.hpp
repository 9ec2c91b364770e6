// All levels of a pyramid made in one pass over the base.
//
// Levels form a tree: each is made from a finer one. Batches of base pixels are pushed down; a
// level hands on what it has finished once that is worth a batch, so one level's sums are in the
// cache at a time. Memory: a batch and one row of sums for every level, whatever the number of
// pixels. A span is a stretch of base rows that no coarse row of any level crosses: after
// finish_span() every level is complete up to there. Thread rules: one tree per thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "coarsen/row_aggregator.hpp"

namespace ziggurat::coarsen {

constexpr int kBase = -1;

struct LevelSpec {
  int predecessor = kBase;             // index of a level before this one in the list, or kBase
  std::span<const std::uint32_t> ids;  // coarse bin of every bin of the predecessor
  std::uint32_t n_bins = 0;            // of this level
  std::vector<FieldRule> fields;
};

class LevelTree {
 public:
  // Called with finished pixels of a level, in table order; the batch may be read, not kept.
  using Sink = std::function<void(int level, const PixelBatch& batch)>;

  // `batch_pixels`: finished pixels of a level that make a batch.
  LevelTree(const std::vector<LevelSpec>& levels, std::size_t batch_pixels, Sink sink);

  void push(const PixelBatch& base);
  void finish_span();

 private:
  struct Node {
    std::unique_ptr<RowAggregator> aggregator;
    std::vector<int> successors;
    PixelBatch finished;
  };

  void feed(const std::vector<int>& successors, const PixelBatch& batch);
  void hand_on(int level);

  std::vector<Node> nodes_;
  std::vector<int> roots_;  // levels made from the base
  std::size_t batch_pixels_;
  Sink sink_;
};

}  // namespace ziggurat::coarsen
