// Memory that two processes see at once, without a name in any file system.
//
// The region has one size for life: it is sealed against shrinking and growing when it is made, so
// neither side can take pages away under the other (which would end in SIGBUS). Pages are zero
// and cost memory only when first touched. The memory goes when the last mapping and descriptor
// are gone, so it cannot outlive its processes, however they die.
//
// Thread rules: the object belongs to one thread at a time; what is in the bytes is for the users
// to order, by messages on a Channel (a message received makes earlier stores of its sender seen).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "proc/fd.hpp"

namespace ziggurat::proc {

class SharedMemory final {
 public:
  // A new region of bytes (> 0). label shows in /proc/PID/maps. Throws Error{io} when the system
  // has no memory, address space or descriptor left.
  [[nodiscard]] static SharedMemory create(const std::string& label, std::size_t bytes);

  // The region behind a descriptor that create() made in another process. Throws Error{io} when it
  // is not such a region or not of that size.
  [[nodiscard]] static SharedMemory map(UniqueFd fd, std::size_t bytes);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  // Page-aligned; valid for the life of this object, and not moved when it is moved.
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

  // For SpawnRequest::inherited_fds; stays owned here.
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  SharedMemory(UniqueFd fd, std::size_t bytes);

  UniqueFd fd_;
  std::span<std::byte> bytes_;
};

}  // namespace ziggurat::proc
