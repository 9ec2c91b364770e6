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
  blocks,  // text for a terminal with 24-bit colours, two cells a character, no axes
  sixel,   // pixels for a terminal that knows the graphics of DEC, in up to 256 colours
  kitty,   // pixels for a terminal that knows the graphics protocol of kitty
};

struct PlotRequest {
  // FILE, of whose levels that is taken which fits `side` best: the finest with no more bins than
  // pixels, else the coarsest with several bins a pixel. Or FILE::GROUP.
  std::string source;
  std::string region;        // as ContactMap::bins_of has it
  std::string columns = {};  // region along the horizontal axis; empty: the same
  std::string weights = {};  // column to balance with; empty: counts as they are
  // Values over their mean at the same distance within the chromosome; of one chromosome only. The
  // scale then lies evenly about 1.
  bool is_oe = false;
  bool is_log = true;              // colours of the logarithm
  std::optional<double> low = {};  // ends of the scale; nothing: percentiles of the values
  std::optional<double> high = {};
  std::string colours = {};  // as report.hpp; empty: fall, over expected coolwarm
  bool is_triangle = false;  // turned, with the diagonal as its base; of one region only
  std::int64_t side = 800;   // of the map, in pixels; in cells for `blocks`: 16 to 8192
  std::string reader_program = {};
};

// Memory: 16 bytes for each pixel of the map. Equal maps give equal bytes.
[[nodiscard]] ZIGGURAT_API std::string plot_map(const PlotRequest& request, PlotFormat format,
                                                Observer& observer);

}  // namespace ziggurat
