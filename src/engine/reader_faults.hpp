// What a reader had to say when it failed, and how it ended: one wording for all who start one.
// Thread rules: free functions of their arguments.
#pragma once

#include <string>

#include "proc/child.hpp"
#include "wire/frame.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

// Throws what the frame of kind `fault` says. `file` is named when the text does not name it: what
// HDF5 says of damage deep inside a file does not.
[[noreturn]] void throw_fault(const wire::Frame& frame, const std::string& file);

// Error{worker} for a reader whose channel is closed: waits for its end and says how that was.
// Error{memory} when it was killed, as the kernel does when memory runs out.
// Error{cancelled} when the observer was asked to stop: a signal to the whole group of processes is
// a reader's death and our request to stop in one.
[[noreturn]] void report_death(proc::Child& child, const std::string& file, Observer& observer);
[[noreturn]] void report_death(const std::string& label, const std::string& file,
                               const proc::ExitStatus& status, Observer& observer);

}  // namespace ziggurat::engine
