// A picture of a stretch of a contact map.
//
// Thread rules: as build.hpp. Errors: as read.hpp; usage for a region or a colour map that there is
// not, and for ends of the scale that make none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat {

enum class PlotFormat {
  png,
  svg,
  blocks,  // text for a terminal with 24-bit colours, two cells a character
};

struct PlotRequest {
  // FILE, of whose levels that is taken which fits `side` best: the finest with no more bins than
  // pixels, else the coarsest with several bins a pixel. Or FILE::GROUP.
  std::string source;
  std::string region;              // as ContactMap::bins_of has it
  std::string columns = {};        // region along the horizontal axis; empty: the same
  std::string weights = {};        // column to balance with; empty: counts as they are
  bool is_log = true;              // colours of the logarithm
  std::optional<double> low = {};  // ends of the scale; nothing: percentiles of the values
  std::optional<double> high = {};
  std::string colours = "fall";  // as report.hpp
  bool is_triangle = false;      // turned, with the diagonal as its base; of one region only
  std::int64_t side = 800;       // of the map, in pixels; in cells for `blocks`: 16 to 8192
  std::string reader_program = {};
};

// Memory: 16 bytes for each pixel of the map. Equal maps give equal bytes.
[[nodiscard]] ZIGGURAT_API std::string plot_map(const PlotRequest& request, PlotFormat format,
                                                Observer& observer);

}  // namespace ziggurat
