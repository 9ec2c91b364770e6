// Starting, watching and ending a child process.
//
// Problem: the host may be a Python interpreter with threads, HDF5 files open without
// close-on-exec, its own signal handlers, its own SIGCHLD habits; and whatever happens here or
// there, neither side may hang, and no child may outlive its parent.
//
// Method. posix_spawn makes the child without running a line of the host's code in it (no atfork
// handlers, no copied locks). Descriptors are placed by number: each one is first copied above the
// numbers it will be placed at, so that placing one never overwrites another that is still to be
// placed, and everything above the last is closed, whoever opened it and however (needs glibc
// 2.34). The end of a child is watched through a pidfd, which names this child for ever, where a
// pid may be given to another process once the host has reaped it; where there is no pidfd, by
// polling. The other direction is the child's: die_with_parent.
//
// Cost: some milliseconds per start and end, measured at 3 on a busy machine. No lock and no thread
// of our own.
#include "proc/child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "base/check.hpp"
#include "proc/system_error.hpp"
#include "proc/wait.hpp"

namespace ziggurat::proc {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kReapLimit{5000};
constexpr milliseconds kPollInterval{2};

class FileActions final {
 public:
  FileActions() { check(::posix_spawn_file_actions_init(&actions_)); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  void open(int fd, const char* path, int flags) {
    check(::posix_spawn_file_actions_addopen(&actions_, fd, path, flags, 0));
  }
  void place(int from, int to) { check(::posix_spawn_file_actions_adddup2(&actions_, from, to)); }
  void close_from(int fd) { check(::posix_spawn_file_actions_addclosefrom_np(&actions_, fd)); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  static void check(int error_number) {
    if (error_number != 0) fail_errno(ErrorCode::worker, "cannot start a process", error_number);
  }

  posix_spawn_file_actions_t actions_;
};

// Signals as a freshly started program expects them, whatever the host did to its own. Requests to
// end or to report are blocked: terminals and batch systems send them to a whole group of
// processes, but they are meant for the one in charge, which may want to finish something with its
// children before it ends them.
class FreshSignals final {
 public:
  FreshSignals() {
    const int error_number = ::posix_spawnattr_init(&attributes_);
    if (error_number != 0) fail_errno(ErrorCode::worker, "cannot start a process", error_number);
    sigset_t all;
    sigset_t blocked;
    ::sigfillset(&all);
    ::sigemptyset(&blocked);
    for (const int request : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
      ::sigaddset(&blocked, request);
    }
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setsigmask(&attributes_, &blocked);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  FreshSignals(const FreshSignals&) = delete;
  FreshSignals& operator=(const FreshSignals&) = delete;
  ~FreshSignals() { ::posix_spawnattr_destroy(&attributes_); }

  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

// Places fds at 3, 4, 5 ... in the child. The copies it makes on the way are added to copies, which
// must live until the child has started.
void place_descriptors(std::span<const int> fds, FileActions& actions,
                       std::vector<UniqueFd>& copies) {
  const int end = kFirstInheritedFd + narrow<int>(fds.size());
  int target = kFirstInheritedFd;
  for (const int fd : fds) {
    UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, end));
    if (!copy) {
      fail_errno(ErrorCode::worker, fmt::format("cannot pass on descriptor {}", fd), errno);
    }
    actions.place(copy.get(), target++);
    copies.push_back(std::move(copy));
  }
  actions.close_from(end);
}

std::vector<std::string> command_line(const SpawnRequest& request, int channel_fd) {
  std::vector<std::string> words{request.executable};
  words.insert(words.end(), request.arguments.begin(), request.arguments.end());
  words.push_back(fmt::format("{}{}", kChannelFdOption, channel_fd));
  words.push_back(fmt::format("{}{}", kParentPidOption, ::getpid()));
  return words;
}

// channel_fd becomes the child's descriptor after the inherited ones.
pid_t start(const SpawnRequest& request, int channel_fd) {
  std::vector<int> fds = request.inherited_fds;
  std::vector<std::string> words =
      command_line(request, kFirstInheritedFd + narrow<int>(fds.size()));
  fds.push_back(channel_fd);

  FileActions actions;
  std::vector<UniqueFd> copies;
  actions.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  actions.open(STDOUT_FILENO, "/dev/null", O_WRONLY);
  place_descriptors(fds, actions, copies);

  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const FreshSignals signals;
  pid_t pid = -1;
  const int error_number = ::posix_spawn(&pid, request.executable.c_str(), actions.get(),
                                         signals.get(), argv.data(), environ);
  if (error_number != 0) fail_errno(ErrorCode::worker, request.executable, error_number);
  return pid;
}

ExitStatus status_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {ExitStatus::Kind::signalled, WTERMSIG(wait_status)};
  return {ExitStatus::Kind::exited, WEXITSTATUS(wait_status)};
}

// The number after option, or -1.
int option_value(std::string_view argument, std::string_view option) {
  int value = -1;
  if (!argument.starts_with(option)) return -1;
  argument.remove_prefix(option.size());
  const char* end = argument.data() + argument.size();
  const auto [stop, error] = std::from_chars(argument.data(), end, value);
  return error == std::errc() && stop == end ? value : -1;
}

}  // namespace

std::string describe(const ExitStatus& status) {
  switch (status.kind) {
    case ExitStatus::Kind::exited:
      return fmt::format("ended with exit code {}", status.value);
    case ExitStatus::Kind::signalled: {
      const char* name = ::sigdescr_np(status.value);
      return fmt::format("was killed by signal {} ({})", status.value,
                         name != nullptr ? name : "real-time signal");
    }
    case ExitStatus::Kind::unknown:
      break;
  }
  return "ended in an unknown way";
}

Child Child::spawn(const SpawnRequest& request) {
  try {
    auto [near, far] = make_channel_pair(request.label, "parent");
    const pid_t pid = start(request, far.fd());
    return Child(std::move(near), pid);
  } catch (const Error& error) {
    fail(error.code(), "cannot start {}: {}", request.label, error.what());
  }
}

Child::Child(Channel channel, pid_t pid)
    : channel_(std::move(channel)),
      pid_(pid),
      parent_(::getpid()),
      pid_fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

Child::Child(Child&& other) noexcept
    : channel_(std::move(other.channel_)),
      pid_(std::exchange(other.pid_, -1)),
      parent_(other.parent_),
      pid_fd_(std::move(other.pid_fd_)),
      status_(std::exchange(other.status_, std::nullopt)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(channel_, other.channel_);
  std::swap(pid_, other.pid_);
  std::swap(parent_, other.parent_);
  std::swap(pid_fd_, other.pid_fd_);
  std::swap(status_, other.status_);
  return *this;
}

Child::~Child() { end(); }

std::optional<ExitStatus> Child::try_wait() noexcept {
  if (status_ || pid_ < 0) return status_;
  int wait_status = 0;
  const pid_t reaped = ::waitpid(pid_, &wait_status, WNOHANG);
  if (reaped == pid_) status_ = status_of(wait_status);
  if (reaped < 0 && errno == ECHILD) status_ = ExitStatus{};
  return status_;
}

ExitStatus Child::wait(milliseconds timeout) {
  if (!ended_within(timeout)) {
    fail(ErrorCode::worker, "{} has not ended within {} ms", label(), timeout.count());
  }
  return *status_;
}

void Child::kill() noexcept {
  if (pid_ < 0 || try_wait()) return;
  if (pid_fd_) {
    ::syscall(SYS_pidfd_send_signal, pid_fd_.get(), SIGKILL, nullptr, 0);
  } else {
    ::kill(pid_, SIGKILL);
  }
}

void Child::end() noexcept {
  if (pid_ < 0 || parent_ != ::getpid()) return;
  kill();
  ended_within(kReapLimit);
}

bool Child::ended_within(milliseconds timeout) noexcept {
  const Clock::time_point deadline = Clock::now() + timeout;
  while (!try_wait()) {
    const Clock::time_point now = Clock::now();
    if (now >= deadline) return false;
    // Without a pidfd the entry is ignored and poll only sleeps, for which a short step is chosen.
    pollfd entry{.fd = pid_fd_.get(), .events = POLLIN, .revents = 0};
    poll_until({&entry, 1}, pid_fd_ ? deadline : std::min(deadline, now + kPollInterval));
  }
  return true;
}

ParentLink read_parent_link(int argc, const char* const* argv) {
  ParentLink link;
  if (argc > 2) {
    link.channel_fd = option_value(argv[argc - 2], kChannelFdOption);
    link.parent_pid = option_value(argv[argc - 1], kParentPidOption);
  }
  if (link.channel_fd < 0 || link.parent_pid < 0) {
    fail(ErrorCode::usage, "this command is started by ziggurat itself, with {}N {}N at its end",
         kChannelFdOption, kParentPidOption);
  }
  return link;
}

// The kernel's promise covers a parent that dies from now on, the comparison one that died before:
// an orphan has another parent. Dying the same way in both cases leaves one case to think about.
void die_with_parent(pid_t expected_parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != expected_parent) ::raise(SIGKILL);
}

Channel adopt_channel(int fd) {
  int type = 0;
  socklen_t size = sizeof(type);
  if (::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) {
    fail(ErrorCode::usage, "descriptor {} is not a channel to a parent process", fd);
  }
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return Channel(UniqueFd(fd), "parent");
}

}  // namespace ziggurat::proc
