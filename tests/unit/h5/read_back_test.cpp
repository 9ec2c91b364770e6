// Disks that lie: what HDF5 wrote is lost or altered, and no call fails.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "disk_fakes.hpp"
#include "h5/output_driver.hpp"
#include "h5/value.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::h5 {
namespace {

enum class Lie { loses_write, alters_write, alters_read };

// Write or read number `nth` (from 1) is lied about.
class LyingDisk : public FileOps {
 public:
  LyingDisk(Lie lie, std::int64_t nth) : lie_(lie), nth_(nth) {}

  std::int64_t pwrite(int descriptor, std::span<const std::byte> from,
                      std::int64_t offset) override {
    if (lie_ == Lie::alters_read || ++count_ != nth_) {
      return FileOps::pwrite(descriptor, from, offset);
    }
    if (lie_ == Lie::loses_write) return std::ssize(from);
    std::vector<std::byte> altered(from.begin(), from.end());
    altered[altered.size() / 2] ^= std::byte{0x10};
    return FileOps::pwrite(descriptor, altered, offset);
  }
  std::int64_t pread(int descriptor, std::span<std::byte> into, std::int64_t offset) override {
    const std::int64_t result = FileOps::pread(descriptor, into, offset);
    if (lie_ == Lie::alters_read && result > 0 && ++count_ == nth_) {
      into[static_cast<std::size_t>(result / 2)] ^= std::byte{0x10};
    }
    return result;
  }
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  Lie lie_;
  std::int64_t nth_;
  std::int64_t count_ = 0;
};

// Groups with attributes, flushed in between so that metadata is rewritten and read again.
void make_groups(const std::string& path, const std::shared_ptr<OutputState>& state) {
  const PropertyList access = make_output_access(state);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id());
  if (file < 0) return;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "group-" + std::to_string(i);
    const Group group(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    if (!group.valid()) break;
    write_int64(group.id(), "number", i);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
  }
  H5Fclose(file);
}

}  // namespace

TEST_CASE("whatever a disk loses or alters is found before the file is published") {
  const QuietErrors quiet;
  const TempFolder folder;
  const std::string honest = folder.file("honest");
  make_groups(honest, std::make_shared<OutputState>());
  const std::string right = content_of(honest);
  for (const Lie lie : {Lie::loses_write, Lie::alters_write, Lie::alters_read}) {
    LyingDisk counting(lie, 0);
    {
      const auto state = std::make_shared<OutputState>(counting);
      make_groups(folder.file("counted"), state);
      state->prove();
      REQUIRE_NOTHROW(state->throw_if_failed());
    }
    REQUIRE(counting.count() > 20);
    std::int64_t found = 0;
    for (std::int64_t nth = 1; nth <= counting.count(); ++nth) {
      LyingDisk disk(lie, nth);
      const std::string path = folder.file("lie");
      const auto state = std::make_shared<OutputState>(disk);
      make_groups(path, state);
      state->prove();
      state->close();
      if (!state->failed()) CHECK(content_of(path) == right);
      found += state->failed();
    }
    CHECK(found > 20);
  }
}

TEST_CASE("the message says that the disk is to blame, and where") {
  const QuietErrors quiet;
  const TempFolder folder;
  LyingDisk disk(Lie::loses_write, 1);
  const auto state = std::make_shared<OutputState>(disk);
  make_groups(folder.file("map"), state);
  state->prove();
  CHECK_THROWS_WITH(state->throw_if_failed(),
                    Catch::EndsWith("what was read back is not what was written (at byte 0)"));
}

TEST_CASE("a file that was cut after it was written is not proven") {
  const TempFolder folder;
  const std::string path = folder.file("map");
  const auto state = std::make_shared<OutputState>();
  make_groups(path, state);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  state->prove();
  CHECK(state->failed());
}

}  // namespace ziggurat::h5
