// Waiting on several descriptors.
#include "proc/wait.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

#include "proc/fd.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::proc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

TEST_CASE("readable descriptors are named by position, ended ones too") {
  const Pipe silent = make_pipe();
  const Pipe speaking = make_pipe();
  Pipe ended = make_pipe();
  REQUIRE(::write(speaking.write.get(), "x", 1) == 1);
  ended.write.reset();
  const std::array<int, 4> fds{silent.read.get(), speaking.read.get(), -1, ended.read.get()};
  REQUIRE(wait_readable(fds, milliseconds(1000)) == std::vector<std::size_t>{1, 3});
}

TEST_CASE("signals do not shorten the wait") {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval often{.it_interval = {0, 5000}, .it_value = {0, 5000}};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  const Pipe silent = make_pipe();
  const std::array<int, 1> fds{silent.read.get()};
  const Clock::time_point start = Clock::now();
  const std::vector<std::size_t> readable = wait_readable(fds, milliseconds(100));
  const Clock::duration waited = Clock::now() - start;
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::signal(SIGALRM, SIG_DFL);
  REQUIRE(readable.empty());
  REQUIRE(waited >= milliseconds(100));
}

TEST_CASE("a descriptor that is not open is our own mistake") {
  int number = -1;
  {
    const Pipe closed = make_pipe();
    number = closed.read.get();
  }
  const std::array<int, 1> fds{number};
  try {
    (void)wait_readable(fds, milliseconds(0));
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    REQUIRE(error.code() == ErrorCode::internal);
  }
}

TEST_CASE("an owned descriptor is closed once, by its last owner") {
  const Pipe pipe = make_pipe();
  UniqueFd first(::dup(pipe.read.get()));
  const int number = first.get();
  UniqueFd second = std::move(first);
  REQUIRE_FALSE(first);
  REQUIRE(second.get() == number);
  first = std::move(second);
  REQUIRE(::fcntl(number, F_GETFD) >= 0);
  first.reset();
  REQUIRE(::fcntl(number, F_GETFD) == -1);
}

}  // namespace
}  // namespace ziggurat::proc
