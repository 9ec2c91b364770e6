// The redo journal: how a file is changed in place and yet is never seen half changed.
//
// HDF5 changes a file in two ways: it adds new blocks behind the old end, and it overwrites a few
// old bytes (superblock, group entries, object headers) to make the new blocks known. The first is
// harmless: whoever follows the old metadata never gets there. So additions are written at once,
// overwrites stay in memory (OutputState's overlay), and the commit is:
//
//   begin   1. create the journal with a header that tells the old file; sync it and the folder
//   edit    2. additions go to the file behind its old end
//   commit  3. sync the file: the additions are on the disk
//           4. write records and end mark into the journal; sync it      <- here it is decided
//           5. carry out the records in the file, set its size; sync it
//           6. remove the journal; sync the folder
//
// Invariants. Below the old end, nothing changes before 4. Before the header of 1 is on the disk,
// nothing changes at all, so whatever lies behind the old end of a file with an undecided journal
// is ours to cut off. After 4, all of 5 can be repeated any number of times, since records hold
// bytes and not differences. Hence recovery looks at the journal alone: decided, do 5 and 6;
// undecided, cut the file back and do 6.
//
// A journal may also be found beside a file that is not the one it was made for (restored from a
// backup, built anew after the crash). It is then dropped and the file left alone. The file of a
// decided journal is known by its size and the checksum of the additions, which nothing changes any
// more; that of an undecided one by the checksum of its beginning, where HDF5 keeps its size.
//
// Locks only save honest neighbours some trouble (see locked_file.hpp). Without them, a change by
// others is noticed by size and time before our first write, and by size and by the old bytes under
// the overlay before the commit; between that look and step 5 remains a moment that only a lock
// covers.
//
// Cost: the metadata that changed is held twice in memory and written twice; the additions are read
// once for their checksum; five syncs.
#include "h5/journal.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "base/crc32.hpp"

namespace ziggurat::h5 {
namespace {

constexpr std::int64_t kHeadBytes = 64 * 1024;
constexpr std::int64_t kReadBytes = 1024 * 1024;

// value when it is not negative; otherwise throws what a -errno means.
std::int64_t or_fail(std::int64_t value, const char* what, const std::string& path) {
  if (value < 0) {
    fail(ErrorCode::io, "cannot {} {}: {}", what, path, error_text(static_cast<int>(-value)));
  }
  return value;
}

// Two names of one file must lead to one journal.
std::string resolved(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

std::string journal_of(const std::string& path) { return path + ".ziggurat-journal"; }

std::uint32_t crc_of_file(FileOps& ops, int descriptor, std::int64_t begin, std::int64_t end,
                          const std::string& path) {
  std::uint32_t crc = 0;
  std::vector<std::byte> buffer;
  for (std::int64_t at = begin; at < end; at += std::ssize(buffer)) {
    buffer.resize(static_cast<std::size_t>(std::min(kReadBytes, end - at)));
    or_fail(read_or_zeros(ops, descriptor, buffer, at), "read", path);
    crc = crc32(buffer, crc);
  }
  return crc;
}

std::int64_t size_of_file(FileOps& ops, int descriptor, const std::string& path) {
  FileStatus status;
  or_fail(ops.status(descriptor, status), "look at", path);
  return status.bytes;
}

// The content of the journal at path; nothing when there is none.
std::optional<std::vector<std::byte>> read_journal(FileOps& ops, const std::string& path) {
  const std::int64_t opened = ops.open(path, O_RDONLY, 0);
  if (opened == -ENOENT) return std::nullopt;
  const int descriptor = static_cast<int>(or_fail(opened, "open", path));
  FileStatus status;
  std::int64_t result = ops.status(descriptor, status);
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.bytes));
  if (result == 0) result = read_or_zeros(ops, descriptor, bytes, 0);
  ops.close(descriptor);
  or_fail(result, "read", path);
  return bytes;
}

// Step 5.
void carry_out(FileOps& ops, int descriptor, const Journal& journal, const std::string& path) {
  for (const JournalRecord& record : journal.records) {
    or_fail(write_fully(ops, descriptor, record.bytes, record.offset), "write", path);
  }
  if (size_of_file(ops, descriptor, path) != journal.end.new_bytes) {
    or_fail(ops.ftruncate(descriptor, journal.end.new_bytes), "resize", path);
  }
  or_fail(ops.fsync(descriptor), "sync", path);
}

// Step 6. Somebody else may have recovered the file just now and removed it first.
void remove_journal(FileOps& ops, const std::string& path) {
  const std::int64_t result = ops.unlink(path);
  if (result != -ENOENT) or_fail(result, "remove", path);
  or_fail(sync_folder_of(ops, path), "sync the folder of", path);
}

void cut_back(FileOps& ops, int descriptor, std::int64_t old_bytes, const std::string& path) {
  or_fail(ops.ftruncate(descriptor, old_bytes), "resize", path);
  or_fail(ops.fsync(descriptor), "sync", path);
}

bool was_decided_for(FileOps& ops, int descriptor, const Journal& journal,
                     const std::string& path) {
  if (!journal.complete) return false;
  const std::int64_t old_bytes = journal.header.old_bytes;
  const std::int64_t new_bytes = journal.end.new_bytes;
  const std::int64_t present = size_of_file(ops, descriptor, path);
  if (present != new_bytes && present != std::max(old_bytes, new_bytes)) return false;
  return crc_of_file(ops, descriptor, old_bytes, new_bytes, path) == journal.end.append_crc;
}

bool has_additions_of(FileOps& ops, int descriptor, const Journal& journal,
                      const std::string& path) {
  const JournalHeader& header = journal.header;
  return size_of_file(ops, descriptor, path) > header.old_bytes &&
         crc_of_file(ops, descriptor, 0, header.head_bytes, path) == header.head_crc;
}

// Requires: the file at path is open as descriptor and locked, and path is resolved.
Recovery recover_locked(FileOps& ops, int descriptor, const std::string& path) {
  const std::string journal_path = journal_of(path);
  const std::optional<std::vector<std::byte>> bytes = read_journal(ops, journal_path);
  if (!bytes) return Recovery::nothing;
  const std::optional<Journal> journal = parse_journal(*bytes);
  Recovery recovery = Recovery::undone;
  if (journal && was_decided_for(ops, descriptor, *journal, path)) {
    carry_out(ops, descriptor, *journal, path);
    recovery = Recovery::finished;
  } else if (journal && has_additions_of(ops, descriptor, *journal, path)) {
    cut_back(ops, descriptor, journal->header.old_bytes, path);
  }
  remove_journal(ops, journal_path);
  return recovery;
}

}  // namespace

// Once the delegated constructor is through, the destructor runs whatever begin throws.
JournaledEdit::JournaledEdit(const std::string& path, FileOps& ops, const LockPatience& patience)
    : JournaledEdit(ops) {
  path_ = resolved(path);
  begin(patience);
}

JournaledEdit::~JournaledEdit() { abort(); }

void JournaledEdit::begin(const LockPatience& patience) {
  LockedFile file(ops_, path_, patience);
  FileStatus status = file.status();
  if (recover_locked(ops_, file.descriptor(), path_) != Recovery::nothing) {
    or_fail(ops_.status(file.descriptor(), status), "look at", path_);
  }
  state_->adopt(path_, file.release(), status);
  start_journal(status);
}

void JournaledEdit::start_journal(const FileStatus& file) {
  const std::string journal_path = journal_of(path_);
  const std::int64_t head_bytes = std::min(kHeadBytes, file.bytes);
  header_ =
      encode_header({.old_bytes = file.bytes,
                     .head_bytes = head_bytes,
                     .head_crc = crc_of_file(ops_, state_->descriptor(), 0, head_bytes, path_)});
  // Whoever may change the file may have to recover it.
  const mode_t mode = file.mode & 0666;
  const std::int64_t opened = ops_.open(journal_path, O_RDWR | O_CREAT | O_EXCL, mode);
  if (opened == -EEXIST) fail(ErrorCode::busy, "{} is being changed by another program", path_);
  journal_ = static_cast<int>(or_fail(opened, "create", journal_path));
  stage_ = Stage::editing;
  ops_.fchmod(journal_, mode);
  or_fail(write_fully(ops_, journal_, header_, 0), "write", journal_path);
  or_fail(ops_.fsync(journal_), "sync", journal_path);
  or_fail(sync_folder_of(ops_, journal_path), "sync the folder of", journal_path);
}

bool JournaledEdit::changed_by_others() const {
  if (state_->changed_by_others() || !owns_journal()) return true;
  FileStatus open_now;
  FileStatus named_now;
  or_fail(ops_.status(state_->descriptor(), open_now), "look at", path_);
  const std::int64_t result = ops_.status(path_, named_now);
  if (result == -ENOENT) return true;
  or_fail(result, "look at", path_);
  if (!open_now.same_file(named_now) || open_now.bytes != state_->disk_size()) return true;
  return !state_->touched() && !open_now.same_content(state_->status());
}

void JournaledEdit::check_unchanged() const {
  bool changed = changed_by_others();
  std::vector<std::byte> present;
  for (const auto& [offset, old] : state_->originals().ranges()) {
    if (changed) break;
    present.resize(old.size());
    or_fail(read_or_zeros(ops_, state_->descriptor(), present, offset), "read", path_);
    changed = present != old;
  }
  if (changed) {
    fail(ErrorCode::input, "{} was changed by another program meanwhile; nothing was added to it",
         path_);
  }
}

// Steps 3 and 4. Returns the whole journal.
std::vector<std::byte> JournaledEdit::decide() {
  state_->sync();
  state_->throw_if_failed();
  const std::int64_t new_bytes = state_->size();
  const JournalEnd end = {.new_bytes = new_bytes,
                          .append_crc = crc_of_file(ops_, state_->descriptor(),
                                                    state_->status().bytes, new_bytes, path_)};
  const std::vector<std::byte> rest = encode_commit(header_, state_->overlay(), end);
  const std::string journal_path = journal_of(path_);
  or_fail(write_fully(ops_, journal_, rest, kJournalHeaderBytes), "write", journal_path);
  or_fail(ops_.fsync(journal_), "sync", journal_path);
  std::vector<std::byte> whole = header_;
  whole.insert(whole.end(), rest.begin(), rest.end());
  return whole;
}

void JournaledEdit::commit() {
  if (stage_ != Stage::editing || state_->open_in_library()) {
    fail(ErrorCode::internal, "commit of {} out of order", path_);
  }
  check_unchanged();
  state_->throw_if_failed();
  if (state_->overlay().ranges().empty() && state_->size() == state_->status().bytes) {
    undo();
  } else {
    finish(decide());
  }
  let_go();
}

void JournaledEdit::finish(const std::vector<std::byte>& journal) {
  stage_ = Stage::decided;
  try {
    carry_out(ops_, state_->descriptor(), parse_journal(journal).value(), path_);
    remove_journal(ops_, journal_of(path_));
  } catch (const Error& error) {
    fail(error.code(), "{}; the change will be completed when ziggurat next uses the file",
         error.what());
  }
}

void JournaledEdit::abort() noexcept {
  if (stage_ == Stage::editing) {
    // HDF5 may not have closed the file yet; what it still writes must go nowhere.
    state_->record(ECANCELED, "write", -1);
    try {
      undo();
    } catch (const std::exception&) {
      // The journal is still there, and recover() does the same again.
    }
  }
  let_go();
}

// Where others were at work, what lies behind the old end may be theirs, and so may the journal.
void JournaledEdit::undo() {
  const int descriptor = state_->descriptor();
  const std::int64_t old_bytes = state_->status().bytes;
  const bool alone = size_of_file(ops_, descriptor, path_) == state_->disk_size();
  if (alone && state_->disk_size() != old_bytes) cut_back(ops_, descriptor, old_bytes, path_);
  if (owns_journal()) remove_journal(ops_, journal_of(path_));
}

bool JournaledEdit::owns_journal() const {
  FileStatus ours;
  FileStatus named;
  return ops_.status(journal_, ours) == 0 && ops_.status(journal_of(path_), named) == 0 &&
         ours.same_file(named);
}

// Closing the file gives up its lock.
void JournaledEdit::let_go() noexcept {
  stage_ = Stage::ended;
  if (journal_ >= 0) ops_.close(std::exchange(journal_, -1));
  state_->close();
}

Recovery recover(const std::string& path, FileOps& ops, const LockPatience& patience) {
  const std::string target = resolved(path);
  FileStatus status;
  for (const std::string& needed : {journal_of(target), target}) {
    const std::int64_t result = ops.status(needed, status);
    if (result == -ENOENT || result == -ENOTDIR) return Recovery::nothing;
  }
  const LockedFile file(ops, target, patience);
  return recover_locked(ops, file.descriptor(), target);
}

}  // namespace ziggurat::h5
