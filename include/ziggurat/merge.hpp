// Adding maps up: one map whose pixels are the sums of those of others with the same bins.
//
// Thread rules: as build.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ziggurat/build.hpp"
#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat {

struct MergeRequest {
  std::vector<std::string> sources;  // URIs of maps with the same bins and storage; at least one
  std::string output;                // URI
  bool append = false;               // keep the other contents of an existing output file
  SourceRules rules;                 // a field's values are combined in the order of the sources
  Settings settings;
};

// The output has the bins, the assembly and the metadata of the first source, and no other columns
// than those of the fields. Values have the type that numpy gives to the sum of the sources' types,
// and a wider one where sums do not fit. Sources are read at the same time, by a process each, 32
// at most: of more, groups are added up first and kept in the temporary folder.
// Throws Error: usage (also for maps that do not fit together, naming the first difference), input,
// format, io, worker, cancelled.
ZIGGURAT_API BuildReport merge(const MergeRequest& request, Observer& observer);

}  // namespace ziggurat
