#include "proc/process_identity.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

namespace ziggurat::proc {
namespace {

// A process that waits until it is ended, seen by its identity.
struct Sleeper {
  pid_t pid = ::fork();
  ProcessIdentity identity = this_process();

  Sleeper() {
    if (pid == 0) {
      for (;;) ::pause();
    }
    identity.pid = pid;
    identity.start_ticks = 0;
  }
};

TEST_CASE("this process is alive, and is told from others by every part of its identity") {
  const ProcessIdentity self = this_process();
  REQUIRE(self.pid == ::getpid());
  REQUIRE(self.start_ticks > 0);
  REQUIRE(life_of(self) == Life::alive);

  ProcessIdentity other = self;
  other.start_ticks += 1;
  CHECK(life_of(other) == Life::dead);
  other = self;
  other.boot = "11111111-2222-3333-4444-555555555555";
  CHECK(life_of(other) == Life::unknown);
  other = self;
  other.boot.clear();
  CHECK(life_of(other) == Life::unknown);
  other = self;
  other.name_spaces = "pid:[1] time:[1]";
  CHECK(life_of(other) == Life::unknown);
  other = self;
  other.host = "renamed";
  CHECK(life_of(other) == Life::alive);
}

TEST_CASE("a process is dead when it has ended, asked for or not") {
  const Sleeper sleeper;
  REQUIRE(life_of(sleeper.identity) == Life::alive);
  ::kill(sleeper.pid, SIGKILL);
  siginfo_t info{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(sleeper.pid), &info, WEXITED | WNOWAIT) == 0);
  ProcessIdentity unreaped = sleeper.identity;
  CHECK(life_of(unreaped) == Life::alive);  // its start is not known, so this errs on the safe side
  REQUIRE(::waitpid(sleeper.pid, nullptr, 0) == sleeper.pid);
  CHECK(life_of(sleeper.identity) == Life::dead);
}

TEST_CASE("the text of an identity is read back, and no other text is") {
  const ProcessIdentity self = this_process();
  const std::string text = to_text(self);
  REQUIRE(parse_process(text) == self);
  for (std::size_t n = 0; n < text.size(); ++n) CHECK_FALSE(parse_process(text.substr(0, n)));
  CHECK_FALSE(parse_process(text + "more\n"));
  for (const std::int64_t pid : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40}) {
    ProcessIdentity odd = self;
    odd.pid = pid;
    CHECK_FALSE(parse_process(to_text(odd)));
  }
}

}  // namespace
}  // namespace ziggurat::proc
