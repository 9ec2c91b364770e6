// Are two maps equal, and if not, where and by how much?
//
// Thread rules: as build.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat {

struct CompareRequest {
  std::string a;         // URI of a map, or a multi-resolution file: then every map of it
  std::string b;         // the same
  double tolerance = 0;  // numbers are equal when they differ by no more than this, relative to the
                         // larger of both; NaN equals NaN
  std::string reader_program;  // see Settings in build.hpp
};

enum class DifferenceKind {
  map,        // a group that only one file has
  bins,       // chromosomes and bins, or the storage mode; then nothing else is compared
  attribute,  // of the map, apart from those that say when and by what it was written
  column,     // of the tables chroms and bins
  pixels,     // of one value column
};

struct Difference {
  DifferenceKind kind = DifferenceKind::map;
  std::string group;          // of the map in the first file
  std::string object;         // name of the attribute, column (TABLE/NAME) or value column
  std::string text;           // one line for people: what differs, and the first place
  std::int64_t n_only_a = 0;  // pixels that only one has, or 1 where the whole object is
  std::int64_t n_only_b = 0;
  std::int64_t n_different = 0;   // rows or pixels with different values
  std::optional<double> largest;  // absolute difference of numbers that both have; not of NaN
};

struct CompareReport {
  std::int64_t n_maps = 0;              // pairs of maps that were compared
  std::int64_t n_pixels = 0;            // that were compared, of all value columns
  std::vector<Difference> differences;  // in the order of the maps
  [[nodiscard]] bool same() const { return differences.empty(); }
};

// Cost: both files are read once for each value column. Memory: a block of pixels and a column of
// the bins of each. Throws Error: usage, input, format, worker, cancelled.
ZIGGURAT_API CompareReport compare(const CompareRequest& request, Observer& observer);

}  // namespace ziggurat
