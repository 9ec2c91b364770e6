#include "proc/heartbeat.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "proc/quiet_thread.hpp"

namespace ziggurat::proc {

Heartbeat::Heartbeat(std::string file, std::chrono::milliseconds interval)
    : file_(std::move(file)), interval_(interval) {
  try {
    thread_ = start_quiet_thread([this] { beat(); });
  } catch (const std::system_error& error) {
    fail(ErrorCode::io, "cannot start a thread: {}", error.code().message());
  }
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Heartbeat::beat() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval_, [this] { return stop_; })) {
    // A beat that fails is missed; the next may not be.
    ::utimensat(AT_FDCWD, file_.c_str(), nullptr, 0);
  }
}

}  // namespace ziggurat::proc
