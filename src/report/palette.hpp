// Colour maps: what people in the field draw contact maps with.
//
// A colour map has kShades colours from the lowest value to the highest, all different, so that a
// value can be read back from its colour, and one apart for cells without a value.
// Thread rules: free functions of their arguments.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ziggurat::report {

inline constexpr int kShades = 255;
inline constexpr std::uint8_t kMissing = 255;

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

// Shades 0 to 254; 255 stands for "no value".
using Palette = std::array<Rgb, kShades + 1>;

[[nodiscard]] const std::vector<std::string>& palette_names();
// Throws Error{usage} naming those there are.
[[nodiscard]] const Palette& palette(const std::string& name);

}  // namespace ziggurat::report
