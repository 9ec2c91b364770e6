// Shared memory: seen by both sides, of one size for ever, clear errors.
#include "proc/shared_memory.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "proc/child.hpp"
#include "roles.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::proc {
namespace {

template <typename Action>
std::string io_error_of(const Action& action) {
  try {
    action();
    return "nothing";
  } catch (const Error& error) {
    REQUIRE(error.code() == ErrorCode::io);
    return error.what();
  }
}

TEST_CASE("a child's stores are seen after its message") {
  const SharedMemory memory = SharedMemory::create("slots", roles::kSharedBytes);
  REQUIRE(memory.bytes().size() == roles::kSharedBytes);
  REQUIRE(std::ranges::count(memory.bytes(), std::byte{0}) == roles::kSharedBytes);
  std::ranges::fill(memory.bytes(), std::byte{21});
  SpawnRequest request = roles::request("shared");
  request.inherited_fds = {memory.fd()};
  Child child = Child::spawn(request);
  REQUIRE(child.channel().receive()->kind == roles::kReport);
  REQUIRE(std::ranges::count(memory.bytes(), std::byte{42}) == roles::kSharedBytes);
}

TEST_CASE("nobody can change the size of a region") {
  const SharedMemory memory = SharedMemory::create("slots", 8192);
  REQUIRE(::ftruncate(memory.fd(), 4096) == -1);
  REQUIRE(errno == EPERM);
  REQUIRE(::ftruncate(memory.fd(), 16384) == -1);
  REQUIRE(errno == EPERM);
}

TEST_CASE("the descriptor is close-on-exec and goes with the object") {
  int fd = -1;
  {
    SharedMemory memory = SharedMemory::create("slots", 4096);
    fd = memory.fd();
    REQUIRE(::fcntl(fd, F_GETFD) == FD_CLOEXEC);
    const std::byte* address = memory.bytes().data();
    const SharedMemory moved = std::move(memory);
    REQUIRE(moved.bytes().data() == address);
  }
  REQUIRE(::fcntl(fd, F_GETFD) == -1);
}

TEST_CASE("a region of another size, or a plain file, is refused") {
  const SharedMemory memory = SharedMemory::create("slots", 4096);
  REQUIRE(io_error_of([&] { (void)SharedMemory::map(UniqueFd(::dup(memory.fd())), 8192); }) ==
          "cannot map shared memory: the region has 4096 bytes, expected 8192");
  UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const std::string message = io_error_of([&] { (void)SharedMemory::map(std::move(file), 4096); });
  REQUIRE_THAT(message, Catch::EndsWith("is not a sealed region"));
}

TEST_CASE("running out of address space or descriptors is a clear error") {
  REQUIRE_THAT(io_error_of([] { (void)SharedMemory::create("slots", std::size_t{1} << 60); }),
               Catch::StartsWith("cannot "));
  REQUIRE(io_error_of([] { (void)SharedMemory::create("slots", ~std::size_t{0}); }) ==
          "cannot get 18446744073709551615 bytes of shared memory for slots: File too large");

  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{.rlim_cur = 3, .rlim_max = before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  const std::string message = io_error_of([] { (void)SharedMemory::create("slots", 4096); });
  ::setrlimit(RLIMIT_NOFILE, &before);
  REQUIRE(message == "cannot get 4096 bytes of shared memory for slots: Too many open files");
}

}  // namespace
}  // namespace ziggurat::proc
