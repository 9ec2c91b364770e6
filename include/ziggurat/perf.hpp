// Where the time of a run went; see Observer::measured().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ziggurat {

// One kind of work of one process or group of threads.
struct StageReport {
  std::string stage;           // "inflate", "encode", ...
  double busy_seconds = 0;     // wall time in the stage less the waiting; of threads the sum
  double waiting_seconds = 0;  // for another process or thread
  std::int64_t waits = 0;
  std::int64_t items = 0;   // batches, chunks or messages: what it handles at a time
  std::int64_t pixels = 0;  // counted each time they are handled
  std::int64_t bytes_in = 0;
  std::int64_t bytes_out = 0;
};

struct ProcessReport {
  std::string name;  // "writer", "reader 1", ...; "encoders" are threads of the writer
  int threads = 1;
  double cpu_seconds = 0;       // user and system; 0 for threads: their process has it
  std::int64_t peak_bytes = 0;  // most memory resident at once, shared memory included; 0 likewise
  std::vector<StageReport> stages;  // those that something went through, in the order of the work
};

// Processes that had the same task one after another are one entry; their peak is the largest.
struct PerfReport {
  double wall_seconds = 0;
  double cpu_seconds = 0;                // of all processes
  std::vector<ProcessReport> processes;  // the writer, its threads, readers
};

}  // namespace ziggurat
