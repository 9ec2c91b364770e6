// The system calls by which files of ours come to be, behind one interface, so that a test can
// record them, refuse them or lose them.
//
// Every call returns what the system call returns on success and -errno on failure; errno itself
// is not part of the contract. A FileOps has no state of ours: one may serve many files, and the
// one of posix_file_ops() may be used by any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ziggurat::h5 {

// What tells one file, and one state of a file, from another.
struct FileStatus {
  std::int64_t bytes = 0;
  std::int64_t modified_ns = 0;  // since the epoch
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  unsigned mode = 0;  // type and permission bits, as in stat

  [[nodiscard]] bool same_file(const FileStatus& other) const noexcept {
    return device == other.device && inode == other.inode;
  }
  // As far as size and time can tell.
  [[nodiscard]] bool same_content(const FileStatus& other) const noexcept {
    return bytes == other.bytes && modified_ns == other.modified_ns;
  }
};

class FileOps {
 public:
  FileOps() = default;
  FileOps(const FileOps&) = delete;
  FileOps& operator=(const FileOps&) = delete;
  virtual ~FileOps() = default;

  // O_CLOEXEC is added to flags. Returns the descriptor.
  virtual std::int64_t open(const std::string& path, int flags, mode_t mode);
  virtual std::int64_t close(int descriptor);
  // May transfer less than asked, as the system may; 0 from pread is the end of the file.
  virtual std::int64_t pread(int descriptor, std::span<std::byte> into, std::int64_t offset);
  virtual std::int64_t pwrite(int descriptor, std::span<const std::byte> from, std::int64_t offset);
  virtual std::int64_t ftruncate(int descriptor, std::int64_t bytes);
  virtual std::int64_t fsync(int descriptor);
  virtual std::int64_t fchmod(int descriptor, unsigned mode);
  virtual std::int64_t status(int descriptor, FileStatus& status);
  virtual std::int64_t status(const std::string& path, FileStatus& status);
  virtual std::int64_t rename(const std::string& from, const std::string& to);
  virtual std::int64_t unlink(const std::string& path);
  // An exclusive flock, without waiting; closing the descriptor releases it.
  virtual std::int64_t try_lock(int descriptor);
};

// The operating system's own.
[[nodiscard]] FileOps& posix_file_ops();

// The whole span, whatever the number of calls that takes. Returns 0 or -errno; written tells how
// many bytes went before the failure.
std::int64_t write_fully(FileOps& ops, int descriptor, std::span<const std::byte> from,
                         std::int64_t offset, std::int64_t* written = nullptr);

// The bytes at offset; what lies past the end of the file reads as zeros. Returns the number of
// bytes that the file had, or -errno.
std::int64_t read_or_zeros(FileOps& ops, int descriptor, std::span<std::byte> into,
                           std::int64_t offset);

// Makes the creation and removal of names in the folder of path durable. Returns 0 or -errno;
// folders that cannot be synced count as synced, since nothing more can be done there.
std::int64_t sync_folder_of(FileOps& ops, const std::string& path);

// The system's sentence for an errno, e.g. "No space left on device".
[[nodiscard]] std::string error_text(int error);

}  // namespace ziggurat::h5
