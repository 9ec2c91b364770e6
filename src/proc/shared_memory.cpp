// Shared memory by memfd: a file without a name, so there is nothing to clean up after a crash and
// no /dev/shm whose size a container may have cut to 64 MiB (POSIX shared memory has both faults).
// Sealed before anybody else sees it, because a mapping whose file shrinks raises SIGBUS on access:
// the kernel then refuses to shrink it for whoever asks.
#include "proc/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/check.hpp"
#include "proc/system_error.hpp"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace ziggurat::proc {
namespace {

// Hardened systems demand the no-exec flag (vm.memfd_noexec=2); kernels before 6.3 do not know it.
int make_memfd(const std::string& label) {
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const int fd = ::memfd_create(label.c_str(), kFlags | MFD_NOEXEC_SEAL);
  if (fd >= 0 || errno != EINVAL) return fd;
  return ::memfd_create(label.c_str(), kFlags);
}

void require_region(int fd, std::size_t bytes) {
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    fail(ErrorCode::io, "cannot map shared memory: descriptor {} is not a sealed region", fd);
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail_errno(ErrorCode::io, "cannot map shared memory", errno);
  if (!std::cmp_equal(status.st_size, bytes)) {
    fail(ErrorCode::io, "cannot map shared memory: the region has {} bytes, expected {}",
         status.st_size, bytes);
  }
}

}  // namespace

SharedMemory SharedMemory::create(const std::string& label, std::size_t bytes) {
  const std::string what = fmt::format("cannot get {} bytes of shared memory for {}", bytes, label);
  UniqueFd fd(make_memfd(label));
  if (!fd) fail_errno(ErrorCode::io, what, errno);
  if (!std::in_range<off_t>(bytes)) fail_errno(ErrorCode::io, what, EFBIG);
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) fail_errno(ErrorCode::io, what, errno);
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    fail_errno(ErrorCode::io, what, errno);
  }
  return map(std::move(fd), bytes);
}

SharedMemory SharedMemory::map(UniqueFd fd, std::size_t bytes) {
  require_region(fd.get(), bytes);
  return SharedMemory(std::move(fd), bytes);
}

SharedMemory::SharedMemory(UniqueFd fd, std::size_t bytes) : fd_(std::move(fd)) {
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (address == MAP_FAILED) {
    fail_errno(ErrorCode::io, fmt::format("cannot map {} bytes of shared memory", bytes), errno);
  }
  bytes_ = {static_cast<std::byte*>(address), bytes};
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)), bytes_(std::exchange(other.bytes_, {})) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace ziggurat::proc
