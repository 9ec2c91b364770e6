#include "cli/perf_table.hpp"

#include <catch2/catch.hpp>

#include "captured.hpp"
#include "cli/console.hpp"

namespace ziggurat::cli {
namespace {

PerfReport example() {
  PerfReport report;
  report.wall_seconds = 1.5;
  report.cpu_seconds = 2.25;
  report.processes = {{"writer", 1, 2.25, 3 << 20, {{"take in", 0.5, 1.0, 7, 9, 0, 0, 0}}},
                      {"encoders", 4, 0, 0, {{"encode", 2.0, 0, 0, 3, 100, 0, 2048}}}};
  return report;
}

}  // namespace

TEST_CASE("For people: a line a stage, blanks for what a stage does not move") {
  CHECK(perf_table(example()) ==
        "  stage            busy s  waiting s    waits    items       pixels    bytes in   bytes "
        "out\n"
        "writer: CPU 2.250 s, memory at most 3.0 MiB\n"
        "  take in           0.500      1.000        7        9                                    "
        " \n"
        "encoders (4 threads)\n"
        "  encode            2.000      0.000                 3          100                 2.0 "
        "KiB\n"
        "wall 1.500 s, CPU 2.250 s\n");
}

TEST_CASE("For programs: one object in one line") {
  CHECK(perf_json(example()) ==
        R"({"perf":{"wall_s":1.500000,"cpu_s":2.250000,"processes":[)"
        R"({"process":"writer","threads":1,"cpu_s":2.250000,"peak_bytes":3145728,"stages":[)"
        R"({"stage":"take in","busy_s":0.500000,"waiting_s":1.000000,"waits":7,"items":9,)"
        R"("pixels":0,"bytes_in":0,"bytes_out":0}]},)"
        R"({"process":"encoders","threads":4,"cpu_s":0.000000,"peak_bytes":0,"stages":[)"
        R"({"stage":"encode","busy_s":2.000000,"waiting_s":0.000000,"waits":0,"items":3,)"
        R"("pixels":100,"bytes_in":0,"bytes_out":2048}]}]}})"
        "\n");
}

TEST_CASE("The console says it when asked, even when it is quiet") {
  const auto said = [](ConsoleOptions options) {
    const Captured err(STDERR_FILENO);
    Console console(options);
    console.measured(example());
    console.say_perf();
    return err.text();
  };
  CHECK(said({}).empty());
  CHECK(said({ProgressMode::plain, true, true}) == perf_table(example()));
  CHECK(said({ProgressMode::json, false, true}) == perf_json(example()));
}

}  // namespace ziggurat::cli
