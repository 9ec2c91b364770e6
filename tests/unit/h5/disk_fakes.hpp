// Folders that clean up after themselves and disks that misbehave.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "h5/file_ops.hpp"

namespace ziggurat::h5 {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ziggurat-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Mutation number `nth` (from 1) fails with `error`, and all later ones too when `persistent`.
class BrokenDisk : public FileOps {
 public:
  BrokenDisk(std::int64_t nth, int error, bool persistent)
      : nth_(nth), error_(error), persistent_(persistent) {}

  std::int64_t pwrite(int descriptor, std::span<const std::byte> from,
                      std::int64_t offset) override {
    return breaks() ? -error_ : FileOps::pwrite(descriptor, from, offset);
  }
  std::int64_t ftruncate(int descriptor, std::int64_t bytes) override {
    return breaks() ? -error_ : FileOps::ftruncate(descriptor, bytes);
  }
  std::int64_t fsync(int descriptor) override {
    return breaks() ? -error_ : FileOps::fsync(descriptor);
  }
  std::int64_t close(int descriptor) override {
    const std::int64_t result = FileOps::close(descriptor);
    return breaks() ? -error_ : result;
  }
  std::int64_t unlink(const std::string& path) override {
    return breaks() ? -error_ : FileOps::unlink(path);
  }
  [[nodiscard]] std::int64_t mutations() const { return count_; }

 private:
  bool breaks() {
    ++count_;
    return persistent_ ? count_ >= nth_ : count_ == nth_;
  }

  std::int64_t nth_;
  int error_;
  bool persistent_;
  std::int64_t count_ = 0;
};

// Transfers at most 7 bytes a call, as a system in trouble may.
class ShortTransfers : public FileOps {
 public:
  std::int64_t pread(int descriptor, std::span<std::byte> into, std::int64_t offset) override {
    return FileOps::pread(descriptor, into.first(std::min<std::size_t>(7, into.size())), offset);
  }
  std::int64_t pwrite(int descriptor, std::span<const std::byte> from,
                      std::int64_t offset) override {
    return FileOps::pwrite(descriptor, from.first(std::min<std::size_t>(7, from.size())), offset);
  }
};

}  // namespace ziggurat::h5
