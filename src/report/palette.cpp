#include "report/palette.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <map>

#include "base/check.hpp"

namespace ziggurat::report {

namespace {

using Anchors = std::vector<Rgb>;

// Straight lines in sRGB between colours at equal distances.
Palette interpolated(const Anchors& anchors, Rgb missing) {
  Palette palette;
  const double steps = static_cast<double>(anchors.size() - 1);
  for (int i = 0; i < kShades; ++i) {
    const double at = steps * i / (kShades - 1);
    const auto left = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
    const double share = at - static_cast<double>(left);
    const auto mixed = [&](std::uint8_t Rgb::*part) {
      const double from = anchors[left].*part;
      const double to = anchors[left + 1].*part;
      return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
    };
    Rgb& colour = palette[static_cast<std::size_t>(i)];
    colour = {mixed(&Rgb::red), mixed(&Rgb::green), mixed(&Rgb::blue)};
    // Where colours change slowly two would be equal; one step of blue is not seen.
    if (i > 0 && colour == palette[static_cast<std::size_t>(i - 1)]) ++colour.blue;
  }
  palette[kMissing] = missing;
  return palette;
}

constexpr Rgb kGrey{229, 229, 233};
constexpr Rgb kDarkGrey{120, 120, 126};

const std::map<std::string, Palette>& all() {
  static const std::map<std::string, Palette> palettes{
      {"fall", interpolated({{255, 255, 255},
                             {255, 243, 214},
                             {254, 214, 142},
                             {252, 160, 82},
                             {240, 100, 50},
                             {205, 42, 36},
                             {138, 10, 36},
                             {62, 4, 24},
                             {0, 0, 0}},
                            kGrey)},
      {"viridis", interpolated({{68, 1, 84},
                                {72, 40, 120},
                                {62, 74, 137},
                                {49, 104, 142},
                                {38, 130, 142},
                                {31, 158, 137},
                                {53, 183, 121},
                                {109, 205, 89},
                                {180, 222, 44},
                                {253, 231, 37}},
                               kGrey)},
      {"coolwarm", interpolated({{59, 76, 192},
                                 {104, 138, 239},
                                 {154, 187, 255},
                                 {201, 215, 240},
                                 {237, 209, 194},
                                 {247, 168, 137},
                                 {226, 105, 82},
                                 {180, 4, 38}},
                                kDarkGrey)},
      {"reds",
       interpolated({{255, 255, 255}, {250, 130, 120}, {215, 20, 25}, {110, 0, 10}}, kGrey)},
      {"greys", interpolated({{255, 255, 255}, {0, 0, 0}}, {236, 205, 196})},
  };
  return palettes;
}

}  // namespace

const std::vector<std::string>& palette_names() {
  static const std::vector<std::string> names{"fall", "viridis", "coolwarm", "reds", "greys"};
  return names;
}

const Palette& palette(const std::string& name) {
  const auto found = all().find(name);
  if (found == all().end()) {
    fail(ErrorCode::usage, "there is no colour map '{}' (there are {})", name,
         fmt::join(palette_names(), ", "));
  }
  return found->second;
}

}  // namespace ziggurat::report
