// Disks that lie: what HDF5 wrote is lost or altered, and no call fails.
#include <fcntl.h>

#include <algorithm>
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

TEST_CASE("a finished file is read ahead, a file that changes never from memory") {
  const TempFolder folder;
  const std::string path = folder.file("map");
  std::vector<std::byte> content(1'000'000);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(i % 251);
  const auto written = std::make_shared<OutputState>();
  REQUIRE(written->open(path, O_RDWR | O_CREAT));
  written->write(OutputState::Content::raw, 0, content);
  std::vector<std::byte> piece(1000);
  REQUIRE(written->read(5000, piece));
  CHECK(std::equal(piece.begin(), piece.end(), content.begin() + 5000));
  content[5500] = std::byte{255};
  written->write(OutputState::Content::raw, 5500, std::span(content).subspan(5500, 1));
  REQUIRE(written->read(5000, piece));
  CHECK(std::equal(piece.begin(), piece.end(), content.begin() + 5000));

  LyingDisk counting(Lie::alters_read, 0);
  OutputState finished(counting);
  finished.expect(written->sums());
  REQUIRE(finished.open(path, O_RDONLY));
  for (std::size_t at = 0; at < content.size(); at += piece.size()) {
    REQUIRE(finished.read(static_cast<std::int64_t>(at), piece));
    REQUIRE(
        std::equal(piece.begin(), piece.end(), content.begin() + static_cast<std::ptrdiff_t>(at)));
  }
  CHECK(counting.count() < 10);

  LyingDisk disk(Lie::alters_read, 3);
  OutputState lied_to(disk);
  lied_to.expect(written->sums());
  REQUIRE(lied_to.open(path, O_RDONLY));
  bool is_read = true;
  for (std::size_t at = 0; is_read && at < content.size(); at += piece.size()) {
    is_read = lied_to.read(static_cast<std::int64_t>(at), piece);
  }
  CHECK_FALSE(is_read);
  CHECK(lied_to.failed());
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
