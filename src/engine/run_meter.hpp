// The meter of a run, from its begin to the report that the observer gets.
// Thread rules: one thread, the one that runs the build.
#pragma once

#include "base/meter.hpp"
#include "ziggurat/observer.hpp"
#include "ziggurat/perf.hpp"

namespace ziggurat::engine {

class RunMeter {
 public:
  RunMeter() : meter_(Stage::plan), before_(process_usage()) {}

  // The run went well: tells the observer.
  void report_to(Observer& observer) { observer.measured(report()); }

 private:
  [[nodiscard]] PerfReport report();

  Meter meter_;
  Usage before_;  // what the host program had used already
};

}  // namespace ziggurat::engine
