#include "cli/perf_table.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "cli/json.hpp"

namespace ziggurat::cli {

namespace {

// A stage moves only some kinds of things; the rest is left blank.
std::string number(std::int64_t n) { return n == 0 ? "" : std::to_string(n); }
std::string bytes(std::int64_t n) { return n == 0 ? "" : format_bytes(n); }

std::string row(const StageReport& stage) {
  return fmt::format("  {:<14}{:>9.3f}{:>11.3f}{:>9}{:>9}{:>13}{:>12}{:>12}\n", stage.stage,
                     stage.busy_seconds, stage.waiting_seconds, number(stage.waits),
                     number(stage.items), number(stage.pixels), bytes(stage.bytes_in),
                     bytes(stage.bytes_out));
}

std::string heading(const ProcessReport& process) {
  if (process.peak_bytes == 0)
    return fmt::format("{} ({} threads)\n", process.name, process.threads);
  return fmt::format("{}: CPU {:.3f} s, memory at most {}\n", process.name, process.cpu_seconds,
                     format_bytes(process.peak_bytes));
}

template <typename List, typename Text>
std::string json_list(const List& list, Text text) {
  std::vector<std::string> texts;
  for (const auto& one : list) texts.push_back(text(one));
  return fmt::format("[{}]", fmt::join(texts, ","));
}

std::string stage_json(const StageReport& stage) {
  return fmt::format(
      "{{\"stage\":{},\"busy_s\":{:.6f},\"waiting_s\":{:.6f},\"waits\":{},\"items\":{},"
      "\"pixels\":{},\"bytes_in\":{},\"bytes_out\":{}}}",
      json_text(stage.stage), stage.busy_seconds, stage.waiting_seconds, stage.waits, stage.items,
      stage.pixels, stage.bytes_in, stage.bytes_out);
}

std::string process_json(const ProcessReport& process) {
  return fmt::format(
      "{{\"process\":{},\"threads\":{},\"cpu_s\":{:.6f},\"peak_bytes\":{},\"stages\":{}}}",
      json_text(process.name), process.threads, process.cpu_seconds, process.peak_bytes,
      json_list(process.stages, stage_json));
}

}  // namespace

std::string perf_table(const PerfReport& report) {
  std::string out =
      fmt::format("  {:<14}{:>9}{:>11}{:>9}{:>9}{:>13}{:>12}{:>12}\n", "stage", "busy s",
                  "waiting s", "waits", "items", "pixels", "bytes in", "bytes out");
  for (const ProcessReport& process : report.processes) {
    out += heading(process);
    for (const StageReport& stage : process.stages) out += row(stage);
  }
  return out +
         fmt::format("wall {:.3f} s, CPU {:.3f} s\n", report.wall_seconds, report.cpu_seconds);
}

std::string perf_json(const PerfReport& report) {
  return fmt::format("{{\"perf\":{{\"wall_s\":{:.6f},\"cpu_s\":{:.6f},\"processes\":{}}}}}\n",
                     report.wall_seconds, report.cpu_seconds,
                     json_list(report.processes, process_json));
}

}  // namespace ziggurat::cli
