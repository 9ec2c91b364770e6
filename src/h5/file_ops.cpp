#include "h5/file_ops.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace ziggurat::h5 {
namespace {

// A signal that interrupts a call is nobody's failure. close must not come through here: the
// descriptor is gone even when close says EINTR.
template <typename Call>
std::int64_t uninterrupted(Call call) {
  while (true) {
    const std::int64_t result = call();
    if (result >= 0) return result;
    if (errno != EINTR) return -errno;
  }
}

FileStatus from_stat(const struct stat& raw) {
  constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
  return {.bytes = raw.st_size,
          .modified_ns = raw.st_mtim.tv_sec * kNanosecondsPerSecond + raw.st_mtim.tv_nsec,
          .device = raw.st_dev,
          .inode = raw.st_ino,
          .mode = raw.st_mode};
}

}  // namespace

std::int64_t FileOps::open(const std::string& path, int flags, mode_t mode) {
  return uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, mode); });
}

std::int64_t FileOps::close(int descriptor) {
  return ::close(descriptor) == 0 || errno == EINTR ? 0 : -errno;
}

std::int64_t FileOps::pread(int descriptor, std::span<std::byte> into, std::int64_t offset) {
  return uninterrupted([&] { return ::pread(descriptor, into.data(), into.size(), offset); });
}

std::int64_t FileOps::pwrite(int descriptor, std::span<const std::byte> from, std::int64_t offset) {
  return uninterrupted([&] { return ::pwrite(descriptor, from.data(), from.size(), offset); });
}

std::int64_t FileOps::ftruncate(int descriptor, std::int64_t bytes) {
  return uninterrupted([&] { return ::ftruncate(descriptor, bytes); });
}

std::int64_t FileOps::fsync(int descriptor) {
  return uninterrupted([&] { return ::fsync(descriptor); });
}

std::int64_t FileOps::fchmod(int descriptor, unsigned mode) {
  return uninterrupted([&] { return ::fchmod(descriptor, mode); });
}

std::int64_t FileOps::status(int descriptor, FileStatus& status) {
  struct stat raw = {};
  const std::int64_t result = uninterrupted([&] { return ::fstat(descriptor, &raw); });
  if (result == 0) status = from_stat(raw);
  return result;
}

std::int64_t FileOps::status(const std::string& path, FileStatus& status) {
  struct stat raw = {};
  const std::int64_t result = uninterrupted([&] { return ::stat(path.c_str(), &raw); });
  if (result == 0) status = from_stat(raw);
  return result;
}

std::int64_t FileOps::rename(const std::string& from, const std::string& to) {
  return uninterrupted([&] { return std::rename(from.c_str(), to.c_str()); });
}

std::int64_t FileOps::unlink(const std::string& path) {
  return uninterrupted([&] { return ::unlink(path.c_str()); });
}

std::int64_t FileOps::try_lock(int descriptor) {
  return uninterrupted([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); });
}

FileOps& posix_file_ops() {
  static FileOps ops;
  return ops;
}

std::int64_t write_fully(FileOps& ops, int descriptor, std::span<const std::byte> from,
                         std::int64_t offset, std::int64_t* written) {
  std::int64_t done = 0;
  std::int64_t result = 0;
  while (result >= 0 && !from.empty()) {
    result = ops.pwrite(descriptor, from, offset + done);
    // A device that takes nothing and says nothing would be asked for ever.
    if (result == 0) result = -EIO;
    if (result < 0) break;
    done += result;
    from = from.subspan(static_cast<std::size_t>(result));
  }
  if (written != nullptr) *written = done;
  return std::min<std::int64_t>(result, 0);
}

std::int64_t read_or_zeros(FileOps& ops, int descriptor, std::span<std::byte> into,
                           std::int64_t offset) {
  std::int64_t done = 0;
  while (!into.empty()) {
    const std::int64_t result = ops.pread(descriptor, into, offset + done);
    if (result < 0) return result;
    if (result == 0) break;
    done += result;
    into = into.subspan(static_cast<std::size_t>(result));
  }
  std::fill(into.begin(), into.end(), std::byte{0});
  return done;
}

std::int64_t sync_folder_of(FileOps& ops, const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const std::int64_t descriptor =
      ops.open(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY, 0);
  // A folder may be open to writing and closed to reading.
  if (descriptor == -EACCES) return 0;
  if (descriptor < 0) return descriptor;
  const std::int64_t result = ops.fsync(static_cast<int>(descriptor));
  ops.close(static_cast<int>(descriptor));
  const bool cannot_be_synced = result == -EINVAL || result == -ENOSYS || result == -EOPNOTSUPP;
  return cannot_be_synced ? 0 : result;
}

std::string error_text(int error) { return std::generic_category().message(error); }

}  // namespace ziggurat::h5
