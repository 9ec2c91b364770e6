#include "engine/paths.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/check.hpp"

namespace ziggurat::engine {

namespace fs = std::filesystem;

FileIdentity identify(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    fail(ErrorCode::input, "cannot open {}: {}", path, std::strerror(errno));
  }
  return {info.st_dev, info.st_ino, info.st_size,
          info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec};
}

std::string behind_link(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

bool exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
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
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    fail(ErrorCode::usage, "output {}: a {} of that name exists", path,
         S_ISDIR(info.st_mode) ? "directory" : "device or pipe");
  }
  if (stat(folder.c_str(), &info) != 0) {
    fail(ErrorCode::io, "cannot write {}: folder {}: {}", path, folder, std::strerror(errno));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    fail(ErrorCode::io, "cannot write {}: folder {}: {}", path, folder, std::strerror(errno));
  }
}

WorkFolder::WorkFolder(const std::string& parent, const std::string& name) {
  std::string pattern = parent + "/." + name + ".ziggurat-XXXXXX";
  std::vector<char> text(pattern.begin(), pattern.end());
  text.push_back('\0');
  if (mkdtemp(text.data()) == nullptr) {
    fail(ErrorCode::io, "cannot make a work folder in {}: {}", parent, std::strerror(errno));
  }
  path_ = text.data();
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
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

void sync_folder(const std::string& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail(ErrorCode::io, "cannot sync folder {}: {}", folder, std::strerror(errno));
  const int status = fsync(fd);
  const int error = errno;
  close(fd);
  // Some file systems cannot sync a folder and say so; there is nothing more to be had from them.
  if (status != 0 && error != EINVAL && error != ENOTSUP) {
    fail(ErrorCode::io, "cannot sync folder {}: {}", folder, std::strerror(error));
  }
}

}  // namespace

void publish(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    fail(ErrorCode::io, "cannot rename {} to {}: {}", from, to, std::strerror(errno));
  }
  sync_folder(folder_of(to));
}

void copy_file(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) fail(ErrorCode::io, "cannot copy {} to {}: {}", from, to, error.message());
}

}  // namespace ziggurat::engine
