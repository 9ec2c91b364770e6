// Memory for large arrays that live as long as the arena: plain memory up to a limit, beyond it a
// scratch file that is mapped.
//
// The scratch file has no name (it is unlinked as soon as it is made), so nothing is left behind
// however the process ends. Its blocks are reserved before they are mapped: a full disk is an
// error here, not a SIGBUS in the arithmetic.
// Thread rules: allocate() may be called from any thread; everything else from one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ziggurat::balance {

class Arena {
 public:
  // Plain memory only.
  Arena() = default;

  // Plain memory while its sum stays within memory_limit_bytes, then a scratch file in folder.
  Arena(std::int64_t memory_limit_bytes, std::string folder);

  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // n elements of T, uninitialised, valid until the arena dies.
  // Throws: Error{io} naming the folder when the scratch file cannot be made or grown;
  // std::bad_alloc when plain memory is short.
  template <typename T>
  [[nodiscard]] std::span<T> allocate(std::size_t n) {
    static_assert(std::is_trivially_copyable_v<T>);
    return {reinterpret_cast<T*>(allocate_bytes(n * sizeof(T))), n};
  }

  // Bytes handed out so far, and how many of them lie in the scratch file.
  [[nodiscard]] std::int64_t total_bytes() const { return memory_bytes_ + scratch_bytes_; }
  [[nodiscard]] std::int64_t scratch_bytes() const { return scratch_bytes_; }

 private:
  struct Mapping {
    void* address;
    std::size_t bytes;
  };

  [[nodiscard]] std::byte* allocate_bytes(std::size_t bytes);
  [[nodiscard]] std::byte* allocate_scratch(std::size_t bytes);
  void open_scratch();
  void map_more(std::size_t bytes);

  const std::int64_t memory_limit_ = std::numeric_limits<std::int64_t>::max();
  const std::string folder_;

  std::mutex mutex_;  // guards all below
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::int64_t memory_bytes_ = 0;
  std::int64_t scratch_bytes_ = 0;
  int scratch_fd_ = -1;
  std::int64_t scratch_end_ = 0;
  std::vector<Mapping> mappings_;
  std::span<std::byte> free_;  // what is left of the last mapping
};

}  // namespace ziggurat::balance
