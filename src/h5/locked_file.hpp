// A file of somebody else, open for change and locked as far as that goes.
//
// Locks are a courtesy: NFS without a lock daemon has none, others grant one to two hosts, others
// lose it silently. So nothing may rest on holding one, and only one answer counts: "taken".
// Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "h5/file_ops.hpp"

namespace ziggurat::h5 {

// How to wait for somebody else's lock.
struct LockPatience {
  LockPatience() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a time alone says enough
  LockPatience(std::chrono::milliseconds how_long) : timeout(how_long) {}

  std::chrono::milliseconds timeout{60'000};
  // Called before the first sleep and, while the lock stays taken, at least every 250 ms: to say
  // so, and to give up. What it throws ends the wait.
  std::function<void()> waiting;
};

class LockedFile {
 public:
  // Opens path for reading and writing and takes an exclusive flock. Waits for one that is taken as
  // long as patience lasts; every other refusal means that there are no locks here.
  // Throws: Error{input} when there is no such file or it was replaced during the wait, Error{io}
  // when it may not be written, Error{busy} when the lock stayed taken.
  LockedFile(FileOps& ops, const std::string& path, const LockPatience& patience);
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  ~LockedFile();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] const FileStatus& status() const noexcept { return status_; }
  // Hands descriptor and lock to the caller, who closes it.
  [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }

 private:
  explicit LockedFile(FileOps& ops) : ops_(ops) {}

  FileOps& ops_;
  int descriptor_ = -1;
  FileStatus status_;  // when the lock was had
};

}  // namespace ziggurat::h5
