// Parts that the test program plays when it is started again as a child of itself.
//
// Catch2 owns main, so a role is entered from a constructor that runs before it: with "--role NAME"
// as first arguments the process plays that role and never reaches the tests.
#pragma once

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "proc/child.hpp"
#include "proc/self_path.hpp"
#include "proc/shared_memory.hpp"
#include "wire/frame.hpp"

namespace ziggurat::proc::roles {

inline constexpr std::uint16_t kHello = 1;
inline constexpr std::uint16_t kReport = 2;
inline constexpr std::size_t kBigBytes = std::size_t{100} << 20;
inline constexpr std::size_t kSharedBytes = std::size_t{3} << 20;
inline constexpr int kSkipped = 77;

inline SpawnRequest request(const std::string& role) {
  return {.executable = self_path(),
          .arguments = {"--role", role},
          .label = "reader 2",
          .inherited_fds = {}};
}

inline SpawnRequest shell(const std::string& command) {
  return {.executable = "/bin/sh",
          .arguments = {"-c", command},
          .label = "reader 2",
          .inherited_fds = {}};
}

// Byte i of the big message.
inline std::byte pattern(std::size_t i) { return static_cast<std::byte>(i * 2654435761U >> 24); }

inline void play_echo(Channel& channel) {
  while (const std::optional<wire::Frame> frame = channel.receive()) {
    channel.send(frame->kind, frame->payload);
  }
}

inline void play_big(Channel& channel) {
  std::vector<std::byte> payload(kBigBytes);
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = pattern(i);
  channel.send(kReport, payload);
}

// Half a header, or a header and half of its payload, and then the end.
inline void play_cut(Channel& channel, bool in_header) {
  const std::vector<std::byte> payload(100);
  const auto header = wire::encode_header(kReport, payload);
  const std::size_t header_bytes = in_header ? header.size() / 2 : header.size();
  ::send(channel.fd(), header.data(), header_bytes, 0);
  if (!in_header) ::send(channel.fd(), payload.data(), payload.size() / 2, 0);
}

inline void play_noise(Channel& channel) {
  const std::string noise = "HDF5-DIAG: Error detected in HDF5 (1.10.8)";
  ::send(channel.fd(), noise.data(), noise.size(), 0);
}

// "0 /dev/null, 1 /dev/null ..." for every descriptor there is, then blocked and non-default
// signals of those that hosts like to change.
inline void play_surroundings(Channel& channel) {
  std::vector<std::string> lines;
  for (int fd = 0; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) continue;
    std::string line = std::to_string(fd);
    if (fd < STDERR_FILENO)
      line += " " + std::filesystem::read_symlink("/proc/self/fd/" + line).string();
    lines.push_back(line);
  }
  sigset_t blocked;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGPIPE}) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_DFL) lines.push_back("handled " + std::to_string(number));
    if (::sigismember(&blocked, number) != 0) lines.push_back("blocked " + std::to_string(number));
  }
  wire::Encoder report;
  report.put(static_cast<std::uint32_t>(lines.size()));
  for (const std::string& line : lines) report.put_string(line);
  channel.send(kReport, report.payload());
}

// Doubles what the parent laid into the shared memory.
inline void play_shared(Channel& channel) {
  const SharedMemory memory = SharedMemory::map(UniqueFd(kFirstInheritedFd), kSharedBytes);
  for (std::byte& byte : memory.bytes()) byte <<= 1;
  channel.send(kReport, {});
}

inline void play_write_to_inherited() {
  for (const int fd : {3, 5}) {
    const std::string text = "descriptor " + std::to_string(fd);
    if (::write(fd, text.data(), text.size()) < 0) std::_Exit(1);
  }
}

inline void play_sleep(Channel& channel) {
  channel.send(kHello, {});
  for (;;) ::pause();
}

// A parent with a sleeping child of its own, whose pid it reports.
inline void play_parent(Channel& channel) {
  Child child = Child::spawn(request("sleep"));
  (void)child.channel().receive();
  wire::Encoder report;
  report.put(child.pid());
  channel.send(kReport, report.payload());
  for (;;) ::pause();
}

// Makes pidfd_open fail as on an old kernel, then lives with it. Exit code 0 when all is well.
inline int play_without_pidfd() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = 4, .filter = rules};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return kSkipped;

  Child child = Child::spawn(shell("exit 3"));
  const ExitStatus status = child.wait(std::chrono::seconds(10));
  if (child.pid_fd() != -1) return 1;
  if (status.kind != ExitStatus::Kind::exited || status.value != 3) return 2;
  Child sleeper = Child::spawn(shell("exec sleep 1000"));
  sleeper.kill();
  return sleeper.wait(std::chrono::seconds(10)).value == SIGKILL ? 0 : 3;
}

// Loses its own file, as in an upgrade under way, and starts itself again.
inline int play_upgraded() {
  std::filesystem::remove(self_path());
  Child child = Child::spawn(request("exit7"));
  return child.wait(std::chrono::seconds(30)).value;
}

inline int play(const std::string& role, Channel& channel) {
  if (role == "echo") play_echo(channel);
  if (role == "big") play_big(channel);
  if (role == "cut header") play_cut(channel, true);
  if (role == "cut payload") play_cut(channel, false);
  if (role == "noise") play_noise(channel);
  if (role == "surroundings") play_surroundings(channel);
  if (role == "shared") play_shared(channel);
  if (role == "inherited") play_write_to_inherited();
  if (role == "sleep") play_sleep(channel);
  if (role == "parent") play_parent(channel);
  if (role == "without pidfd") return play_without_pidfd();
  if (role == "upgraded") return play_upgraded();
  if (role == "exit7") return 7;
  return 0;
}

// glibc hands main's arguments to constructors as well.
[[gnu::constructor]] inline void enter_role(int argc, char** argv) {
  if (argc < 3 || std::strcmp(argv[1], "--role") != 0) return;
  int code = 1;
  try {
    const ParentLink link = read_parent_link(argc, argv);
    die_with_parent(link.parent_pid);
    Channel channel = adopt_channel(link.channel_fd);
    code = play(argv[2], channel);
  } catch (...) {
    code = 99;
  }
  std::_Exit(code);
}

}  // namespace ziggurat::proc::roles
