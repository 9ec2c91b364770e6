#include "balance/arena.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "ziggurat/error.hpp"

namespace fs = std::filesystem;
using ziggurat::balance::Arena;

namespace {

fs::path fresh_folder() {
  std::string name = (fs::temp_directory_path() / "zig-arena-XXXXXX").string();
  return mkdtemp(name.data());
}

}  // namespace

TEST_CASE("an arena without a limit keeps to plain memory") {
  Arena arena;
  const auto block = arena.allocate<std::uint32_t>(1000);
  CHECK(block.size() == 1000);
  CHECK(arena.total_bytes() == 4000);
  CHECK(arena.scratch_bytes() == 0);
}

TEST_CASE("beyond its limit an arena uses a scratch file that has no name") {
  const fs::path folder = fresh_folder();
  {
    Arena arena(4096, folder.string());
    const auto inside = arena.allocate<double>(512);
    const auto outside = arena.allocate<double>(1);
    const auto large = arena.allocate<double>(20'000'000);
    CHECK(arena.scratch_bytes() >= 160'000'008);
    CHECK(fs::is_empty(folder));
    std::fill(inside.begin(), inside.end(), 1.0);
    std::fill(outside.begin(), outside.end(), 2.0);
    std::fill(large.begin(), large.end(), 3.0);
    CHECK(std::count(inside.begin(), inside.end(), 1.0) == 512);
    CHECK(outside[0] == 2.0);
    CHECK(reinterpret_cast<std::uintptr_t>(outside.data()) % 64 == 0);
    CHECK(large.back() == 3.0);
  }
  fs::remove_all(folder);
}

TEST_CASE("a scratch file that cannot be made is an io error naming the folder") {
  Arena arena(0, "/no/such/folder");
  try {
    (void)arena.allocate<int>(1);
    FAIL("allocated");
  } catch (const ziggurat::Error& e) {
    CHECK(e.code() == ziggurat::ErrorCode::io);
    CHECK_THAT(e.what(), Catch::Contains("/no/such/folder") && Catch::Contains("No such file"));
  }
}
