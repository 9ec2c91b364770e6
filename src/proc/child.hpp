// A child process with a Channel to it; both sides of the agreement between them.
//
// Started by exec and never by bare fork, so the host may have threads and open HDF5 files. The
// child is killed and reaped when its owner goes, on every path.
//
// Rule for the parent's threads: a child asks the kernel to be killed when its parent dies, and the
// kernel means the *thread* that spawned it. So spawn from a thread that outlives the child: the
// one that runs the build and owns the Child objects, never a pool's. A child that serves whoever
// calls does not ask for that: it waits on its channel, whose end it sees when the parent dies.
//
// A fork of the parent has copies of its Child objects, but no children: there they let go.
//
// The child shares the parent's process group: what a terminal or a batch system sends to the group
// reaches both, so after a child's death ask for a signal of one's own before blaming the child.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "proc/channel.hpp"
#include "proc/fd.hpp"

namespace ziggurat::proc {

inline constexpr int kFirstInheritedFd = 3;

struct SpawnRequest {
  std::string executable;              // path; PATH is not searched
  std::vector<std::string> arguments;  // after argv[0]; two more are appended, see ParentLink
  std::string label;                   // names the child in messages: "reader 2"
  std::vector<int> inherited_fds;      // become 3, 4, 5 ... in the child; stay open here
};

// How a process ended.
struct ExitStatus {
  enum class Kind {
    exited,     // value: exit code
    signalled,  // value: signal number
    unknown,    // somebody else in this process reaped it, or SIGCHLD is ignored
  };
  Kind kind = Kind::unknown;
  int value = 0;

  [[nodiscard]] bool success() const noexcept { return kind == Kind::exited && value == 0; }
};

// Continues a sentence that starts with the label: "was killed by signal 9 (Killed)",
// "ended with exit code 3", "ended in an unknown way".
[[nodiscard]] std::string describe(const ExitStatus& status);

// Thread rules: one thread at a time, apart from the channel, which has its own rule.
class Child final {
 public:
  // The child has stdin and stdout on /dev/null, our stderr, the inherited descriptors, its end of
  // the channel and nothing else; all signals are at their defaults, and those that ask a process
  // to end or to report are blocked, the others not. Throws Error{worker} when the program cannot
  // be started.
  [[nodiscard]] static Child spawn(const SpawnRequest& request);

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Kills and reaps. Gives up on reaping after some seconds: a process that hangs inside a dead
  // network file system cannot be killed, and must not hang us too.
  ~Child();

  [[nodiscard]] Channel& channel() noexcept { return channel_; }
  [[nodiscard]] const std::string& label() const noexcept { return channel_.peer(); }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

  // Readable once the child has ended; -1 on systems without pidfds, which wait_readable ignores:
  // there the channel's end tells. A message sent before death is still to be had from the channel
  // afterwards, so drain that first.
  [[nodiscard]] int pid_fd() const noexcept { return pid_fd_.get(); }

  // nullopt while it runs.
  [[nodiscard]] std::optional<ExitStatus> try_wait() noexcept;

  // Throws Error{worker} when the child has not ended within timeout.
  ExitStatus wait(std::chrono::milliseconds timeout);

  // Sends SIGKILL; nothing when it has ended. The end is to be waited for.
  void kill() noexcept;

 private:
  Child(Channel channel, pid_t pid);
  void end() noexcept;
  bool ended_within(std::chrono::milliseconds timeout) noexcept;

  Channel channel_;
  pid_t pid_ = -1;
  pid_t parent_ = -1;  // the process whose child it is
  UniqueFd pid_fd_;
  std::optional<ExitStatus> status_;
};

// What a child is told of its parent by its last two arguments: --channel-fd=N --parent-pid=N.
struct ParentLink {
  int channel_fd = -1;
  pid_t parent_pid = -1;
};

inline constexpr const char* kChannelFdOption = "--channel-fd=";
inline constexpr const char* kParentPidOption = "--parent-pid=";

// Throws Error{usage} when the last two arguments are not these.
[[nodiscard]] ParentLink read_parent_link(int argc, const char* const* argv);

// Child side, first thing in main: from here on the child does not outlive its parent. Does not
// return when the parent is gone already.
void die_with_parent(pid_t expected_parent);

// Child side: the channel to the parent. Throws Error{usage} when fd is no socket.
[[nodiscard]] Channel adopt_channel(int fd);

}  // namespace ziggurat::proc
