// Proving that a file is what it says: structure, every pixel, and level against level.
//
// Thread rules: as build.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ziggurat/build.hpp"
#include "ziggurat/export.hpp"

namespace ziggurat {

struct VerifyRequest {
  std::string target;  // a file with one or more maps, or the URI of one
  bool quick = false;  // the structure only: tables, attributes, marks; no pixel is read
  Settings settings;
};

struct LevelVerdict {
  std::string group;
  std::int64_t resolution = 0;
  std::int64_t n_bins = 0;
  std::int64_t n_pixels = 0;
  std::string sum;                  // of `count`, as text
  std::string compared_with;        // group of the level it must be the coarsening of; or empty
  std::vector<std::string> faults;  // one line each; none: sound
};

struct VerifyReport {
  std::vector<std::string> faults;   // of the file as a whole
  std::vector<LevelVerdict> levels;  // finest first
  [[nodiscard]] ZIGGURAT_API bool sound() const;
};

// Reports faults of the maps in the result; throws only where nothing can be said: Error usage,
// input (missing, not HDF5), worker, cancelled.
ZIGGURAT_API VerifyReport verify(const VerifyRequest& request, Observer& observer);

}  // namespace ziggurat
