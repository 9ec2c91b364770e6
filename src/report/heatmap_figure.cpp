#include "report/heatmap_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/png.hpp"
#include "report/scale.hpp"
#include "report/words.hpp"

namespace ziggurat::report {

namespace {

// In units of the picture, which are pixels at its natural size.
struct Layout {
  double width;
  double height;
  double left;
  double top;
  double side;
  double bar_left;
  double bar_width;
  double bar_height;
  int ticks;
};

constexpr Layout kGenome{770, 672, 58, 8, 640, 712, 13, 240, 8};
constexpr Layout kChromosome{336, 290, 36, 6, 252, 295, 8, 110, 5};

std::string without_prefix(const std::string& name) {
  return name.starts_with("chr") && name.size() > 3 ? name.substr(3) : name;
}

double bp_each_cell(const PictureSpan& span, const MapPicture& picture) {
  if (picture.bin_size) return static_cast<double>(*picture.bin_size * picture.bins_per_cell);
  return static_cast<double>(span.length) /
         static_cast<double>(std::max<std::int64_t>(1, span.n_cells));
}

// Names at both axes, lines between chromosomes; a name too wide for its chromosome is left out.
std::string chromosome_axes(const MapPicture& picture, const Layout& at) {
  const double each = at.side / static_cast<double>(picture.n_cells);
  constexpr double kFontWidth = 6.4;
  constexpr double kLineHeight = 11;
  // On a small screen labels are twice as large, and these have no room for them.
  constexpr double kSmallSpan = 36;
  std::string out;
  double free_below = 0;
  double free_left = 0;
  for (const PictureSpan& span : picture.spans) {
    const double begin = static_cast<double>(span.first_cell) * each;
    const double middle = begin + static_cast<double>(span.n_cells) * each / 2;
    const std::string name = without_prefix(span.name);
    const double half = kFontWidth * static_cast<double>(name.size()) / 2;
    const char* small = static_cast<double>(span.n_cells) * each < kSmallSpan ? " small" : "";
    if (middle - half >= free_below) {
      out += fmt::format(
          R"(<text class="tick{}" text-anchor="middle" x="{:.1f}" y="{:.1f}">{}</text>)", small,
          at.left + middle, at.top + at.side + 15, escaped(name));
      free_below = middle + half + 3;
    }
    if (middle - kLineHeight / 2 >= free_left) {
      out +=
          fmt::format(R"(<text class="tick{}" text-anchor="end" x="{:.1f}" y="{:.1f}">{}</text>)",
                      small, at.left - 7, at.top + middle + 4, escaped(name));
      free_left = middle + kLineHeight / 2;
    }
    if (span.first_cell == 0) continue;
    out += fmt::format(
        R"(<path class="border" d="M{0:.1f} {1:.1f}v{2:.1f}M{3:.1f} {4:.1f}h{2:.1f}"/>)",
        at.left + begin, at.top, at.side, at.left, at.top + begin);
  }
  return out;
}

std::string position_axes(const MapPicture& picture, const Layout& at) {
  const PictureSpan& span = picture.spans.front();
  const double bp = bp_each_cell(span, picture) * static_cast<double>(span.n_cells);
  const double unit = bp >= 2e6 ? 1e6 : bp >= 2e3 ? 1e3 : 1;
  const char* unit_name = bp >= 2e6 ? "Mb" : bp >= 2e3 ? "kb" : "bp";
  std::string out;
  for (const double tick : linear_ticks(0, static_cast<double>(span.length) / unit, at.ticks)) {
    const double place = tick * unit / bp * at.side;
    out +=
        fmt::format(R"(<path class="axis" d="M{0:.1f} {1:.1f}v4M{2:.1f} {3:.1f}h-4"/>)"
                    R"(<text class="tick" text-anchor="middle" x="{0:.1f}" y="{4:.1f}">{5}</text>)",
                    at.left + place, at.top + at.side, at.left, at.top + place,
                    at.top + at.side + 15, short_text(tick));
    out += fmt::format(R"(<text class="tick" text-anchor="end" x="{:.1f}" y="{:.1f}">{}</text>)",
                       at.left - 6, at.top + place + 4, short_text(tick));
  }
  out += fmt::format(R"(<text class="tick" text-anchor="start" x="{:.1f}" y="{:.1f}">{}</text>)",
                     at.left + at.side + 8, at.top + at.side + 15, unit_name);
  return out;
}

std::string colour_bar(const ColourScale& scale, const Layout& at, const std::string& gradient) {
  std::string out = fmt::format(
      R"svg(<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="url(#{})"/>)svg",
      at.bar_left, at.top, at.bar_width, at.bar_height, gradient);
  double used = -20;
  std::vector<double> ticks =
      scale.is_log ? log_ticks(scale.low, scale.high) : linear_ticks(scale.low, scale.high, 5);
  for (const double tick : ticks) {
    const double place = scale.place(tick) * at.bar_height;
    if (place - used < 12) continue;
    used = place;
    const double y = at.top + at.bar_height - place;
    out += fmt::format(
        R"(<path class="axis" d="M{:.1f} {:.1f}h3"/><text class="tick" x="{:.1f}" y="{:.1f}">{}</text>)",
        at.bar_left + at.bar_width, y, at.bar_left + at.bar_width + 5, y + 4, tick_text(tick));
  }
  return out;
}

std::string layer(const std::string& kind, const MapPicture& picture, std::span<const float> values,
                  const Palette& palette, const std::string& gradient, const Layout& at) {
  const ColourScale scale = scale_of(values, true);
  const std::string png =
      png_of_shades(picture.n_cells, picture.n_cells, shades_of(values, scale), palette);
  return fmt::format(R"(<g class="{0}"><image x="{1}" y="{2}" width="{3}" height="{3}" )"
                     R"(preserveAspectRatio="none" data-low="{4}" data-high="{5}" href="{6}"/>)",
                     kind, at.left, at.top, at.side, scale.low, scale.high, data_uri(png)) +
         colour_bar(scale, at, gradient) + "</g>";
}

std::string spans_text(const MapPicture& picture) {
  std::string out;
  for (const PictureSpan& span : picture.spans) {
    if (!out.empty()) out += ';';
    out += fmt::format("{}|{}|{}|{}|{}", span.name, span.first_cell, span.n_cells,
                       bp_each_cell(span, picture), span.length);
  }
  return out;
}

}  // namespace

std::string gradient_definition(const Palette& palette, const std::string& id) {
  constexpr int kStops = 24;
  std::string out = fmt::format(R"(<linearGradient id="{}" x1="0" y1="1" x2="0" y2="0">)", id);
  for (int i = 0; i <= kStops; ++i) {
    const Rgb colour = palette[static_cast<std::size_t>(i * (kShades - 1) / kStops)];
    out += fmt::format(R"(<stop offset="{:.4g}" stop-color="#{:02x}{:02x}{:02x}"/>)",
                       static_cast<double>(i) / kStops, colour.red, colour.green, colour.blue);
  }
  return out + "</linearGradient>";
}

std::string heatmap_figure(const MapPicture& picture, const Palette& palette,
                           const std::string& gradient, const std::string& title, FigureSize size) {
  const Layout& at = size == FigureSize::genome ? kGenome : kChromosome;
  std::string out = fmt::format(
      R"(<svg class="heatmap" viewBox="0 0 {} {}" role="img" aria-label="{}" tabindex="0" )"
      R"(data-cells="{}" data-box="{} {} {}" data-spans="{}">)",
      at.width, at.height, escaped(title), picture.n_cells, at.left, at.top, at.side,
      escaped(spans_text(picture)));
  out += layer("raw", picture, picture.raw, palette, gradient, at);
  if (!picture.balanced.empty()) {
    out += layer("balanced", picture, picture.balanced, palette, gradient, at);
  }
  out += picture.spans.size() > 1 ? chromosome_axes(picture, at) : position_axes(picture, at);
  out += fmt::format(R"(<rect class="frame" x="{0}" y="{1}" width="{2}" height="{2}"/>)", at.left,
                     at.top, at.side);
  return out + R"(<rect class="cursor" width="0" height="0"/></svg>)";
}

}  // namespace ziggurat::report
