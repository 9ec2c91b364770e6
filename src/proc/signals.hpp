// Signals as requests: SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGQUIT and SIGUSR2 to end tidily, SIGUSR1
// to say how things stand. For the command only: a library must not touch its host's signals.
//
// The command calls watch_signals() before it starts any thread, passes on pending_signal() as the
// request to stop, tidies up, and leaves through die_by_signal(), so that a shell or a batch system
// sees death by that signal (128+n) and not an exit code of ours.
#pragma once

#include <optional>

namespace ziggurat::proc {

// Takes over these signals, except those that the parent had set to be ignored (nohup, a shell's
// background job). Also ignores SIGXFSZ, so that a limit on file sizes is a failed write
// like a full disk. May be called again, to no effect. Throws Error{io} without descriptors.
void watch_signals();

// The first of the signals to end that came, if any; it stays. Any thread may ask.
[[nodiscard]] std::optional<int> pending_signal() noexcept;

// How many times SIGUSR1 came. Any thread may ask.
[[nodiscard]] int status_requests() noexcept;

// Readable from the first signal to end on, for wait_readable; do not read from it. Requires:
// watch_signals() was called.
[[nodiscard]] int signal_fd() noexcept;

// Ends the process the way signal_number does by default. Nothing is unwound.
[[noreturn]] void die_by_signal(int signal_number);

}  // namespace ziggurat::proc
