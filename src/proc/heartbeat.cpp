#include "proc/heartbeat.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <system_error>
#include <utility>

#include "base/check.hpp"

namespace ziggurat::proc {

Heartbeat::Heartbeat(std::string file, std::chrono::milliseconds interval)
    : file_(std::move(file)), interval_(interval) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::error_code error;
  try {
    thread_ = std::thread([this] { beat(); });
  } catch (const std::system_error& failure) {
    error = failure.code();
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error) fail(ErrorCode::io, "cannot start a thread: {}", error.message());
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
