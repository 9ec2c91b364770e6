#include "cli/console.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/units.hpp"
#include "cli/json.hpp"
#include "cli/perf_table.hpp"
#include "proc/signals.hpp"

namespace ziggurat::cli {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

namespace {

constexpr auto kRedrawInterval = 100ms;
constexpr auto kLineInterval = 30s;

bool is_terminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

std::string percent(const Progress& moment) {
  if (moment.total == 0) return "";
  return fmt::format(" {:.0f} %",
                     100.0 * static_cast<double>(moment.done) / static_cast<double>(moment.total));
}

}  // namespace

Console::Console(ConsoleOptions options) : options_(options), terminal_(is_terminal()) {}

Console::~Console() { settle(); }

void Console::settle() {
  if (line_open_) std::fputs("\r\033[K", stderr);
  line_open_ = false;
}

void Console::note(const std::string& text) {
  if (options_.quiet) return;
  settle();
  if (options_.progress == ProgressMode::json) {
    fmt::print(stderr, "{{\"note\":{}}}\n", json_text(text));
  } else {
    fmt::print(stderr, "note: {}\n", text);
  }
}

void Console::say_perf() {
  if (!options_.perf || !perf_) return;
  settle();
  const bool as_json = options_.progress == ProgressMode::json;
  const std::string text = as_json ? perf_json(*perf_) : perf_table(*perf_);
  std::fputs(text.c_str(), stderr);
}

bool Console::cancelled() {
  say_status_if_asked();
  return proc::pending_signal().has_value();
}

bool Console::checkpoint_wanted() {
  const int asked = proc::status_requests();
  return std::exchange(checkpoints_, asked) != asked;
}

// SIGUSR1 is a question, so the answer comes also where progress is not shown.
void Console::say_status_if_asked() {
  const int asked = proc::status_requests();
  if (asked == answered_) return;
  answered_ = asked;
  settle();
  if (moment_.stage.empty()) moment_.stage = "starting";
  if (options_.progress == ProgressMode::json) return print_json(moment_);
  print_line(moment_);
}

void Console::progress(const Progress& moment) {
  moment_ = moment;
  if (options_.quiet || options_.progress == ProgressMode::none) return;
  const steady_clock::time_point now = steady_clock::now();
  const bool new_stage = moment.stage + moment.object != stage_;
  if (new_stage) {
    stage_ = moment.stage + moment.object;
    stage_begin_ = now;
  }
  const bool redrawn = options_.progress == ProgressMode::automatic && terminal_;
  const bool finished = moment.total > 0 && moment.done == moment.total;
  const auto interval = redrawn ? steady_clock::duration(kRedrawInterval) : kLineInterval;
  if (!new_stage && !finished && now - last_shown_ < interval) return;
  last_shown_ = now;
  if (redrawn) {
    redraw(moment);
  } else if (options_.progress == ProgressMode::json) {
    print_json(moment);
  } else if (new_stage || !finished) {
    print_line(moment);
  }
}

void Console::redraw(const Progress& moment) {
  const double seconds = std::chrono::duration<double>(steady_clock::now() - stage_begin_).count();
  std::string rate;
  if (seconds > 0.5 && moment.done > 0) {
    const double each_second = static_cast<double>(moment.done) / seconds;
    rate = fmt::format("  {}/s", format_count(static_cast<std::int64_t>(each_second)));
    if (moment.total > moment.done) {
      rate += fmt::format(
          "  {} left",
          format_duration(static_cast<double>(moment.total - moment.done) / each_second));
    }
  }
  fmt::print(stderr, "\r\033[K{} {} {}{}", moment.stage, moment.object, percent(moment), rate);
  std::fflush(stderr);
  line_open_ = true;
}

void Console::print_line(const Progress& moment) {
  fmt::print(stderr, "{} {}{}\n", moment.stage, moment.object, percent(moment));
}

void Console::print_json(const Progress& moment) {
  fmt::print(stderr, "{{\"stage\":{},\"object\":{},\"done\":{},\"total\":{}}}\n",
             json_text(moment.stage), json_text(moment.object), moment.done, moment.total);
}

}  // namespace ziggurat::cli
