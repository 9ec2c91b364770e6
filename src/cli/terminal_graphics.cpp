#include "cli/terminal_graphics.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/strings.hpp"

namespace ziggurat::cli {

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

// Answers come within milliseconds, over a slow line within some hundred.
constexpr auto kPatience = 400ms;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool speaks_kitty() {
  const std::string_view program = variable("TERM_PROGRAM");
  return !variable("KITTY_WINDOW_ID").empty() || variable("TERM") == "xterm-kitty" ||
         variable("TERM") == "xterm-ghostty" || program == "ghostty" || program == "WezTerm";
}

bool speaks_sixel() {
  const std::string_view term = variable("TERM");
  return term.starts_with("foot") || term.starts_with("mlterm") || term.starts_with("yaft") ||
         term.find("sixel") != std::string_view::npos;
}

// The terminal that runs the program, and not what stands for standard input.
class RawTerminal {
 public:
  RawTerminal() : descriptor_(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)) {
    // Who changes a terminal from the background is stopped.
    if (descriptor_ < 0 || ::tcgetpgrp(descriptor_) != ::getpgrp()) return;
    if (::tcgetattr(descriptor_, &before_) != 0) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    is_raw_ = ::tcsetattr(descriptor_, TCSANOW, &raw) == 0;
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  ~RawTerminal() {
    if (is_raw_) ::tcsetattr(descriptor_, TCSANOW, &before_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  // What it says to `question`, up to `last`; less when it does not say so in time.
  [[nodiscard]] std::string answer(std::string_view question, char last) const {
    std::string text;
    if (!is_raw_ || ::write(descriptor_, question.data(), question.size()) < 0) return text;
    const steady_clock::time_point deadline = steady_clock::now() + kPatience;
    while (text.find(last) == std::string::npos) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
      pollfd entry{descriptor_, POLLIN, 0};
      if (left <= 0ms || ::poll(&entry, 1, static_cast<int>(left.count())) != 1) break;
      char part[64];
      const ssize_t n = ::read(descriptor_, part, sizeof part);
      if (n <= 0) break;
      text.append(part, static_cast<std::size_t>(n));
    }
    return text;
  }

 private:
  int descriptor_;
  termios before_{};
  bool is_raw_ = false;
};

// ESC [ ? 62 ; 4 ; 22 c
bool answers_sixel() {
  const std::string answer = RawTerminal().answer("\033[c", 'c');
  const std::size_t open = answer.find("\033[?");
  const std::size_t end = answer.find('c', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || end == std::string::npos) return false;
  const auto numbers = split(std::string_view(answer).substr(open + 3, end - open - 3), ';');
  return std::find(numbers.begin(), numbers.end(), "4") != numbers.end();
}

}  // namespace

PlotFormat terminal_format() {
  if (::isatty(STDOUT_FILENO) != 1 || variable("TERM") == "dumb") return PlotFormat::blocks;
  if (speaks_kitty()) return PlotFormat::kitty;
  if (speaks_sixel() || answers_sixel()) return PlotFormat::sixel;
  return PlotFormat::blocks;
}

std::int64_t terminal_side(PlotFormat format) {
  constexpr std::int64_t kColumns = 80;
  constexpr std::int64_t kPixels = 800;
  constexpr std::int64_t kSmallest = 160;
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  if (format == PlotFormat::blocks) return known && size.ws_col > 0 ? size.ws_col : kColumns;
  if (!known || size.ws_xpixel == 0 || size.ws_ypixel == 0) return kPixels;
  // Axes and the colour bar take a fifth of the width, and a line stays free below.
  const std::int64_t fits = std::min(size.ws_xpixel * 4 / 5, size.ws_ypixel * 4 / 5);
  return std::clamp(fits, kSmallest, kPixels);
}

}  // namespace ziggurat::cli
