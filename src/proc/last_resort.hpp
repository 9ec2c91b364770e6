// The end of a process that a signal asked to end while it is stuck in a call to the system.
//
// Problem: a request to end is noticed between two calls. One that does not end, as the sync of a
// file on a slow or dead server, would keep the process for as long as it lasts: the handler lets
// interrupted calls go on, and most such calls are not interrupted by anything but death.
// Method: a thread that does nothing but wait for the first signal. From then on the process has
// some time to end by itself. After that the thread tidies up in its stead, gives that a moment too
// (it may hang on the same disk), and lets the process die by the signal. Whatever the stuck thread
// did so far or still does is no worse than a kill at that moment, which every run must stand.
// For the command only.
#pragma once

#include <chrono>
#include <functional>

namespace ziggurat::proc {

// Requires: watch_signals() was called. `tidy` must neither throw nor need the stuck thread;
// `die(signal_number)` must end the process. Does nothing where the system has no thread to give.
void end_when_stuck(std::chrono::milliseconds patience, std::function<void()> tidy,
                    std::function<void(int)> die);

// For whoever ends the process after a signal: true for the first who asks. The others wait here
// for the end.
[[nodiscard]] bool is_first_to_end() noexcept;

}  // namespace ziggurat::proc
