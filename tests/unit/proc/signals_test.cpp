// Signal watching changes the process for good, so each case runs in a process of its own, and what
// it found comes back as exit code or as the signal that it died by.
#include "proc/signals.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

#include "proc/wait.hpp"

namespace ziggurat::proc {
namespace {

template <typename Body>
int wait_status_of(const Body& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body());
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return status;
}

bool readable(int fd) {
  const std::array<int, 1> fds{fd};
  return !wait_readable(fds, std::chrono::milliseconds(0)).empty();
}

// 0 when signal_number is noted, wakes, and stays the first after others came.
int note(int signal_number) {
  watch_signals();
  watch_signals();
  if (pending_signal() || readable(signal_fd())) return 1;
  ::raise(signal_number);
  if (pending_signal() != signal_number || !readable(signal_fd())) return 2;
  ::raise(SIGINT);
  ::raise(SIGTERM);
  return pending_signal() == signal_number ? 0 : 3;
}

TEST_CASE("each watched signal is noted and none ends the process") {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGQUIT, SIGUSR2}) {
    CAPTURE(signal_number);
    const int status = wait_status_of([signal_number] { return note(signal_number); });
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
  }
}

TEST_CASE("a request for the state of things is counted and asks nobody to end") {
  const int status = wait_status_of([] {
    watch_signals();
    if (status_requests() != 0) return 1;
    ::raise(SIGUSR1);
    ::raise(SIGUSR1);
    return status_requests() == 2 && !pending_signal() && !readable(signal_fd()) ? 0 : 2;
  });
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
}

TEST_CASE("leaving by a signal is death by that signal, even when it was blocked") {
  const int status = wait_status_of([] {
    watch_signals();
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    die_by_signal(SIGTERM);
    return 0;
  });
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("a signal that was ignored from outside stays ignored") {
  const int status = wait_status_of([] {
    ::signal(SIGHUP, SIG_IGN);
    watch_signals();
    ::raise(SIGHUP);
    return pending_signal() ? 1 : 0;
  });
  REQUIRE(status == 0);
}

TEST_CASE("a file size limit does not kill") {
  const int status = wait_status_of([] {
    watch_signals();
    ::raise(SIGXFSZ);
    return pending_signal() ? 1 : 0;
  });
  REQUIRE(status == 0);
}

}  // namespace
}  // namespace ziggurat::proc
