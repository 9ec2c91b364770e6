// What one file that is being written remembers: its descriptor, its sizes, its first failure.
//
// HDF5 1.10 does not survive a failed write: it crashes in its own cleanup, often at exit. So
// failures are sticky here and invisible to the library. The first failed operation is kept; from
// then on nothing more reaches the disk, and every write counts as done. The library may read back
// what it believes to have written (it evicts and rereads metadata), so swallowed writes are kept
// in memory and laid over what is read. The caller asks failed() whenever it likes and must call
// throw_if_failed() before it publishes the file.
//
// What the file holds is known by checksums (see block_sums.hpp), so that what was lost or altered
// on its way to the disk and back is found: prove() reads everything back, and every read is of
// whole blocks that are compared. Files changed in place are left out: their journal has its own
// checks.
//
// The same overlay serves a file that is changed in place (see journal.hpp): writes below the
// protected end stay in memory although nothing failed.
//
// Ownership: shared by the caller and by HDF5's file. The descriptor outlives H5Fclose, so that the
// file can be synced once it is complete: H5Fclose, sync(), close(), throw_if_failed().
// Thread rule: one thread at a time, the one that calls HDF5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "h5/block_sums.hpp"
#include "h5/byte_ranges.hpp"
#include "h5/file_ops.hpp"

namespace ziggurat::h5 {

// Raw data beyond this many swallowed bytes reads back as zeros; metadata never does. A caller that
// asks failed() between its steps stays far below it.
inline constexpr std::int64_t kKeptRawBytes = std::int64_t{64} << 20;

class OutputState {
 public:
  struct Failure {
    int error = 0;               // errno; 0: what was read is not what was written
    const char* operation = "";  // a verb: "write"
    std::int64_t offset = -1;    // bytes from the start of the file; -1 where none applies
  };
  enum class Content { metadata, raw };

  // ops must outlive the state.
  explicit OutputState(FileOps& ops = posix_file_ops()) : ops_(ops) {}
  OutputState(const OutputState&) = delete;
  OutputState& operator=(const OutputState&) = delete;
  ~OutputState();

  [[nodiscard]] bool failed() const noexcept { return failure_.has_value(); }
  [[nodiscard]] const std::optional<Failure>& failure() const noexcept { return failure_; }
  // Throws Error{io}: "cannot write FILE: No space left on device (at byte 1234)".
  void throw_if_failed() const;

  // As given to HDF5; empty before the first open.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // Bytes that reached the system, rewritten ones counted each time.
  [[nodiscard]] std::int64_t bytes_written() const noexcept { return bytes_written_; }

  // All do nothing after a failure, and keep a failure of their own. HDF5 must have closed the
  // file, or been told to flush it.
  void sync() noexcept;
  // Reads the whole file back, from wherever the system has it, and compares. `between` is called
  // after each MiB, and may throw.
  void prove(const std::function<void()>& between = [] {});
  void close() noexcept;

  // What the file holds, when it was written through this state; nothing for adopted files.
  [[nodiscard]] const std::optional<BlockSums>& sums() const noexcept { return sums_; }
  // The file to be opened is known to hold this. Without it a file is taken for what it holds at
  // its first change, and reads before that are not compared.
  void expect(std::optional<BlockSums> sums) { sums_ = std::move(sums); }

  // Takes over a descriptor open for reading and writing; bytes below the file's present size are
  // protected from now on. Requires: no file open yet.
  void adopt(std::string path, int descriptor, const FileStatus& status);
  // The state of the file below the protected end, as HDF5 wants it to be.
  [[nodiscard]] const ByteRanges& overlay() const noexcept { return overlay_; }
  // What those places held in the file before: same ranges, merged differently.
  [[nodiscard]] const ByteRanges& originals() const noexcept { return originals_; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  // The file's size as HDF5 sees it, and as it is on the disk if nobody else writes.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] std::int64_t disk_size() const noexcept { return disk_size_; }
  // True when an adopted file was not as adopted any more just before its first change by us, which
  // then did not happen.
  [[nodiscard]] bool changed_by_others() const noexcept { return changed_by_others_; }
  // True when something of ours may have reached the disk.
  [[nodiscard]] bool touched() const noexcept { return touched_; }
  // True between HDF5's open and its close.
  [[nodiscard]] bool open_in_library() const noexcept { return open_in_library_; }
  // Keeps the first failure only.
  void record(int error, const char* operation, std::int64_t offset) noexcept;

  // For the driver. False only where HDF5 must hear of it: it survives failing opens and reads.
  // A failed open is forgotten when a later one succeeds, since HDF5 tries more than one way.
  [[nodiscard]] bool open(const std::string& path, int flags);
  void close_in_library() noexcept { open_in_library_ = false; }
  [[nodiscard]] bool read(std::int64_t offset, std::span<std::byte> into) noexcept;
  void write(Content content, std::int64_t offset, std::span<const std::byte> from) noexcept;
  void resize(std::int64_t bytes) noexcept;
  [[nodiscard]] const FileStatus& status() const noexcept { return status_; }

 private:
  bool reopen_adopted(int flags);
  bool compare(std::int64_t offset, std::span<const std::byte> blocks) noexcept;
  bool read_compared(std::int64_t offset, std::span<std::byte> into);
  bool read_ahead(std::int64_t offset, std::int64_t end);
  void know_content();
  void count_change(std::int64_t offset, std::int64_t end, std::span<const std::byte> to);
  void touch(std::int64_t offset) noexcept;
  void write_to_disk(Content content, std::int64_t offset, std::span<const std::byte> from);
  void keep(Content content, std::int64_t offset, std::span<const std::byte> from);
  void keep_originals(std::int64_t begin, std::int64_t end);

  FileOps& ops_;
  std::string path_;
  FileStatus status_;  // when the file was opened
  int descriptor_ = -1;
  bool adopted_ = false;
  bool touched_ = false;
  bool changed_by_others_ = false;
  bool open_in_library_ = false;
  bool open_failed_ = false;  // failure_ is about an open that may yet be tried again
  std::optional<Failure> failure_;
  std::int64_t size_ = 0;
  std::int64_t disk_size_ = 0;
  std::int64_t protected_end_ = 0;
  std::int64_t bytes_written_ = 0;
  std::optional<BlockSums> sums_;
  std::vector<std::byte> compared_;  // what was last read and compared: whole blocks, and where
  std::int64_t compared_at_ = 0;
  ByteRanges overlay_;
  ByteRanges originals_;
};

}  // namespace ziggurat::h5
