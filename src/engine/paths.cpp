#include "engine/paths.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/uninterrupted.hpp"
#include "h5/file_ops.hpp"

namespace ziggurat::engine {

namespace fs = std::filesystem;

FileIdentity identify(const std::string& path) {
  h5::FileStatus status;
  if (const std::int64_t result = h5::posix_file_ops().status(path, status); result < 0) {
    fail(ErrorCode::input, "cannot open {}: {}", path, h5::error_text(static_cast<int>(-result)));
  }
  return {status.device, status.inode, status.bytes, status.modified_ns};
}

std::string behind_link(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel follows
  std::error_code error;
  fs::path end = path;
  for (int followed = 0; fs::is_symlink(end, error); ++followed) {
    if (followed == kMostLinks) return path;
    end = end.parent_path() / fs::read_symlink(end, error);
  }
  if (error && error != std::errc::no_such_file_or_directory) return path;
  if (end == fs::path(path)) return path;
  const fs::path target = fs::weakly_canonical(end, error);
  return error ? path : target.string();
}

bool exists(const std::string& path) {
  h5::FileStatus status;
  const std::int64_t result = h5::posix_file_ops().status(path, status);
  if (result == 0 || result == -ENOENT || result == -ENOTDIR) return result == 0;
  fail(ErrorCode::io, "cannot look at {}: {}", path, h5::error_text(static_cast<int>(-result)));
}

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

void check_output_path(const std::string& path) {
  if (name_of(path).empty()) fail(ErrorCode::usage, "output {}: names no file", path);
  const std::string folder = folder_of(path);
  struct stat info {};
  if (uninterrupted([&] { return stat(path.c_str(), &info); }) == 0 && !S_ISREG(info.st_mode)) {
    fail(ErrorCode::usage, "output {}: a {} of that name exists", path,
         S_ISDIR(info.st_mode) ? "directory" : "device or pipe");
  }
  if (uninterrupted([&] { return stat(folder.c_str(), &info); }) != 0) {
    fail(ErrorCode::io, "cannot write {}: folder {}: {}", path, folder, std::strerror(errno));
  }
  if (uninterrupted([&] { return access(folder.c_str(), W_OK | X_OK); }) != 0) {
    fail(ErrorCode::io, "cannot write {}: folder {}: {}", path, folder, std::strerror(errno));
  }
}

std::string default_output(const std::string& source_file) {
  const fs::path path(source_file);
  if (path.extension() == ".mcool") {
    fail(ErrorCode::usage, "the default output would be the input {} itself: name one with --out",
         source_file);
  }
  if (path.extension() != ".cool") {
    fail(ErrorCode::usage, "{} does not end in .cool: name the output with --out", source_file);
  }
  return fs::path(path).replace_extension(".mcool").string();
}

namespace {

// A failure changes who may read the file, not what it holds, and is no reason to lose hours of
// work. Where the group cannot be kept, the members of another get no more than of any new file.
void keep_permissions(const std::string& from, const std::string& to) {
  constexpr mode_t kAll = 0777;
  constexpr mode_t kOfGroup = 070;
  struct stat replaced {};
  struct stat made {};
  if (uninterrupted([&] { return stat(to.c_str(), &replaced); }) != 0 ||
      uninterrupted([&] { return stat(from.c_str(), &made); }) != 0) {
    return;
  }
  mode_t mode = replaced.st_mode & kAll;
  const bool group_kept = made.st_gid == replaced.st_gid ||
                          uninterrupted([&] {
                            return chown(from.c_str(), static_cast<uid_t>(-1), replaced.st_gid);
                          }) == 0;
  if (!group_kept) mode &= ~kOfGroup | made.st_mode;
  static_cast<void>(uninterrupted([&] { return chmod(from.c_str(), mode); }));
}

}  // namespace

void refuse_output_as_input(const std::string& output, const std::string& input) {
  if (!exists(output) || !exists(input) || !identify(output).same_file(identify(input))) return;
  fail(ErrorCode::usage, "output {} is the same file as the input {}: name another output", output,
       input);
}

void publish(const std::string& from, const std::string& to) {
  keep_permissions(from, to);
  h5::FileOps& ops = h5::posix_file_ops();
  if (const std::int64_t result = ops.rename(from, to); result < 0) {
    fail(ErrorCode::io, "cannot rename {} to {}: {}", from, to,
         h5::error_text(static_cast<int>(-result)));
  }
  if (const std::int64_t result = h5::sync_folder_of(ops, to); result < 0) {
    fail(ErrorCode::io, "{} is complete, but its folder cannot be synced: {}", to,
         h5::error_text(static_cast<int>(-result)));
  }
}

namespace {

// One of the two files of a copy, closed in the end.
class OpenFile {
 public:
  OpenFile(h5::FileOps& ops, const std::string& path, int flags, unsigned mode)
      : ops_(ops), descriptor_(ops.open(path, flags, mode)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ops_.close(static_cast<int>(descriptor_));
  }
  // Or -errno of the open.
  [[nodiscard]] std::int64_t descriptor() const { return descriptor_; }
  std::int64_t close() { return ops_.close(static_cast<int>(std::exchange(descriptor_, -1))); }

 private:
  h5::FileOps& ops_;
  std::int64_t descriptor_;
};

// 0 or -errno.
std::int64_t copy_bytes(h5::FileOps& ops, int from, int to) {
  std::vector<std::byte> piece(std::size_t{1} << 20);
  for (std::int64_t offset = 0;;) {
    const std::int64_t n = ops.pread(from, piece, offset);
    if (n <= 0) return n;
    const std::int64_t result =
        h5::write_fully(ops, to, std::span(piece).first(static_cast<std::size_t>(n)), offset);
    if (result < 0) return result;
    offset += n;
  }
}

}  // namespace

// Not std::filesystem's, which calls a full disk an input/output error and gives up when a signal
// interrupts it.
void copy_file(const std::string& from, const std::string& to) {
  h5::FileOps& ops = h5::posix_file_ops();
  h5::FileStatus status;
  std::int64_t result = ops.status(from, status);
  if (result == -ENOENT) {
    fail(ErrorCode::input, "cannot copy {}: {}", from, h5::error_text(ENOENT));
  }
  if (result == 0) {
    OpenFile source(ops, from, O_RDONLY, 0);
    OpenFile target(ops, to, O_WRONLY | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    result = std::min({source.descriptor(), target.descriptor(), std::int64_t{0}});
    if (result == 0) {
      const int descriptor = static_cast<int>(target.descriptor());
      result = copy_bytes(ops, static_cast<int>(source.descriptor()), descriptor);
      if (result == 0) result = ops.fchmod(descriptor, status.mode & 07777U);
      if (result == 0) result = target.close();
    }
  }
  if (result < 0) {
    fail(ErrorCode::io, "cannot copy {} to {}: {}", from, to,
         h5::error_text(static_cast<int>(-result)));
  }
}

}  // namespace ziggurat::engine
