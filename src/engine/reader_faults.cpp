#include "engine/reader_faults.hpp"

#include <chrono>
#include <csignal>

#include "base/check.hpp"
#include "reader/protocol.hpp"

namespace ziggurat::engine {

using namespace std::chrono_literals;

namespace {

// For a child that has closed its channel to be seen dead.
constexpr auto kDeathTimeout = 5s;

}  // namespace

void throw_fault(const wire::Frame& frame, const std::string& file) {
  wire::Decoder in(frame.payload);
  const reader::Fault fault = reader::decode_fault(in);
  const bool named = fault.text.find(file) != std::string::npos;
  throw Error(fault.code, named ? fault.text : file + ": " + fault.text);
}

void report_death(proc::Child& child, const std::string& file, Observer& observer) {
  report_death(child.label(), file, child.wait(kDeathTimeout), observer);
}

void report_death(const std::string& label, const std::string& file, const proc::ExitStatus& status,
                  Observer& observer) {
  if (observer.cancelled()) fail(ErrorCode::cancelled, "stopped");
  // Nobody but the kernel is likely to kill a reader.
  if (status.kind == proc::ExitStatus::Kind::signalled && status.value == SIGKILL) {
    fail(ErrorCode::memory,
         "{} of {} {}: memory ran out, or somebody killed it; try fewer "
         "processes (--nproc) or more memory",
         label, file, proc::describe(status));
  }
  fail(ErrorCode::worker, "{} of {} {}: the file may be damaged, or memory ran out", label, file,
       proc::describe(status));
}

}  // namespace ziggurat::engine
