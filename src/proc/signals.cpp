// Signals as a request to stop. The handler does the two things that a handler may do: it stores
// the number and writes a byte into a pipe, which wakes whoever waits in poll. Not signalfd: that
// needs the signals blocked in every thread of the process before any is started, and a thread that
// a library made would break it.
//
// Later signals change nothing, where a second Ctrl-C often ends a program at once: timeout(1) and
// batch systems send the same signal twice (to the process, then to its group), and that must not
// cut the tidying short. SIGKILL remains for the impatient.
#include "proc/signals.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "proc/system_error.hpp"

namespace ziggurat::proc {
namespace {

constexpr std::array<int, 6> kStopSignals{SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGQUIT, SIGUSR2};

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler stores it");
std::atomic<int> first_signal{0};
std::atomic<int> n_status_requests{0};

// Read and write end; written once, before any handler is in place.
std::array<int, 2> wake_pipe{-1, -1};

extern "C" void ziggurat_note_signal(int signal_number) {
  const int saved_errno = errno;
  int none = 0;
  if (first_signal.compare_exchange_strong(none, signal_number)) {
    const char byte = 0;
    // Cannot fail on an empty pipe, and the number is stored anyway.
    [[maybe_unused]] const ssize_t written = ::write(wake_pipe[1], &byte, 1);
  }
  errno = saved_errno;
}

extern "C" void ziggurat_note_status_request(int) { ++n_status_requests; }

void watch(int signal_number, void (*handler)(int)) {
  struct sigaction action {};
  if (::sigaction(signal_number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigfillset(&action.sa_mask);
  ::sigaction(signal_number, &action, nullptr);
}

}  // namespace

void watch_signals() {
  if (wake_pipe[0] >= 0) return;
  if (::pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    fail_errno(ErrorCode::io, "cannot watch for signals", errno);
  }
  for (const int signal_number : kStopSignals) watch(signal_number, ziggurat_note_signal);
  watch(SIGUSR1, ziggurat_note_status_request);
  ::signal(SIGXFSZ, SIG_IGN);
}

std::optional<int> pending_signal() noexcept {
  const int signal_number = first_signal.load();
  if (signal_number == 0) return std::nullopt;
  return signal_number;
}

int status_requests() noexcept { return n_status_requests.load(); }

int signal_fd() noexcept { return wake_pipe[0]; }

void die_by_signal(int signal_number) {
  ::signal(signal_number, SIG_DFL);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal_number);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal_number);
  ::_exit(128 + signal_number);
}

}  // namespace ziggurat::proc
