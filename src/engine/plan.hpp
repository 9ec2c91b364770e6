// A request turned into what will be done: sources described and identified, levels and where each
// comes from. Nothing is written while planning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/balance_level.hpp"
#include "engine/pass.hpp"
#include "engine/paths.hpp"
#include "genome/field_spec.hpp"
#include "genome/resolutions.hpp"
#include "ziggurat/arrange.hpp"
#include "ziggurat/build.hpp"

namespace ziggurat::engine {

struct Source {
  genome::Uri uri;
  FileIdentity identity;
  cool::Description description;
};

struct PlannedLevel {
  genome::LevelPlan plan;
  std::string group;                      // in the output
  bool written = true;                    // false for the source of a single coarser map
  std::optional<BalanceOptions> balance;  // when it is balanced afterwards
};

enum class OutputKind { pyramid, legacy, single_map };

struct BuildPlan {
  std::vector<Source> sources;
  std::vector<PlannedLevel> levels;       // finest first; a predecessor before its successors
  std::vector<genome::FieldSpec> fields;  // empty: every column, as it is
  std::string output;
  OutputKind kind = OutputKind::pyramid;
  bool append = false;
  SourceRules rules;
  Settings settings;           // with everything decided
  BalanceMeans balance_means;  // of the levels that are balanced; no scratch folder yet
  bool store_weights = true;   // else they are only reported
  CheckpointSettings checkpoint;
};

[[nodiscard]] BuildPlan plan(const ZoomifyRequest& request, Observer& observer);
[[nodiscard]] BuildPlan plan(const CoarsenRequest& request, Observer& observer);
[[nodiscard]] BuildPlan plan(const AssembleRequest& request, Observer& observer);
[[nodiscard]] BuildPlan plan(const CopyRequest& request, Observer& observer);

// Settings with the open ones decided. Throws Error{usage} for values out of range.
[[nodiscard]] Settings decided(Settings settings);

// What the plan amounts to, with estimates.
[[nodiscard]] BuildReport estimate(const BuildPlan& plan);

}  // namespace ziggurat::engine
