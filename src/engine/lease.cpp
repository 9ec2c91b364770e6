#include "engine/lease.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <tuple>

#include "base/check.hpp"
#include "proc/fd.hpp"
#include "proc/process_identity.hpp"

namespace ziggurat::engine {

using namespace std::chrono_literals;

namespace {

constexpr auto kHeartbeat = 5s;
// Several beats, of a file server that shows them late.
constexpr auto kWatch = 30s;
constexpr auto kLook = 100ms;

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string name_of_owner(const std::string& text) {
  const auto owner = proc::parse_process(text);
  return owner ? proc::describe(*owner) : "a process that cannot be told";
}

[[noreturn]] void give_way(const std::string& folder, const std::string& owner_text) {
  fail(ErrorCode::busy, "checkpoint {} is in use by {}: try again when that has ended", folder,
       name_of_owner(owner_text));
}

// Changes with every beat; not there: all zeros.
std::tuple<ino_t, time_t, long> pulse(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  return {info.st_ino, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

}  // namespace

Lease::Lease(const std::string& folder, Observer& observer)
    : folder_(folder), file_(folder + "/owner"), text_(proc::to_text(proc::this_process())) {
  while (!try_take()) {
    const std::string owner = content(file_);
    wait_for_end(owner, observer);
    const std::string moved = file_ + "." + std::to_string(getpid());
    if (std::rename(file_.c_str(), moved.c_str()) != 0) continue;
    const bool is_the_dead_one = content(moved) == owner;
    if (is_the_dead_one) {
      std::remove(moved.c_str());
      continue;
    }
    // Somebody else was quicker, and what was moved is theirs.
    std::rename(moved.c_str(), file_.c_str());
    give_way(folder_, content(file_));
  }
  heartbeat_.emplace(file_, kHeartbeat);
}

Lease::~Lease() {
  heartbeat_.reset();
  if (content(file_) == text_) std::remove(file_.c_str());
}

bool Lease::try_take() const {
  proc::UniqueFd fd(open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd && errno == EEXIST) return false;
  const bool written =
      fd && write(fd.get(), text_.data(), text_.size()) == static_cast<ssize_t>(text_.size());
  if (!written) fail(ErrorCode::io, "cannot write {}: {}", file_, std::strerror(errno));
  return true;
}

void Lease::wait_for_end(const std::string& owner_text, Observer& observer) const {
  const auto owner = proc::parse_process(owner_text);
  const proc::Life life = owner ? proc::life_of(*owner) : proc::Life::unknown;
  if (life == proc::Life::alive) give_way(folder_, owner_text);
  if (life == proc::Life::dead) return;
  observer.note(fmt::format("checkpoint {} was in use by {}: watching for {} s whether it still is",
                            folder_, name_of_owner(owner_text),
                            std::chrono::seconds(kWatch).count()));
  const auto end = std::chrono::steady_clock::now() + kWatch;
  const auto before = pulse(file_);
  while (std::chrono::steady_clock::now() < end) {
    if (observer.cancelled()) fail(ErrorCode::cancelled, "stopped");
    std::this_thread::sleep_for(kLook);
    const auto now = pulse(file_);
    if (now == decltype(now){}) return;
    if (now != before) give_way(folder_, content(file_));
  }
}

void Lease::check() const {
  if (content(file_) != text_) give_way(folder_, content(file_));
}

}  // namespace ziggurat::engine
