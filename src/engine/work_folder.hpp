// A run's private folder beside what it makes, and what becomes of those that runs left behind.
//
// Problem: a run that is killed cannot tidy up, and its folder may hold as much as its output. The
// next run should remove it, but never that of a run that lives, perhaps on another host that has
// the same disk mounted, and never anything that only looks like one.
//
// Method. The folder is named .NAME.ziggurat-XXXXXX and holds a file `owner` that says which
// process it belongs to (proc/process_identity.hpp) and whose time of change is renewed while that
// process lives. A folder is abandoned when its name fits, it is a folder of this user, its owner
// file is whole, and
//  - its owner was started under this boot, in these name spaces, and is no more; or
//  - nothing is known of its owner from here, and its sign of life is two days older than ours.
//  Both
//    times come from the file system that holds them, so no two clocks are compared.
// No lock is involved: file systems grant one lock to two hosts, or none.
// The owner file goes last, so that a removal that is interrupted is taken up by the next run. Two
// who remove the same folder do not hinder each other.
// A run that died just after making its folder left it without an owner file, and after a power cut
// the owner file may be there without its words, since it is not synced. An empty folder is removed
// when it is an hour older than ours, by a call that removes nothing but empty folders; a folder
// with an empty owner file counts as one of whose owner nothing is known.
// Limit: a run on another host that is suspended for two days loses its folder, and then fails.
// Thread rules: one thread; remove_all_work_folders from any.
#pragma once

#include <optional>
#include <string>

#include "proc/heartbeat.hpp"
#include "ziggurat/observer.hpp"

namespace ziggurat::engine {

class WorkFolder {
 public:
  // Made inside `parent` for the output called `name`. Throws Error{io}.
  WorkFolder(const std::string& parent, const std::string& name);
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  // Removes it with all it holds.
  ~WorkFolder();

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // Removes the folders that dead runs left for the same output, and says so.
  void remove_abandoned(Observer& observer) const;

 private:
  [[nodiscard]] bool is_abandoned(const std::string& folder) const;
  // Whether it was last changed, by the clock of its disk, so long before ours that a run that made
  // it would have written its owner's name by now.
  [[nodiscard]] bool is_old(const std::string& folder) const;

  std::string parent_;
  std::string prefix_;  // of the names of such folders
  std::string path_;
  std::optional<proc::Heartbeat> heartbeat_;
};

// Removes those that this process has now, for a process that is about to end without unwinding.
// What they hold, and they themselves, must not be used any more.
void remove_all_work_folders() noexcept;

}  // namespace ziggurat::engine
