// One reading of a level: everything a report wants to know of its pixels, in a single stream.
//
// Cost: a few additions a pixel for each picture that shows the level, and the reading. Memory: 41
// bytes a bin, 8 for each bin of the longest chromosome, and the pictures; no pixels are kept.
// Sums of integers are exact below 2^53.
// Thread rules: one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "report/picture_grid.hpp"
#include "report/source.hpp"

namespace ziggurat::report {

struct LevelSums {
  double contacts = 0;
  double cis = 0;
  std::vector<double> by_distance;  // cis contacts, by distance in bins
  std::vector<double> coverage;     // contacts of each bin; one within a bin counts once
  std::vector<double> balanced;     // balanced coverage of each bin; empty: no weights
  std::vector<double> cis_of;       // of each chromosome
  std::vector<double> trans_of;     // contacts of each chromosome with others
  std::vector<double> weights;      // as multiplied; NaN: none
  // By which rule each bin without a weight was left out; of bins that have one, nothing of use.
  // Empty: no weights.
  std::vector<LeftOutBy> left_out_by;
  bool rules_known = false;          // else all is `other`
  std::vector<MapPicture> pictures;  // as planned
};

// `plans`: those of pictures of this level.
[[nodiscard]] LevelSums read_level(const Source& source, const SourceLevel& level,
                                   const std::vector<PicturePlan>& plans,
                                   const std::string& reader_program, Observer& observer);

}  // namespace ziggurat::report
