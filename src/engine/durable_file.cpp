#include "engine/durable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/check.hpp"
#include "base/crc32.hpp"
#include "proc/fd.hpp"

namespace ziggurat::engine {

namespace {

constexpr std::array<char, 8> kMagic{'Z', 'I', 'G', 'G', 'S', 'E', 'A', 'L'};
constexpr std::size_t kCrcAt = kMagic.size();
constexpr std::size_t kSizeAt = kCrcAt + sizeof(std::uint32_t);
constexpr std::size_t kPayloadAt = kSizeAt + sizeof(std::uint64_t);
constexpr std::size_t kPart = std::size_t{1} << 20;

[[noreturn]] void fail_to(const char* what, const std::string& path) {
  fail(ErrorCode::io, "cannot {} {}: {}", what, path, std::strerror(errno));
}

void write_all(int fd, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to("write", path);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

// Calls take(part) for each part of the file.
template <typename Take>
void read_all(const std::string& path, ErrorCode code, const Take& take) {
  const proc::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) fail(code, "cannot open {}: {}", path, std::strerror(errno));
  std::vector<std::byte> part(kPart);
  for (;;) {
    const ssize_t n = read(fd.get(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(code, "cannot read {}: {}", path, std::strerror(errno));
    if (n == 0) return;
    take(std::span<const std::byte>(part).first(static_cast<std::size_t>(n)));
  }
}

template <typename T>
void put(std::vector<std::byte>& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

template <typename T>
T get(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

bool is_whole(std::span<const std::byte> bytes) {
  return bytes.size() >= kPayloadAt &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0 &&
         get<std::uint32_t>(bytes, kCrcAt) == crc32(bytes.subspan(kSizeAt)) &&
         get<std::uint64_t>(bytes, kSizeAt) == bytes.size() - kPayloadAt;
}

}  // namespace

void write_sealed(const std::string& path, std::span<const std::byte> payload) {
  std::vector<std::byte> bytes(kPayloadAt + payload.size());
  std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
  put(bytes, kSizeAt, std::uint64_t{payload.size()});
  if (!payload.empty()) std::memcpy(bytes.data() + kPayloadAt, payload.data(), payload.size());
  put(bytes, kCrcAt, crc32(std::span<const std::byte>(bytes).subspan(kSizeAt)));
  const std::string temporary = path + ".tmp";
  proc::UniqueFd fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd) fail_to("write", temporary);
  write_all(fd.get(), bytes, temporary);
  if (fsync(fd.get()) != 0) fail_to("sync", temporary);
  if (close(fd.release()) != 0 && errno != EINTR) fail_to("close", temporary);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) fail_to("rename", temporary);
  sync_folder(std::filesystem::path(path).parent_path().string());
}

std::optional<std::vector<std::byte>> read_sealed(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 && errno == ENOENT) return std::nullopt;
  std::vector<std::byte> bytes;
  read_all(path, ErrorCode::io, [&](std::span<const std::byte> part) {
    bytes.insert(bytes.end(), part.begin(), part.end());
  });
  if (!is_whole(bytes)) fail(ErrorCode::format, "{} is damaged", path);
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(kPayloadAt));
  return bytes;
}

void sync_file(const std::string& path) {
  const proc::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) fail_to("open", path);
  if (fsync(fd.get()) != 0) fail_to("sync", path);
}

void sync_folder(const std::string& folder) {
  const proc::UniqueFd fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) fail_to("open folder", folder);
  // Some file systems cannot sync a folder and say so; there is nothing more to be had from them.
  if (fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP) fail_to("sync folder", folder);
}

std::uint32_t crc_of_file(const std::string& path, Observer& observer) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    fail(ErrorCode::input, "cannot open {}: {}", path, std::strerror(errno));
  }
  std::uint32_t crc = 0;
  std::uint64_t done = 0;
  read_all(path, ErrorCode::input, [&](std::span<const std::byte> part) {
    crc = crc32(part, crc);
    done += part.size();
    observer.progress({"checking", path, done, static_cast<std::uint64_t>(info.st_size), "bytes"});
    if (observer.cancelled()) fail(ErrorCode::cancelled, "stopped");
  });
  return crc;
}

}  // namespace ziggurat::engine
