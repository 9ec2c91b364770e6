#include "report/terminal_picture.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "ziggurat/error.hpp"

using namespace ziggurat::report;

namespace {
constexpr Rgb kRed{255, 0, 0};
constexpr Rgb kBlue{0, 0, 255};
}  // namespace

TEST_CASE("blocks show two rows a line, the paper below the last") {
  const std::vector<Rgb> pixels{kRed, kBlue, {1, 2, 3}};
  CHECK(as_blocks(1, 3, pixels) ==
        "\033[38;2;255;0;0;48;2;0;0;255m▀\033[0m\n"
        "\033[38;2;1;2;3;48;2;255;255;255m▀\033[0m\n");
}

TEST_CASE("sixels are columns of six rows, a colour after the other") {
  // Two columns of seven rows: red but for the upper right corner and the last row.
  std::vector<Rgb> pixels(14, kRed);
  pixels[1] = pixels[12] = pixels[13] = kBlue;
  // Red: all six rows of the first column (63 + '?' = '~'), all but the upper one of the second
  // (62 + '?' = '}'). Blue: nothing, then the upper row ('@').
  CHECK(as_sixel(2, 7, pixels) ==
        "\033P0;1;0q\"1;1;2;7#0;2;100;0;0#1;2;0;0;100"
        "#0~}$#1?@-"
        "#1@@-"
        "\033\\");
}

TEST_CASE("runs of sixels are counted") {
  const std::vector<Rgb> pixels(600, kRed);
  CHECK(as_sixel(100, 6, pixels) == "\033P0;1;0q\"1;1;100;6#0;2;100;0;0#0!100~-\033\\");
}

TEST_CASE("a terminal is not asked for more than 256 colours") {
  std::vector<Rgb> pixels;
  for (int i = 0; i < 32; ++i) {
    for (int j = 0; j < 32; ++j) {
      pixels.push_back({static_cast<std::uint8_t>(8 * i), static_cast<std::uint8_t>(8 * j), 0});
    }
  }
  const std::string text = as_sixel(32, 32, pixels);
  CHECK(text.find("#255;2;") != std::string::npos);
  CHECK(text.find("#256") == std::string::npos);
}

TEST_CASE("kitty's parts are of 4 KiB, the last saying so") {
  CHECK(as_kitty("foo") == "\033_Ga=T,f=100,q=2,m=0;Zm9v\033\\\n");
  // 6,000 bytes are 8,000 digits: one whole part and one of 3,904.
  const std::string text = as_kitty(std::string(6000, '\0'));
  const std::size_t second = text.find("\033\\") + 2;
  CHECK(text.substr(0, second) == "\033_Ga=T,f=100,q=2,m=1;" + std::string(4096, 'A') + "\033\\");
  CHECK(text.substr(second) == "\033_Gm=0;" + std::string(3904, 'A') + "\033\\\n");
}
