// Changing somebody's file in place, atomically and without copying it.
//
// Usage: make a JournaledEdit, open the file in HDF5 with make_output_access(edit.state()), change
// it, close everything, commit(). Whatever happens at whatever moment, the file ends as it was or
// as it was to be, at the latest after the next recover() of it.
//
// Make it when the results are there, not before: programs that lock what they read, as HDF5 does
// by default, cannot open the file while the edit lives.
//
// Owner, group, permissions and inode of the file stay. The journal lies beside the file (beside
// its target, if it is a symbolic link) as FILE.ziggurat-journal; the folder must be writable.
// Thread rule: one thread at a time, the one that calls HDF5.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "h5/file_ops.hpp"
#include "h5/journal_format.hpp"
#include "h5/locked_file.hpp"
#include "h5/output_state.hpp"

namespace ziggurat::h5 {

class JournaledEdit {
 public:
  // Locks the file, finishes or undoes what an earlier edit left, and writes the journal's
  // beginning. Throws: Error{io} naming a file or folder that is not writable, Error{busy} when
  // somebody else holds the file, Error{input} when there is no such file.
  explicit JournaledEdit(const std::string& path, FileOps& ops = posix_file_ops(),
                         const LockPatience& patience = {});
  JournaledEdit(const JournaledEdit&) = delete;
  JournaledEdit& operator=(const JournaledEdit&) = delete;
  // Undoes the edit unless it was committed. What cannot be undone now is left to recover().
  ~JournaledEdit();

  [[nodiscard]] const std::shared_ptr<OutputState>& state() const noexcept { return state_; }

  // Makes the change real and durable. Requires: HDF5 has closed the file.
  // Throws: Error{io} when a write of the edit failed, or one of the commit; Error{input} when
  // somebody else changed or replaced the file meanwhile; Error{internal} when it is still open.
  // The message says when the change was decided already and recover() will finish it.
  void commit();

  // Puts the file back; nothing after that or after a commit. Failures are left to recover().
  void abort() noexcept;

 private:
  enum class Stage { editing, decided, ended };

  explicit JournaledEdit(FileOps& ops) : ops_(ops), state_(std::make_shared<OutputState>(ops)) {}

  void begin(const LockPatience& patience);
  void start_journal(const FileStatus& file);
  void check_unchanged() const;
  [[nodiscard]] bool changed_by_others() const;
  [[nodiscard]] bool owns_journal() const;
  [[nodiscard]] std::vector<std::byte> decide();
  void finish(const std::vector<std::byte>& journal);
  void undo();
  void let_go() noexcept;

  FileOps& ops_;
  std::string path_;  // with symbolic links resolved
  std::shared_ptr<OutputState> state_;
  std::vector<std::byte> header_;
  int journal_ = -1;
  Stage stage_ = Stage::ended;
};

enum class Recovery { nothing, finished, undone };

// Completes or undoes what an interrupted JournaledEdit left at path; costs one failing look-up
// when there is nothing. May be called by any number of processes and be interrupted itself.
// Throws: Error{busy} when an edit is going on, Error{io} when the file cannot be put right.
Recovery recover(const std::string& path, FileOps& ops = posix_file_ops(),
                 const LockPatience& patience = {});

}  // namespace ziggurat::h5
