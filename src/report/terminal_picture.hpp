// Pictures as text that a terminal shows.
//
// Blocks: two cells a character, by the colours of a half block and of what is behind it.
// Sixel (DEC STD 070, chapter 9): strips of six rows; for each colour in a strip, the columns that
// have it, as six bits a character with runs counted. A terminal keeps 256 colours of 101 steps a
// channel: where a picture has more, the rarer ones are shown as the nearest of the 256 most usual.
// Kitty: the picture as PNG, in base64, cut into parts of 4 KiB.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "report/palette.hpp"

namespace ziggurat::report {

// Row by row from the top. Requires: pixels.size() == width * height, neither being 0.
[[nodiscard]] std::string as_blocks(std::int64_t width, std::int64_t height,
                                    std::span<const Rgb> pixels);
[[nodiscard]] std::string as_sixel(std::int64_t width, std::int64_t height,
                                   std::span<const Rgb> pixels);
[[nodiscard]] std::string as_kitty(const std::string& png);

}  // namespace ziggurat::report
