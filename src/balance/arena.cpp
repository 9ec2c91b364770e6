#include "balance/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/check.hpp"

namespace ziggurat::balance {
namespace {

constexpr std::size_t kAlignment = 64;             // a cache line, and any element type
constexpr std::size_t kMappingBytes = 64U << 20U;  // few mappings, yet little reserved in vain

[[noreturn]] void fail_scratch(const char* what, const std::string& folder, int error) {
  fail(ErrorCode::io, "cannot {} a scratch file in {}: {}", what, folder,
       std::generic_category().message(error));
}

}  // namespace

Arena::Arena(std::int64_t memory_limit_bytes, std::string folder)
    : memory_limit_(memory_limit_bytes), folder_(std::move(folder)) {}

Arena::~Arena() {
  for (const Mapping& mapping : mappings_) munmap(mapping.address, mapping.bytes);
  if (scratch_fd_ >= 0) close(scratch_fd_);
}

std::byte* Arena::allocate_bytes(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (std::cmp_greater(bytes, memory_limit_ - memory_bytes_)) return allocate_scratch(bytes);
  blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
  memory_bytes_ += narrow<std::int64_t>(bytes);
  return blocks_.back().get();
}

std::byte* Arena::allocate_scratch(std::size_t bytes) {
  const std::size_t padded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (padded > free_.size()) map_more(padded);
  const std::span<std::byte> block = free_.first(padded);
  free_ = free_.subspan(padded);
  scratch_bytes_ += narrow<std::int64_t>(padded);
  return block.data();
}

void Arena::open_scratch() {
  std::string path = folder_ + "/.ziggurat-scratch-XXXXXX";
  scratch_fd_ = mkostemp(path.data(), O_CLOEXEC);
  if (scratch_fd_ < 0) fail_scratch("make", folder_, errno);
  unlink(path.c_str());
}

void Arena::map_more(std::size_t bytes) {
  if (scratch_fd_ < 0) open_scratch();
  const std::size_t page = narrow<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t length = (std::max(bytes, kMappingBytes) + page - 1) / page * page;
  if (const int error = posix_fallocate(scratch_fd_, scratch_end_, narrow<off_t>(length))) {
    fail_scratch("grow", folder_, error);
  }
  mappings_.reserve(mappings_.size() + 1);
  void* address =
      mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, scratch_fd_, scratch_end_);
  if (address == MAP_FAILED) fail_scratch("map", folder_, errno);
  mappings_.push_back({address, length});
  scratch_end_ += narrow<std::int64_t>(length);
  free_ = {static_cast<std::byte*>(address), length};
}

}  // namespace ziggurat::balance
