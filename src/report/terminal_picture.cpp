#include "report/terminal_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/check.hpp"
#include "report/png.hpp"

namespace ziggurat::report {

namespace {

constexpr Rgb kPaper{255, 255, 255};
constexpr std::size_t kMostColours = 256;
constexpr std::int64_t kStrip = 6;

// Sixel tells colours in percent.
int percent(std::uint8_t channel) { return (channel * 100 + 127) / 255; }

std::uint32_t key_of(Rgb colour) {
  return static_cast<std::uint32_t>(percent(colour.red) << 16 | percent(colour.green) << 8 |
                                    percent(colour.blue));
}

int distance(std::uint32_t a, std::uint32_t b) {
  int sum = 0;
  for (int shift = 0; shift <= 16; shift += 8) {
    const int difference =
        static_cast<int>(a >> shift & 0xFF) - static_cast<int>(b >> shift & 0xFF);
    sum += difference * difference;
  }
  return sum;
}

// Colours that the terminal keeps, and a number of one for each pixel.
struct Reduced {
  std::vector<std::uint32_t> colours;
  std::vector<std::uint16_t> pixels;
};

Reduced reduced(std::span<const Rgb> pixels) {
  std::map<std::uint32_t, std::int64_t> uses;
  for (const Rgb pixel : pixels) ++uses[key_of(pixel)];
  std::vector<std::uint32_t> by_use;
  for (const auto& [colour, n] : uses) by_use.push_back(colour);
  std::stable_sort(by_use.begin(), by_use.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return uses[a] > uses[b]; });
  Reduced out;
  out.colours.assign(by_use.begin(), by_use.begin() + static_cast<std::ptrdiff_t>(
                                                          std::min(kMostColours, by_use.size())));
  std::map<std::uint32_t, std::uint16_t> number;
  for (const std::uint32_t colour : by_use) {
    const auto nearest = std::min_element(out.colours.begin(), out.colours.end(),
                                          [&](std::uint32_t a, std::uint32_t b) {
                                            return distance(a, colour) < distance(b, colour);
                                          });
    number[colour] = static_cast<std::uint16_t>(nearest - out.colours.begin());
  }
  for (const Rgb pixel : pixels) out.pixels.push_back(number[key_of(pixel)]);
  return out;
}

void put_run(std::string& out, char sixel, std::int64_t n) {
  constexpr std::int64_t kWorthCounting = 4;
  if (n >= kWorthCounting) {
    out += fmt::format("!{}{}", n, sixel);
  } else {
    out.append(static_cast<std::size_t>(n), sixel);
  }
}

// The columns of a strip in one colour; `bits` holds a mask of six rows a column. Empty columns at
// the end are left out.
void put_colour(std::string& out, std::size_t colour, std::span<const std::uint8_t> bits) {
  out += fmt::format("#{}", colour);
  std::int64_t end = std::ssize(bits);
  while (end > 0 && bits[static_cast<std::size_t>(end - 1)] == 0) --end;
  for (std::int64_t i = 0; i < end;) {
    const std::uint8_t mask = bits[static_cast<std::size_t>(i)];
    std::int64_t next = i + 1;
    while (next < end && bits[static_cast<std::size_t>(next)] == mask) ++next;
    put_run(out, static_cast<char>('?' + mask), next - i);
    i = next;
  }
}

void put_strip(std::string& out, std::int64_t width, std::span<const std::uint16_t> rows) {
  const auto columns = static_cast<std::size_t>(width);
  std::map<std::uint16_t, std::vector<std::uint8_t>> masks;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    std::vector<std::uint8_t>& bits = masks[rows[at]];
    if (bits.empty()) bits.assign(columns, 0);
    bits[at % columns] = static_cast<std::uint8_t>(bits[at % columns] | 1U << at / columns);
  }
  const char* back = "";
  for (const auto& [colour, bits] : masks) {
    out += back;
    put_colour(out, colour, bits);
    back = "$";
  }
}

}  // namespace

std::string as_blocks(std::int64_t width, std::int64_t height, std::span<const Rgb> pixels) {
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return row < height ? pixels[static_cast<std::size_t>(row * width + column)] : kPaper;
  };
  std::string out;
  for (std::int64_t row = 0; row < height; row += 2) {
    for (std::int64_t column = 0; column < width; ++column) {
      const Rgb upper = at(row, column);
      const Rgb lower = at(row + 1, column);
      out += fmt::format("\033[38;2;{};{};{};48;2;{};{};{}m▀", upper.red, upper.green, upper.blue,
                         lower.red, lower.green, lower.blue);
    }
    out += "\033[0m\n";
  }
  return out;
}

std::string as_sixel(std::int64_t width, std::int64_t height, std::span<const Rgb> pixels) {
  ZIGGURAT_ASSERT(static_cast<std::int64_t>(pixels.size()) == width * height);
  const Reduced picture = reduced(pixels);
  // Pixels are square, and what is not drawn stays as it is.
  std::string out = fmt::format("\033P0;1;0q\"1;1;{};{}", width, height);
  for (std::size_t i = 0; i < picture.colours.size(); ++i) {
    const std::uint32_t colour = picture.colours[i];
    out += fmt::format("#{};2;{};{};{}", i, colour >> 16, colour >> 8 & 0xFF, colour & 0xFF);
  }
  const std::span<const std::uint16_t> all(picture.pixels);
  for (std::int64_t row = 0; row < height; row += kStrip) {
    const std::int64_t n = std::min(kStrip, height - row);
    put_strip(
        out, width,
        all.subspan(static_cast<std::size_t>(row * width), static_cast<std::size_t>(n * width)));
    out += '-';
  }
  return out + "\033\\";
}

std::string as_kitty(const std::string& png) {
  constexpr std::size_t kPart = 4096;
  const std::string text = base64(png);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += kPart) {
    const int more = at + kPart < text.size() ? 1 : 0;
    // The first part says what it is: to be shown at once, PNG, and that no answer is wanted.
    const std::string keys =
        at == 0 ? fmt::format("a=T,f=100,q=2,m={}", more) : fmt::format("m={}", more);
    out += fmt::format("\033_G{};{}\033\\", keys, std::string_view(text).substr(at, kPart));
  }
  return out + "\n";
}

}  // namespace ziggurat::report
