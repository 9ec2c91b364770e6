// Which pictures the terminal shows.
//
// Told by the environment where that is sure; else the terminal is asked for its attributes (DA1,
// `ESC [ c`), to which one that knows sixel answers with the number 4 among others. A terminal that
// does not answer within a moment, or is none, gets blocks.
// Thread rules: one thread. While it asks, the terminal neither echoes nor waits for a line.
#pragma once

#include <cstdint>

#include "ziggurat/plot.hpp"

namespace ziggurat::cli {

// Of standard output.
[[nodiscard]] PlotFormat terminal_format();

// The longer side of a map that standard output shows well: in columns for blocks, else in pixels.
[[nodiscard]] std::int64_t terminal_side(PlotFormat format);

}  // namespace ziggurat::cli
