// What several parts of a report ask of its levels.
#pragma once

#include "ziggurat/report.hpp"

namespace ziggurat::report {

// Of the level; null: it has none of that name.
[[nodiscard]] inline const WeightNumbers* weights_shown(const MapReport& report,
                                                        const LevelNumbers& level) {
  for (const WeightNumbers& weights : level.weights) {
    if (weights.name == report.weights) return &weights;
  }
  return nullptr;
}

// Fine enough for its data: 80 % of the bins have 1,000 contacts or more.
[[nodiscard]] inline bool is_well_covered(const LevelNumbers& level) {
  constexpr double kShare = 0.8;
  return level.share_covered >= kShare;
}

}  // namespace ziggurat::report
