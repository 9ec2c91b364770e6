#include "engine/chunk_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/check.hpp"
#include "base/crc32.hpp"

namespace ziggurat::engine {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
static_assert(sizeof(ChunkRecord) == 40, "written as it lies in memory, so without padding");

std::uint32_t crc_of(const ChunkRecord& record, std::span<const std::byte> bytes) {
  return crc32(bytes, crc32(std::as_bytes(std::span(&record, 1))));
}

[[noreturn]] void fail_to(const char* what, const std::string& path) {
  fail(ErrorCode::io, "cannot {} {}: {}", what, path, std::strerror(errno));
}

}  // namespace

ChunkLog::ChunkLog(std::string path, std::uint64_t keep)
    : path_(std::move(path)),
      fd_(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)),
      length_(keep) {
  if (!fd_) fail_to("write", path_);
  if (ftruncate(fd_.get(), narrow<off_t>(keep)) != 0) fail_to("cut off", path_);
  if (lseek(fd_.get(), 0, SEEK_END) < 0) fail_to("write", path_);
}

void ChunkLog::append(ChunkRecord record, std::span<const std::byte> bytes) {
  record.bytes = bytes.size();
  const std::uint32_t crc = crc_of(record, bytes);
  const auto add = [this](std::span<const std::byte> part) {
    buffer_.insert(buffer_.end(), part.begin(), part.end());
  };
  add(std::as_bytes(std::span(&crc, 1)));
  add(std::as_bytes(std::span(&record, 1)));
  add(bytes);
  if (buffer_.size() >= kBufferBytes) flush();
}

void ChunkLog::flush() {
  std::span<const std::byte> rest = buffer_;
  while (!rest.empty()) {
    const ssize_t n = write(fd_.get(), rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_to("write", path_);
    rest = rest.subspan(static_cast<std::size_t>(n));
  }
  length_ += buffer_.size();
  buffer_.clear();
}

std::uint64_t ChunkLog::sync() {
  flush();
  if (fsync(fd_.get()) != 0) fail_to("sync", path_);
  return length_;
}

void ChunkLog::visit(const std::string& path, std::uint64_t length, const Visitor& visitor) {
  std::ifstream in(path, std::ios::binary);
  if (!in && length > 0) fail(ErrorCode::format, "{} is missing", path);
  const auto damaged = [&]() { fail(ErrorCode::format, "{} is damaged", path); };
  std::vector<std::byte> bytes;
  for (std::uint64_t at = 0; at < length;) {
    std::uint32_t crc = 0;
    ChunkRecord record;
    if (length - at < sizeof(crc) + sizeof(record)) damaged();
    in.read(reinterpret_cast<char*>(&crc), sizeof(crc));
    in.read(reinterpret_cast<char*>(&record), sizeof(record));
    at += sizeof(crc) + sizeof(record);
    if (!in || record.bytes > length - at) damaged();
    bytes.resize(record.bytes);
    in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    at += record.bytes;
    if (!in || crc != crc_of(record, bytes)) damaged();
    visitor(record, bytes);
  }
}

}  // namespace ziggurat::engine
