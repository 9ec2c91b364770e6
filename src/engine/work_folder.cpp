#include "engine/work_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <span>
#include <sstream>
#include <vector>

#include "base/check.hpp"
#include "base/uninterrupted.hpp"
#include "h5/file_ops.hpp"
#include "proc/process_identity.hpp"

namespace ziggurat::engine {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr const char* kOwnerFile = "/owner";
constexpr std::size_t kRandomCharacters = 6;
constexpr auto kHeartbeat = 30s;
constexpr std::chrono::seconds kAbandonedAfter = 48h;
constexpr std::chrono::seconds kUnownedAfter = 1h;

std::string make_folder(const std::string& parent, const std::string& prefix) {
  const std::string pattern = parent + "/" + prefix + std::string(kRandomCharacters, 'X');
  std::vector<char> text;
  const char* made = nullptr;
  do {
    // A try that failed has overwritten the pattern.
    text.assign(pattern.c_str(), pattern.c_str() + pattern.size() + 1);
    made = mkdtemp(text.data());
  } while (made == nullptr && errno == EINTR);
  if (made == nullptr) {
    fail(ErrorCode::io, "cannot make a work folder in {}: {}", parent, std::strerror(errno));
  }
  return made;
}

void write_owner(const std::string& path) {
  h5::FileOps& ops = h5::posix_file_ops();
  const std::string text = proc::to_text(proc::this_process());
  std::int64_t result = ops.open(path, O_WRONLY | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  if (result >= 0) {
    const int descriptor = static_cast<int>(result);
    const std::int64_t written =
        h5::write_fully(ops, descriptor, std::as_bytes(std::span(text)), 0);
    const std::int64_t closed = ops.close(descriptor);
    result = written < 0 ? written : closed;
  }
  if (result < 0) {
    fail(ErrorCode::io, "cannot write {}: {}", path, h5::error_text(static_cast<int>(-result)));
  }
}

std::string owner_text(const std::string& folder) {
  std::ifstream in(folder + kOwnerFile);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Of the file itself where it is a link.
std::optional<struct stat> look_at(const std::string& path) {
  struct stat info {};
  if (uninterrupted([&] { return lstat(path.c_str(), &info); }) != 0) return std::nullopt;
  return info;
}

// The owner file goes last.
void remove_once(const std::string& folder, std::error_code& error) {
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path() == folder + kOwnerFile) continue;
    fs::remove_all(entry->path(), error);
    if (error) return;
  }
  if (!error) fs::remove_all(folder, error);
}

void remove_folder(const std::string& folder) {
  // One call that fails, as on a disk that was full a moment ago, leaves the rest to another try.
  // Signals may interrupt each of them.
  constexpr int kTries = 3;
  constexpr int kMostInterruptions = 10'000;
  for (int failures = 0, interruptions = 0;
       failures < kTries && interruptions < kMostInterruptions;) {
    std::error_code error;
    remove_once(folder, error);
    if (!error) return;
    ++(error == std::errc::interrupted ? interruptions : failures);
  }
}

// The folders that exist now. Never destroyed: threads may outlive the statics.
class Register {
 public:
  void add(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    folders_.insert(folder);
  }
  void drop(const std::string& folder) {
    const std::lock_guard lock(mutex_);
    folders_.erase(folder);
  }
  [[nodiscard]] std::set<std::string> all() {
    const std::lock_guard lock(mutex_);
    return folders_;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> folders_;
};

Register& existing_folders() {
  static auto& folders = *new Register;
  return folders;
}

}  // namespace

void remove_all_work_folders() noexcept {
  try {
    for (const std::string& folder : existing_folders().all()) remove_folder(folder);
  } catch (const std::exception&) {
    // What is left is removed by the next run.
    return;
  }
}

WorkFolder::WorkFolder(const std::string& parent, const std::string& name)
    : parent_(parent), prefix_("." + name + ".ziggurat-"), path_(make_folder(parent, prefix_)) {
  existing_folders().add(path_);
  try {
    write_owner(path_ + kOwnerFile);
    heartbeat_.emplace(path_ + kOwnerFile, kHeartbeat);
  } catch (const Error&) {
    remove_folder(path_);
    existing_folders().drop(path_);
    throw;
  }
}

WorkFolder::~WorkFolder() {
  heartbeat_.reset();
  remove_folder(path_);
  existing_folders().drop(path_);
}

bool WorkFolder::is_abandoned(const std::string& folder) const {
  const auto sign = look_at(folder + kOwnerFile);
  const auto own_sign = look_at(path_ + kOwnerFile);
  if (!sign || !own_sign || !S_ISREG(sign->st_mode)) return false;
  const std::string text = owner_text(folder);
  const std::optional<proc::ProcessIdentity> owner = proc::parse_process(text);
  // A file that cannot be read, or is of another kind, says nothing either, but is not ours.
  if (!owner && sign->st_size != 0) return false;
  switch (owner ? proc::life_of(*owner) : proc::Life::unknown) {
    case proc::Life::alive:
      return false;
    case proc::Life::dead:
      return true;
    case proc::Life::unknown:
      break;
  }
  return own_sign->st_mtim.tv_sec - sign->st_mtim.tv_sec > kAbandonedAfter.count();
}

bool WorkFolder::is_old(const std::string& folder) const {
  const auto other = look_at(folder);
  const auto own = look_at(path_);
  return other && own && own->st_mtim.tv_sec - other->st_mtim.tv_sec > kUnownedAfter.count();
}

void WorkFolder::remove_abandoned(Observer& observer) const {
  std::error_code ignored;
  std::vector<std::string> abandoned;
  for (fs::directory_iterator entry(parent_, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix_) || name.size() != prefix_.size() + kRandomCharacters) continue;
    const std::string folder = parent_ + "/" + name;
    const auto info = look_at(folder);
    if (folder == path_ || !info || !S_ISDIR(info->st_mode) || info->st_uid != geteuid()) continue;
    if (is_abandoned(folder)) abandoned.push_back(folder);
    // Fails for one that is not empty.
    if (is_old(folder)) rmdir(folder.c_str());
  }
  for (const std::string& folder : abandoned) {
    remove_folder(folder);
    if (!look_at(folder)) observer.note(fmt::format("removed {}, left by a run that died", folder));
  }
}

}  // namespace ziggurat::engine
