// Pictures as PNG (ISO/IEC 15948): signature, header, palette, one compressed stretch of rows.
//
// Rows are stored unfiltered: neighbouring cells of a contact map are alike in shade but rarely
// differ by a constant, so the filters made the files larger.
// Cost: that of compressing a byte, or three, for each pixel. Equal pictures give equal bytes.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "report/palette.hpp"

namespace ziggurat::report {

// One shade a pixel, row by row from the top. Requires: shades.size() == width * height.
[[nodiscard]] std::string png_of_shades(std::int64_t width, std::int64_t height,
                                        std::span<const std::uint8_t> shades,
                                        const Palette& palette);
// One colour a pixel. Requires: pixels.size() == width * height.
[[nodiscard]] std::string png_of_colours(std::int64_t width, std::int64_t height,
                                         std::span<const Rgb> pixels);

// RFC 4648, section 4.
[[nodiscard]] std::string base64(std::string_view bytes);

// As an address that holds the picture itself.
[[nodiscard]] std::string data_uri(const std::string& png);

}  // namespace ziggurat::report
