// What the program says while it works: notes and progress, on standard error.
//
// auto: one redrawn line on a terminal, plain lines elsewhere. plain: a line a stage, and at most
// one every 30 s. json: one object a line. none: no progress. Nothing here ever contains "error:"
// or "exception:" in a run that goes well, because some workflow systems fail a job on these words.
// Thread rules: one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "ziggurat/observer.hpp"

namespace ziggurat::cli {

enum class ProgressMode { automatic, plain, json, none };

struct ConsoleOptions {
  ProgressMode progress = ProgressMode::automatic;
  bool quiet = false;  // neither notes nor progress
  bool perf = false;   // say where the time went, also when quiet
};

class Console : public Observer {
 public:
  explicit Console(ConsoleOptions options);
  ~Console() override;

  void note(const std::string& text) override;
  void progress(const Progress& moment) override;
  void measured(const PerfReport& report) override { perf_ = report; }
  // True once a signal asked to stop. Answers SIGUSR1 with a line that says how things stand.
  bool cancelled() override;
  // True once for each SIGUSR1, or several.
  bool checkpoint_wanted() override;

  // Ends a redrawn line, so that other output starts on a fresh one.
  void settle();
  // Where the time of the last work went; nothing before it is done.
  [[nodiscard]] const std::optional<PerfReport>& perf() const { return perf_; }
  // What --perf asks for, once everything else is said.
  void say_perf();

 private:
  void say_status_if_asked();
  // How fast the stage goes, in units a second, once that can be told; else nothing.
  [[nodiscard]] std::optional<double> speed(const Progress& moment) const;
  // " 42 %  1.2 M pixels  300.0 k/s  6.0 s left": what is known of it.
  [[nodiscard]] std::string how_far(const Progress& moment) const;
  void redraw(const Progress& moment);
  void print_line(const Progress& moment);
  void print_json(const Progress& moment);

  ConsoleOptions options_;
  bool terminal_;
  bool line_open_ = false;
  std::optional<PerfReport> perf_;
  Progress moment_;      // the last
  int answered_ = 0;     // requests for it
  int checkpoints_ = 0;  // the same, answered by a checkpoint
  std::string stage_;
  std::uint64_t first_done_ = 0;  // of the stage, when it was first heard of
  std::chrono::steady_clock::time_point stage_begin_;
  std::chrono::steady_clock::time_point last_shown_;
};

}  // namespace ziggurat::cli
