#include "h5/output_state.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "base/check.hpp"

namespace ziggurat::h5 {
namespace {

constexpr mode_t kNewFileMode = 0666;  // as umask allows

// Of one read of a whole file; a multiple of the block size.
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;
static_assert(kPieceBytes % BlockSums::kBlockBytes == 0);

// Of one read of a file that is not written to.
constexpr std::int64_t kReadAheadBytes = 128 * 1024;

// Calls visit(offset, bytes) for the content of a file, piece by piece, while it returns true.
// Returns 0 or -errno.
template <typename Visit>
std::int64_t for_each_piece(FileOps& ops, int descriptor, std::int64_t size, Visit visit) {
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(size, kPieceBytes)));
  for (std::int64_t offset = 0; offset < size; offset += kPieceBytes) {
    const std::span<std::byte> part =
        std::span(piece).first(static_cast<std::size_t>(std::min(kPieceBytes, size - offset)));
    const std::int64_t result = read_or_zeros(ops, descriptor, part, offset);
    if (result < 0) return result;
    if (!visit(offset, part)) break;
  }
  return 0;
}

}  // namespace

OutputState::~OutputState() {
  if (descriptor_ >= 0) ops_.close(descriptor_);
}

void OutputState::throw_if_failed() const {
  if (!failure_) return;
  const std::string place =
      failure_->offset < 0 ? "" : fmt::format(" (at byte {})", failure_->offset);
  const std::string reason = failure_->error == 0 ? "what was read back is not what was written"
                                                  : error_text(failure_->error);
  fail(ErrorCode::io, "cannot {} {}: {}{}", failure_->operation, path_, reason, place);
}

void OutputState::record(int error, const char* operation, std::int64_t offset) noexcept {
  if (failure_ && !open_failed_) return;
  failure_.emplace(Failure{error, operation, offset});
  open_failed_ = false;
}

void OutputState::sync() noexcept {
  if (failed() || descriptor_ < 0) return;
  const std::int64_t result = ops_.fsync(descriptor_);
  if (result < 0) record(static_cast<int>(-result), "sync", -1);
}

void OutputState::prove(const std::function<void()>& between) {
  if (failed() || descriptor_ < 0 || !sums_) return;
  FileStatus now;
  std::int64_t result = ops_.status(descriptor_, now);
  if (result == 0 && now.bytes != disk_size_) record(0, "write", std::min(now.bytes, disk_size_));
  try {
    if (result == 0) {
      result = for_each_piece(ops_, descriptor_, disk_size_,
                              [&](std::int64_t offset, std::span<const std::byte> piece) {
                                between();
                                return compare(offset, piece);
                              });
    }
  } catch (const std::bad_alloc&) {
    result = -ENOMEM;
  }
  if (result < 0) record(static_cast<int>(-result), "read back", -1);
}

void OutputState::close() noexcept {
  if (descriptor_ < 0) return;
  const std::int64_t result = ops_.close(std::exchange(descriptor_, -1));
  if (result < 0) record(static_cast<int>(-result), "close", -1);
}

void OutputState::adopt(std::string path, int descriptor, const FileStatus& status) {
  path_ = std::move(path);
  descriptor_ = descriptor;
  adopted_ = true;
  status_ = status;
  size_ = disk_size_ = protected_end_ = status.bytes;
}

bool OutputState::open(const std::string& path, int flags) {
  if (failed() && !open_failed_) return false;
  if (adopted_) return reopen_adopted(flags);
  if (open_in_library_) return false;
  // HDF5 looks at an existing file before it opens it anew to empty it.
  if (descriptor_ >= 0) ops_.close(std::exchange(descriptor_, -1));
  path_ = path;
  const std::int64_t opened = ops_.open(path, flags, kNewFileMode);
  std::int64_t result = opened;
  if (opened >= 0) {
    descriptor_ = static_cast<int>(opened);
    result = ops_.status(descriptor_, status_);
  }
  if (result < 0) {
    record(static_cast<int>(-result), "open", -1);
    open_failed_ = true;
    return false;
  }
  failure_.reset();
  open_failed_ = false;
  size_ = disk_size_ = status_.bytes;
  return open_in_library_ = true;
}

// HDF5 opens a file that is edited in place under whatever name it was given; the descriptor that
// holds the lock is the one to use.
bool OutputState::reopen_adopted(int flags) {
  if (open_in_library_ || (flags & (O_TRUNC | O_EXCL)) != 0) return false;
  return open_in_library_ = true;
}

bool OutputState::compare(std::int64_t offset, std::span<const std::byte> blocks) noexcept {
  const std::int64_t difference = sums_->first_difference(offset, blocks);
  if (difference >= 0) record(0, "write", difference);
  return difference < 0;
}

// Whole blocks are read for a part of them, and compared; with more that follow, since a finished
// level is read from its beginning to its end in pieces of some kilobytes.
bool OutputState::read_ahead(std::int64_t offset, std::int64_t end) {
  constexpr std::int64_t kBlock = BlockSums::kBlockBytes;
  compared_.clear();
  compared_at_ = offset / kBlock * kBlock;
  const std::int64_t ahead = touched_ ? 0 : kReadAheadBytes;
  const std::int64_t last = (std::max(end, compared_at_ + ahead) + kBlock - 1) / kBlock * kBlock;
  compared_.resize(
      static_cast<std::size_t>(std::max(end, std::min(disk_size_, last)) - compared_at_));
  const std::int64_t result = read_or_zeros(ops_, descriptor_, compared_, compared_at_);
  if (result < 0) {
    record(static_cast<int>(-result), "read", offset);
  } else if (compare(compared_at_, compared_)) {
    return true;
  }
  compared_.clear();
  return false;
}

bool OutputState::read_compared(std::int64_t offset, std::span<std::byte> into) {
  const std::int64_t end = offset + std::ssize(into);
  const bool is_there = offset >= compared_at_ && end <= compared_at_ + std::ssize(compared_);
  if (!is_there && !read_ahead(offset, end)) return false;
  std::copy_n(compared_.begin() + (offset - compared_at_), into.size(), into.begin());
  return true;
}

bool OutputState::read(std::int64_t offset, std::span<std::byte> into) noexcept {
  try {
    if (sums_ && !failed()) return read_compared(offset, into);
  } catch (const std::bad_alloc&) {
    record(ENOMEM, "read", offset);
    return false;
  }
  const std::int64_t result = read_or_zeros(ops_, descriptor_, into, offset);
  if (result < 0) {
    record(static_cast<int>(-result), "read", offset);
    return false;
  }
  overlay_.lay_over(offset, into);
  return true;
}

void OutputState::write(Content content, std::int64_t offset,
                        std::span<const std::byte> from) noexcept {
  try {
    const std::int64_t below =
        std::clamp<std::int64_t>(protected_end_ - offset, 0, std::ssize(from));
    const std::span<const std::byte> kept = from.first(static_cast<std::size_t>(below));
    const std::span<const std::byte> direct = from.subspan(kept.size());
    if (!kept.empty()) {
      keep_originals(offset, offset + below);
      keep(Content::metadata, offset, kept);
    }
    if (!direct.empty()) write_to_disk(content, offset + below, direct);
  } catch (const std::bad_alloc&) {
    record(ENOMEM, "write", offset);
  }
  size_ = std::max(size_, offset + std::ssize(from));
}

// Our own writes move the time of an adopted file, so others' are looked for before the first.
void OutputState::touch(std::int64_t offset) noexcept {
  compared_.clear();
  if (touched_ || failed()) return;
  FileStatus now;
  const std::int64_t result = adopted_ ? ops_.status(descriptor_, now) : 0;
  changed_by_others_ = adopted_ && result == 0 && !now.same_content(status_);
  if (result < 0) record(static_cast<int>(-result), "write", offset);
  if (changed_by_others_) record(ESTALE, "write", offset);
  touched_ = !failed();
}

// Before the first change of a file that nothing is known of.
void OutputState::know_content() {
  if (adopted_ || sums_ || failed()) return;
  sums_.emplace();
  const std::int64_t result = for_each_piece(
      ops_, descriptor_, disk_size_, [&](std::int64_t offset, std::span<const std::byte> piece) {
        sums_->put(offset, piece);
        return true;
      });
  if (result < 0) record(static_cast<int>(-result), "read", -1);
}

// The bytes at offset give way to others, or with none to zeros. Most of what is written is
// new, and nothing has to be read for it.
void OutputState::count_change(std::int64_t offset, std::int64_t end,
                               std::span<const std::byte> to) {
  if (!sums_ || failed()) return;
  if (const std::int64_t n = std::min(end, disk_size_) - offset; n > 0) {
    std::vector<std::byte> old(static_cast<std::size_t>(n));
    const std::int64_t result = read_or_zeros(ops_, descriptor_, old, offset);
    if (result < 0) return record(static_cast<int>(-result), "read", offset);
    sums_->take_back(offset, old);
  }
  sums_->put(offset, to);
}

void OutputState::write_to_disk(Content content, std::int64_t offset,
                                std::span<const std::byte> from) {
  touch(offset);
  know_content();
  count_change(offset, offset + std::ssize(from), from);
  if (!failed()) {
    std::int64_t written = 0;
    const std::int64_t result = write_fully(ops_, descriptor_, from, offset, &written);
    bytes_written_ += written;
    disk_size_ = std::max(disk_size_, written > 0 ? offset + written : 0);
    if (result == 0) return;
    record(static_cast<int>(-result), "write", offset + written);
  }
  keep(content, offset, from);
}

void OutputState::keep(Content content, std::int64_t offset, std::span<const std::byte> from) {
  if (content == Content::raw && overlay_.bytes() + std::ssize(from) > kKeptRawBytes) return;
  overlay_.put(offset, from);
}

void OutputState::keep_originals(std::int64_t begin, std::int64_t end) {
  for (const auto& [from, to] : originals_.gaps(begin, end)) {
    std::vector<std::byte> old(static_cast<std::size_t>(to - from));
    const std::int64_t result = read_or_zeros(ops_, descriptor_, old, from);
    if (result < 0) record(static_cast<int>(-result), "read", from);
    originals_.put(from, old);
  }
}

void OutputState::resize(std::int64_t bytes) noexcept {
  size_ = bytes;
  // After a failure the disk may be behind, but what HDF5 gave up must not come back.
  overlay_.cut(bytes);
  const std::int64_t on_disk = std::max(bytes, protected_end_);
  if (on_disk == disk_size_) return;
  touch(on_disk);
  try {
    know_content();
    count_change(on_disk, disk_size_, {});
  } catch (const std::bad_alloc&) {
    record(ENOMEM, "resize", on_disk);
  }
  if (failed()) return;
  const std::int64_t result = ops_.ftruncate(descriptor_, on_disk);
  if (result < 0) {
    record(static_cast<int>(-result), "resize", on_disk);
  } else {
    disk_size_ = on_disk;
  }
}

}  // namespace ziggurat::h5
