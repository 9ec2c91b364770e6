#include "coarsen/level_tree.hpp"

#include "base/check.hpp"

namespace ziggurat::coarsen {

LevelTree::LevelTree(const std::vector<LevelSpec>& levels, std::size_t batch_pixels, Sink sink)
    : batch_pixels_(batch_pixels), sink_(std::move(sink)) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const LevelSpec& level = levels[i];
    Node node;
    node.aggregator = make_aggregator(level.ids, level.n_bins, level.fields);
    nodes_.push_back(std::move(node));
    if (level.predecessor >= static_cast<int>(i)) {
      fail(ErrorCode::internal, "level {} comes before its predecessor", i);
    }
    auto& siblings = level.predecessor == kBase
                         ? roots_
                         : nodes_[static_cast<std::size_t>(level.predecessor)].successors;
    siblings.push_back(static_cast<int>(i));
  }
}

void LevelTree::push(const PixelBatch& base) { feed(roots_, base); }

void LevelTree::feed(const std::vector<int>& successors, const PixelBatch& batch) {
  for (const int level : successors) {
    Node& node = nodes_[static_cast<std::size_t>(level)];
    node.aggregator->consume(batch, node.finished);
    if (node.finished.size() >= batch_pixels_) hand_on(level);
  }
}

void LevelTree::hand_on(int level) {
  Node& node = nodes_[static_cast<std::size_t>(level)];
  if (node.finished.size() == 0) return;
  sink_(level, node.finished);
  feed(node.successors, node.finished);
  node.finished.clear();
}

// Predecessors come first in the list, so a level is finished only when it has had all its input.
void LevelTree::finish_span() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].aggregator->finish(nodes_[i].finished);
    hand_on(static_cast<int>(i));
  }
}

}  // namespace ziggurat::coarsen
