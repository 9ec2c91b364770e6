// Letters for pictures, drawn as strokes: a plotter's alphabet, so that no font is needed where the
// program runs.
//
// A glyph is a few lines through points of a grid of 5 by 9: capitals fill rows 0 to 6, row 6 is
// the base line, descenders reach row 8. Other characters than ASCII are drawn as a box.
// Thread rules: free functions of their arguments.
#pragma once

#include <string_view>
#include <vector>

namespace ziggurat::report {

struct Stroke {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;  // equal ends: a dot
};

// The strokes of a text that starts at x = 0 with its base line at y = 0, in units of the grid
// (capitals are 6 high), and where the next letter would start.
struct TextStrokes {
  std::vector<Stroke> strokes;
  double width = 0;
};

[[nodiscard]] TextStrokes strokes_of(std::string_view text);

}  // namespace ziggurat::report
