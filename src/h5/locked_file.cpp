#include "h5/locked_file.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <thread>

#include "base/check.hpp"

namespace ziggurat::h5 {
namespace {

using std::chrono::milliseconds;

// Waits grow from the first to the last; each is cut at random so that two who wait for each
// other's files fall out of step.
constexpr milliseconds kFirstWait{5};
constexpr milliseconds kLastWait{250};

// False when the lock stayed taken until the time was over.
bool lock_or_do_without(FileOps& ops, int descriptor, const LockPatience& patience) {
  const auto end = std::chrono::steady_clock::now() + patience.timeout;
  std::minstd_rand random(std::random_device{}());
  for (milliseconds wait = kFirstWait; ops.try_lock(descriptor) == -EAGAIN;
       wait = std::min(2 * wait, kLastWait)) {
    if (std::chrono::steady_clock::now() >= end) return false;
    if (patience.waiting) patience.waiting();
    std::uniform_int_distribution<milliseconds::rep> jitter(wait.count() / 2, wait.count());
    std::this_thread::sleep_for(milliseconds(jitter(random)));
  }
  return true;
}

int open_for_change(FileOps& ops, const std::string& path) {
  const std::int64_t result = ops.open(path, O_RDWR, 0);
  if (result == -ENOENT) fail(ErrorCode::input, "cannot open {}: no such file", path);
  if (result < 0) {
    fail(ErrorCode::io, "cannot open {} for writing: {}", path,
         error_text(static_cast<int>(-result)));
  }
  return static_cast<int>(result);
}

}  // namespace

// Once the delegated constructor is through, the destructor runs whatever is thrown here.
LockedFile::LockedFile(FileOps& ops, const std::string& path, const LockPatience& patience)
    : LockedFile(ops) {
  descriptor_ = open_for_change(ops_, path);
  if (!lock_or_do_without(ops_, descriptor_, patience)) {
    fail(ErrorCode::busy, "{} is locked by another program; waited {:.1f} s, try again later", path,
         std::chrono::duration<double>(patience.timeout).count());
  }
  FileStatus named;
  std::int64_t result = ops_.status(descriptor_, status_);
  if (result == 0) result = ops_.status(path, named);
  if (result < 0) {
    fail(ErrorCode::input, "cannot look at {}: {}", path, error_text(static_cast<int>(-result)));
  }
  if (!named.same_file(status_)) {
    fail(ErrorCode::input, "{} was replaced by another file just now; try again", path);
  }
}

LockedFile::~LockedFile() {
  if (descriptor_ >= 0) ops_.close(descriptor_);
}

}  // namespace ziggurat::h5
