#include "proc/process_identity.hpp"

#include <fmt/format.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>

#include "base/strings.hpp"

namespace ziggurat::proc {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string link_target(const char* path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t n = ::readlink(path, target.data(), target.size());
  return n < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(n));
}

struct KernelEntry {
  char state = 0;
  std::uint64_t start_ticks = 0;
};

// Of /proc/PID/stat. The name of the program, in parentheses, may hold anything.
std::optional<KernelEntry> kernel_entry(std::int64_t pid) {
  constexpr std::size_t kState = 0;  // fields after the name
  constexpr std::size_t kStartTicks = 19;
  const std::string line = first_line(fmt::format("/proc/{}/stat", pid));
  const std::size_t name_end = line.rfind(") ");
  if (name_end == std::string::npos) return std::nullopt;
  const auto fields = split(std::string_view(line).substr(name_end + 2), ' ');
  if (fields.size() <= kStartTicks) return std::nullopt;
  const std::optional<std::int64_t> ticks = parse_int64(fields[kStartTicks]);
  if (!ticks || fields[kState].empty()) return std::nullopt;
  return KernelEntry{fields[kState].front(), static_cast<std::uint64_t>(*ticks)};
}

// The value of a line "key value"; nothing when the line is another.
std::optional<std::string> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') {
    return std::nullopt;
  }
  return std::string(line.substr(key.size() + 1));
}

}  // namespace

ProcessIdentity this_process() {
  ProcessIdentity process;
  std::array<char, HOST_NAME_MAX + 1> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) process.host = host.data();
  process.boot = first_line("/proc/sys/kernel/random/boot_id");
  process.name_spaces = link_target("/proc/self/ns/pid") + " " + link_target("/proc/self/ns/time");
  process.pid = ::getpid();
  if (const auto entry = kernel_entry(process.pid)) process.start_ticks = entry->start_ticks;
  return process;
}

Life life_of(const ProcessIdentity& process) {
  const ProcessIdentity here = this_process();
  if (here.boot.empty() || process.boot != here.boot || process.name_spaces != here.name_spaces) {
    return Life::unknown;
  }
  if (::kill(static_cast<pid_t>(process.pid), 0) != 0 && errno == ESRCH) return Life::dead;
  const std::optional<KernelEntry> entry = kernel_entry(process.pid);
  if (!entry || process.start_ticks == 0) return Life::alive;
  if (entry->start_ticks != process.start_ticks) return Life::dead;
  // Ended, but nobody has asked how yet.
  return entry->state == 'Z' || entry->state == 'X' ? Life::dead : Life::alive;
}

std::string to_text(const ProcessIdentity& process) {
  return fmt::format("host {}\nboot {}\nspaces {}\npid {}\nstarted {}\n", process.host,
                     process.boot, process.name_spaces, process.pid, process.start_ticks);
}

std::optional<ProcessIdentity> parse_process(std::string_view text) {
  const auto lines = split(text, '\n');
  if (lines.size() != 6 || !lines[5].empty()) return std::nullopt;
  const auto host = value_of(lines[0], "host");
  const auto boot = value_of(lines[1], "boot");
  const auto spaces = value_of(lines[2], "spaces");
  const auto pid = value_of(lines[3], "pid");
  const auto started = value_of(lines[4], "started");
  if (!host || !boot || !spaces || !pid || !started) return std::nullopt;
  const std::optional<std::int64_t> pid_number = parse_int64(*pid);
  const std::optional<std::int64_t> ticks = parse_int64(*started);
  // 0 and below mean groups to kill(2).
  if (!pid_number || !ticks || *pid_number <= 0 || *pid_number > INT_MAX || *ticks < 0) {
    return std::nullopt;
  }
  return ProcessIdentity{*host, *boot, *spaces, *pid_number, static_cast<std::uint64_t>(*ticks)};
}

std::string describe(const ProcessIdentity& process) {
  return fmt::format("process {} on host {}", process.pid, process.host);
}

}  // namespace ziggurat::proc
