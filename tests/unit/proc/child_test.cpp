// Real child processes: how they start, what they inherit, how they end.
#include "proc/child.hpp"

#include <sys/wait.h>

#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "proc/wait.hpp"
#include "roles.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::proc {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Generous, as the machine may be busy; only a failing test ever waits for it.
constexpr seconds kPatience{30};

// For a process that no Child object stands for; nullopt when it has not ended in time.
std::optional<int> wait_status_within(pid_t pid, milliseconds timeout) {
  const std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::now() + timeout;
  while (std::chrono::steady_clock::now() < deadline) {
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG) == pid) return status;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return std::nullopt;
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return std::distance(begin(entries), end(entries));
}

std::vector<std::string> surroundings_of(Child& child) {
  const std::optional<wire::Frame> frame = child.channel().receive();
  REQUIRE(frame);
  wire::Decoder decoder(frame->payload);
  std::vector<std::string> lines(decoder.get<std::uint32_t>());
  for (std::string& line : lines) line = decoder.get_string();
  return lines;
}

std::string message_of(const SpawnRequest& request) {
  try {
    Child child = Child::spawn(request);
    return "started";
  } catch (const Error& error) {
    REQUIRE(error.code() == ErrorCode::worker);
    return error.what();
  }
}

TEST_CASE("exit codes and signals are told apart and put in words") {
  Child three = Child::spawn(roles::shell("exit 3"));
  const ExitStatus code = three.wait(kPatience);
  REQUIRE(describe(code) == "ended with exit code 3");
  REQUIRE_FALSE(code.success());

  Child killed = Child::spawn(roles::shell("kill -9 $$"));
  const ExitStatus signal = killed.wait(kPatience);
  REQUIRE(describe(signal) == "was killed by signal 9 (Killed)");
  REQUIRE_FALSE(signal.success());

  Child fine = Child::spawn(roles::shell("exit 0"));
  REQUIRE(fine.wait(kPatience).success());
  REQUIRE(describe(*fine.try_wait()) == "ended with exit code 0");
  REQUIRE(describe(ExitStatus{}) == "ended in an unknown way");
}

TEST_CASE("a program that cannot be started is one clear error") {
  REQUIRE(message_of({"/nonexistent/reader", {}, "reader 2", {}}) ==
          "cannot start reader 2: /nonexistent/reader: No such file or directory");
  REQUIRE(message_of({"/etc/passwd", {}, "reader 2", {}}) ==
          "cannot start reader 2: /etc/passwd: Permission denied");
  REQUIRE(message_of({"/bin/true", {}, "reader 2", {999}}) ==
          "cannot start reader 2: cannot pass on descriptor 999: Bad file descriptor");
}

TEST_CASE("messages go both ways and the child ends when we close") {
  Child child = Child::spawn(roles::request("echo"));
  const std::vector<std::byte> payload(4096, std::byte{42});
  for (std::uint16_t kind = 0; kind < 100; ++kind) {
    child.channel().send(kind, payload);
    const std::optional<wire::Frame> answer = child.channel().receive();
    REQUIRE(answer);
    REQUIRE(answer->kind == kind);
    REQUIRE(answer->payload == payload);
  }
  REQUIRE_FALSE(child.try_wait());
  ::shutdown(child.channel().fd(), SHUT_WR);
  REQUIRE_FALSE(child.channel().receive());
  REQUIRE(child.wait(kPatience).success());
}

// Requests to end or to report, which a whole group of processes may get.
std::vector<std::string> with_requests_blocked(std::vector<std::string> lines) {
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) {
    lines.push_back("blocked " + std::to_string(number));
  }
  return lines;
}

TEST_CASE("the child sees null streams, our stderr, what it was given, and nothing else") {
  const UniqueFd leaky(::dup(STDERR_FILENO));  // not close-on-exec, as HDF5's own are
  const SharedMemory memory = SharedMemory::create("slots", 4096);
  SpawnRequest request = roles::request("surroundings");
  request.inherited_fds = {memory.fd()};
  Child child = Child::spawn(request);
  REQUIRE(surroundings_of(child) ==
          with_requests_blocked({"0 /dev/null", "1 /dev/null", "2", "3", "4"}));
}

TEST_CASE("signals that the host blocked or ignored are fresh in the child") {
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGCHLD);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
  Child child = Child::spawn(roles::request("surroundings"));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  REQUIRE(surroundings_of(child) ==
          with_requests_blocked({"0 /dev/null", "1 /dev/null", "2", "3"}));
}

TEST_CASE("inherited descriptors keep their order, also when the numbers cross") {
  std::array<int, 2> first{};
  std::array<int, 2> second{};
  REQUIRE(::pipe2(first.data(), O_CLOEXEC) == 0);
  REQUIRE(::pipe2(second.data(), O_CLOEXEC) == 0);
  const UniqueFd first_read(first[0]), first_write(first[1]);
  const UniqueFd second_read(second[0]), second_write(second[1]);
  SpawnRequest request = roles::request("inherited");
  // Numbered 6, 5, 4, 3 here when nothing else is open: placed one by one they would clobber
  // others.
  request.inherited_fds = {second_write.get(), second_read.get(), first_write.get(),
                           first_read.get()};
  Child child = Child::spawn(request);
  REQUIRE(child.wait(kPatience).success());

  std::array<char, 64> text{};
  REQUIRE(::read(second_read.get(), text.data(), text.size()) == 12);
  REQUIRE(std::string(text.data()) == "descriptor 3");
  REQUIRE(::read(first_read.get(), text.data(), text.size()) == 12);
  REQUIRE(std::string(text.data()) == "descriptor 5");
}

TEST_CASE("a child's death wakes the watcher and ends the channel") {
  Child child = Child::spawn(roles::request("sleep"));
  REQUIRE(child.channel().receive()->kind == roles::kHello);
  const std::array<int, 2> watched{child.channel().fd(), child.pid_fd()};
  REQUIRE(wait_readable(watched, milliseconds(0)).empty());
  REQUIRE_THROWS_WITH(child.wait(milliseconds(20)), "reader 2 has not ended within 20 ms");

  ::kill(child.pid(), SIGKILL);
  REQUIRE(describe(child.wait(kPatience)) == "was killed by signal 9 (Killed)");
  REQUIRE(wait_readable(watched, kPatience) == std::vector<std::size_t>{0, 1});
  REQUIRE_FALSE(child.channel().receive());
  REQUIRE_THROWS_WITH(child.channel().send(1, {}), "reader 2 has gone away");
}

TEST_CASE("the owner's end kills and reaps a stopped child") {
  pid_t pid = -1;
  {
    Child child = Child::spawn(roles::request("sleep"));
    REQUIRE(child.channel().receive());
    pid = child.pid();
    ::kill(pid, SIGSTOP);
  }
  REQUIRE(::kill(pid, 0) == -1);
  REQUIRE(errno == ESRCH);
}

TEST_CASE("moving a child moves the duty to end it") {
  Child first = Child::spawn(roles::request("sleep"));
  const pid_t pid = first.pid();
  Child second = std::move(first);
  REQUIRE(second.pid() == pid);
  REQUIRE_FALSE(second.try_wait());
  second = Child::spawn(roles::shell("exit 0"));
  REQUIRE(::kill(pid, 0) == -1);
}

TEST_CASE("starting and stopping over and over leaves nothing behind") {
  const std::ptrdiff_t before = open_descriptors();
  for (int round = 0; round < 100; ++round) {
    Child child = Child::spawn(roles::request(round % 2 == 0 ? "sleep" : "echo"));
    if (round % 4 == 0) REQUIRE(child.channel().receive());
  }
  for (int round = 0; round < 20; ++round) message_of({"/nonexistent", {}, "reader 2", {2}});
  REQUIRE(open_descriptors() == before);
  REQUIRE(::waitpid(-1, nullptr, WNOHANG) == -1);
  REQUIRE(errno == ECHILD);
}

TEST_CASE("children started by several threads at once do not hold each other's channels") {
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&ended] {
      for (int round = 0; round < 10; ++round) {
        Child child = Child::spawn(roles::request("echo"));
        ::shutdown(child.channel().fd(), SHUT_WR);
        if (!child.channel().receive() && child.wait(kPatience).success()) ++ended;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  REQUIRE(ended == 40);
}

TEST_CASE("a host that reaps for itself costs the status, not the notice") {
  Child child = Child::spawn(roles::shell("exit 3"));
  int status = 0;
  REQUIRE(::waitpid(child.pid(), &status, 0) == child.pid());
  REQUIRE(child.wait(kPatience).kind == ExitStatus::Kind::unknown);
  child.kill();

  ::signal(SIGCHLD, SIG_IGN);
  Child ignored = Child::spawn(roles::shell("exit 3"));
  REQUIRE(ignored.wait(kPatience).kind == ExitStatus::Kind::unknown);
  ::signal(SIGCHLD, SIG_DFL);
}

TEST_CASE("without pidfds ends are still seen") {
  Child child = Child::spawn(roles::request("without pidfd"));
  const ExitStatus status = child.wait(kPatience);
  if (status.value == roles::kSkipped) {
    WARN("skipped: seccomp filters are not allowed here");
    return;
  }
  REQUIRE(describe(status) == "ended with exit code 0");
}

TEST_CASE("a child does not outlive a parent that is killed") {
  // Orphans come to us, so that the end of this one can be seen.
  REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0);
  Child parent = Child::spawn(roles::request("parent"));
  const std::optional<wire::Frame> report = parent.channel().receive();
  REQUIRE(report);
  const pid_t orphan = wire::Decoder(report->payload).get<pid_t>();
  REQUIRE(::kill(orphan, 0) == 0);
  parent.kill();
  parent.wait(kPatience);

  const std::optional<int> status = wait_status_within(orphan, kPatience);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  if (!status) ::kill(orphan, SIGKILL);
  REQUIRE(status);
  REQUIRE(WIFSIGNALED(*status));
  REQUIRE(WTERMSIG(*status) == SIGKILL);
}

TEST_CASE("a child whose parent is gone already dies at once") {
  const pid_t pid = ::fork();
  if (pid == 0) {
    die_with_parent(::getppid() + 1);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  REQUIRE(WIFSIGNALED(status));
  REQUIRE(WTERMSIG(status) == SIGKILL);
}

TEST_CASE("the link to the parent is read from the last two arguments") {
  const std::array<const char*, 4> good{"ziggurat", "reader", "--channel-fd=5", "--parent-pid=77"};
  const ParentLink link = read_parent_link(4, good.data());
  REQUIRE(link.channel_fd == 5);
  REQUIRE(link.parent_pid == 77);

  const std::array<const char*, 3> wrong{"ziggurat", "--channel-fd=5x", "--parent-pid=77"};
  REQUIRE_THROWS_AS(read_parent_link(3, wrong.data()), Error);
  REQUIRE_THROWS_AS(read_parent_link(1, good.data()), Error);
  REQUIRE_THROWS_AS(adopt_channel(STDIN_FILENO), Error);
}

TEST_CASE("a program whose file was replaced starts itself again") {
  const std::filesystem::path copy =
      std::filesystem::temp_directory_path() / ("ziggurat-proc-" + std::to_string(::getpid()));
  std::filesystem::copy_file(self_path(), copy);
  SpawnRequest request = roles::request("upgraded");
  request.executable = copy.string();
  Child child = Child::spawn(request);
  REQUIRE(child.wait(kPatience).value == 7);
  REQUIRE_FALSE(std::filesystem::exists(copy));
  REQUIRE(std::filesystem::equivalent(self_path(), "/proc/self/exe"));
}

}  // namespace
}  // namespace ziggurat::proc
