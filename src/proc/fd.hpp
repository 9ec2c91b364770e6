// Owner of one file descriptor.
//
// Every descriptor this layer makes is close-on-exec from birth; only child.cpp hands any over.
#pragma once

#include <unistd.h>

#include <utility>

namespace ziggurat::proc {

// Move-only; an empty one holds -1. Not for data that still has to reach a disk: the result of
// close(2) is dropped.
class UniqueFd final {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }

  // Linux frees the number even when close says EINTR, so it is never called twice.
  void reset(int fd = -1) noexcept {
    const int old = std::exchange(fd_, fd);
    if (old >= 0) ::close(old);
  }

 private:
  int fd_ = -1;
};

}  // namespace ziggurat::proc
