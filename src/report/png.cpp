#include "report/png.hpp"

#include <cstring>
#include <vector>

#include "base/check.hpp"
#include "base/crc32.hpp"
#include "codec/zlib_stream.hpp"

namespace ziggurat::report {

namespace {

constexpr int kCompression = 9;
constexpr char kColours = 2;
constexpr char kPaletteShades = 3;

void put_number(std::string& out, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xFF);
}

void put_chunk(std::string& out, const std::string& kind, const std::string& content) {
  put_number(out, narrow<std::uint32_t>(content.size()));
  const std::string checked = kind + content;
  out += checked;
  put_number(out, crc32(std::as_bytes(std::span(checked))));
}

std::string file_of(std::int64_t width, std::int64_t height, char colour_type,
                    const std::string& palette, const std::string& rows) {
  std::string png("\x89PNG\r\n\x1a\n", 8);
  std::string header;
  put_number(header, narrow<std::uint32_t>(width));
  put_number(header, narrow<std::uint32_t>(height));
  header += '\x08';
  header += colour_type;
  header += std::string(3, '\0');
  put_chunk(png, "IHDR", header);
  if (!palette.empty()) put_chunk(png, "PLTE", palette);
  const auto stream = codec::zlib_stream(std::as_bytes(std::span(rows)), kCompression);
  put_chunk(png, "IDAT", {reinterpret_cast<const char*>(stream.data()), stream.size()});
  put_chunk(png, "IEND", "");
  return png;
}

void put_colour(std::string& out, Rgb colour) {
  out += static_cast<char>(colour.red);
  out += static_cast<char>(colour.green);
  out += static_cast<char>(colour.blue);
}

}  // namespace

std::string png_of_shades(std::int64_t width, std::int64_t height,
                          std::span<const std::uint8_t> shades, const Palette& palette) {
  const auto row = narrow<std::size_t>(width);
  ZIGGURAT_ASSERT(shades.size() == row * narrow<std::size_t>(height));
  std::string rows;
  rows.reserve(shades.size() + narrow<std::size_t>(height));
  for (std::size_t at = 0; at < shades.size(); at += row) {
    rows += '\0';
    rows.append(reinterpret_cast<const char*>(shades.data()) + at, row);
  }
  std::string colours;
  for (const Rgb colour : palette) put_colour(colours, colour);
  return file_of(width, height, kPaletteShades, colours, rows);
}

std::string png_of_colours(std::int64_t width, std::int64_t height, std::span<const Rgb> pixels) {
  const auto row = narrow<std::size_t>(width);
  ZIGGURAT_ASSERT(pixels.size() == row * narrow<std::size_t>(height));
  std::string rows;
  rows.reserve(3 * pixels.size() + narrow<std::size_t>(height));
  for (std::size_t at = 0; at < pixels.size(); at += row) {
    rows += '\0';
    for (const Rgb pixel : pixels.subspan(at, row)) put_colour(rows, pixel);
  }
  return file_of(width, height, kColours, "", rows);
}

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < n ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      out += i <= n ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return out;
}

std::string data_uri(const std::string& png) { return "data:image/png;base64," + base64(png); }

}  // namespace ziggurat::report
