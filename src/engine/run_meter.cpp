#include "engine/run_meter.hpp"

#include <algorithm>

namespace ziggurat::engine {

namespace {

double seconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

StageReport stage_report(Stage stage, const StageCounts& counts) {
  StageReport out;
  out.stage = name(stage);
  out.busy_seconds = seconds(counts.busy_ns);
  out.waiting_seconds = seconds(counts.waiting_ns);
  out.waits = static_cast<std::int64_t>(counts.waits);
  out.items = static_cast<std::int64_t>(counts.moved.items);
  out.pixels = static_cast<std::int64_t>(counts.moved.pixels);
  out.bytes_in = static_cast<std::int64_t>(counts.moved.bytes_in);
  out.bytes_out = static_cast<std::int64_t>(counts.moved.bytes_out);
  return out;
}

ProcessReport process_report(const Account& account) {
  ProcessReport out;
  out.name = account.name;
  out.threads = account.threads;
  out.cpu_seconds = seconds(account.usage.cpu_ns);
  out.peak_bytes = static_cast<std::int64_t>(account.usage.peak_bytes);
  for (std::size_t i = 0; i < kStages; ++i) {
    const StageCounts& counts = account.stages[i];
    if (counts.busy_ns + counts.waiting_ns == 0) continue;
    out.stages.push_back(stage_report(static_cast<Stage>(i), counts));
  }
  return out;
}

// Threads have no use of memory and time of their own.
bool is_threads(const Account& account) { return account.usage.peak_bytes == 0; }

}  // namespace

PerfReport RunMeter::report() {
  Account writer{"writer", 1, meter_.stages(), process_usage()};
  writer.usage.cpu_ns -= before_.cpu_ns;
  PerfReport out;
  out.wall_seconds = seconds(meter_.age_ns());
  out.processes.push_back(process_report(writer));
  std::vector<Account> others = meter_.accounts();
  std::stable_partition(others.begin(), others.end(), is_threads);
  for (const Account& account : others) out.processes.push_back(process_report(account));
  for (const ProcessReport& process : out.processes) out.cpu_seconds += process.cpu_seconds;
  return out;
}

}  // namespace ziggurat::engine
