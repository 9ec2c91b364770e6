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

std::optional<double> seconds_left(const Progress& moment, double each_second) {
  if (moment.total <= moment.done) return std::nullopt;
  return static_cast<double>(moment.total - moment.done) / each_second;
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
    first_done_ = moment.done;
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

// Half a second tells something of a speed; a stage that is finished is told apart by its
// percentage.
std::optional<double> Console::speed(const Progress& moment) const {
  constexpr double kSoonest = 0.5;
  const double seconds = std::chrono::duration<double>(steady_clock::now() - stage_begin_).count();
  if (seconds < kSoonest || moment.done <= first_done_) return std::nullopt;
  return static_cast<double>(moment.done - first_done_) / seconds;
}

std::string Console::how_far(const Progress& moment) const {
  const auto amount = [&](std::uint64_t n) {
    const auto whole = static_cast<std::int64_t>(n);
    if (moment.unit == "bytes") return format_bytes(whole);
    return fmt::format("{} {}", format_count(whole), moment.unit);
  };
  std::string text = percent(moment);
  if (moment.done > 0) text += "  " + amount(moment.done);
  const std::optional<double> each_second = speed(moment);
  if (!each_second) return text;
  text += fmt::format("  {}/s", moment.unit == "bytes"
                                    ? format_bytes(static_cast<std::int64_t>(*each_second))
                                    : format_count(static_cast<std::int64_t>(*each_second)));
  if (const auto left = seconds_left(moment, *each_second)) {
    text += fmt::format("  {} left", format_duration(*left));
  }
  return text;
}

void Console::redraw(const Progress& moment) {
  fmt::print(stderr, "\r\033[K{} {}{}", moment.stage, moment.object, how_far(moment));
  std::fflush(stderr);
  line_open_ = true;
}

void Console::print_line(const Progress& moment) {
  fmt::print(stderr, "{} {}{}\n", moment.stage, moment.object, how_far(moment));
}

void Console::print_json(const Progress& moment) {
  const std::optional<double> each_second = speed(moment);
  const auto left = each_second ? seconds_left(moment, *each_second) : std::nullopt;
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : std::string("null");
  };
  fmt::print(stderr,
             "{{\"stage\":{},\"object\":{},\"done\":{},\"total\":{},\"unit\":{},\"per_second\":{},"
             "\"seconds_left\":{}}}\n",
             json_text(moment.stage), json_text(moment.object), moment.done, moment.total,
             json_text(moment.unit), number(each_second), number(left));
}

}  // namespace ziggurat::cli
