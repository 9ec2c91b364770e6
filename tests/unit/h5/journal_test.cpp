#include "h5/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "disk_fakes.hpp"
#include "h5/output_driver.hpp"

namespace ziggurat::h5 {
namespace {

using std::chrono::milliseconds;

constexpr int kBins = 3000;
constexpr milliseconds kSoon{60};

std::vector<double> weights(double factor) {
  std::vector<double> values(kBins);
  std::iota(values.begin(), values.end(), 1.0);
  for (double& value : values) value *= factor;
  return values;
}

PropertyList chunked() {
  PropertyList list(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t chunk = 500;
  H5Pset_obj_track_times(list.id(), false);
  H5Pset_chunk(list.id(), 1, &chunk);
  return list;
}

void write_column(hid_t file, const char* name, const std::vector<double>& values) {
  const hsize_t length = values.size();
  const Dataspace space(H5Screate_simple(1, &length, nullptr));
  const PropertyList properties = chunked();
  const Dataset data(H5Dcreate2(file, name, H5T_IEEE_F64LE, space.id(), H5P_DEFAULT,
                                properties.id(), H5P_DEFAULT));
  REQUIRE(H5Dwrite(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >=
          0);
}

void write_attribute(hid_t file, const char* object, const char* name, double value) {
  const Dataspace scalar(H5Screate(H5S_SCALAR));
  const Attribute attribute(H5Acreate_by_name(file, object, name, H5T_IEEE_F64LE, scalar.id(),
                                              H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  REQUIRE(H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, &value) >= 0);
}

void write_weights(hid_t file, double factor) {
  write_column(file, "bins/weight", weights(factor));
  write_attribute(file, "bins/weight", "ignore_diags", 2);
  write_attribute(file, "bins/weight", "scale", factor);
  write_attribute(file, "bins/weight", "tol", 1e-5);
}

void make_cool(const std::string& path) {
  const PropertyList access = make_output_access(std::make_shared<OutputState>());
  const File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
  for (const char* name : {"chroms", "bins", "pixels", "indexes"}) {
    const Group group(H5Gcreate2(file.id(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    REQUIRE(group.valid());
  }
  for (const char* name : {"bins/start", "bins/end", "pixels/count", "indexes/bin1_offset"}) {
    write_column(file.id(), name, weights(3));
  }
  write_attribute(file.id(), "/", "bin-size", 10000);
}

// What a job does to the open file.
using Change = std::function<void(hid_t file)>;

void add_weights(hid_t file) { write_weights(file, 0.5); }
void replace_weights(hid_t file) {
  REQUIRE(H5Ldelete(file, "bins/weight", H5P_DEFAULT) >= 0);
  write_weights(file, 0.25);
}
void remove_weights(hid_t file) { REQUIRE(H5Ldelete(file, "bins/weight", H5P_DEFAULT) >= 0); }
void overwrite_attribute(hid_t file) {
  const double value = 20000;
  const Attribute attribute(H5Aopen(file, "bin-size", H5P_DEFAULT));
  REQUIRE(H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, &value) >= 0);
}

void change_through(const std::shared_ptr<OutputState>& state, const std::string& path,
                    const Change& change) {
  const PropertyList access = make_output_access(state);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id());
  REQUIRE(file >= 0);
  change(file);
  REQUIRE(H5Fclose(file) >= 0);
}

void edit(const std::string& path, const Change& change, FileOps& ops = posix_file_ops()) {
  JournaledEdit journaled(path, ops, kSoon);
  change_through(journaled.state(), path, change);
  journaled.commit();
}

// Everything that the jobs can change, as HDF5 reads it.
std::vector<double> digest(const std::string& path) {
  const File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  REQUIRE(file.valid());
  std::vector<double> values(1);
  const Attribute bin_size(H5Aopen(file.id(), "bin-size", H5P_DEFAULT));
  REQUIRE(H5Aread(bin_size.id(), H5T_NATIVE_DOUBLE, values.data()) >= 0);
  for (const char* name : {"bins/start", "pixels/count", "bins/weight"}) {
    if (H5Lexists(file.id(), name, H5P_DEFAULT) <= 0) continue;
    const Dataset data(H5Dopen2(file.id(), name, H5P_DEFAULT));
    std::vector<double> column(kBins);
    REQUIRE(H5Dread(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column.data()) >=
            0);
    values.insert(values.end(), column.begin(), column.end());
  }
  return values;
}

std::string text_of_error(ErrorCode code, const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  FAIL("no error");
  return "";
}

std::string journal_of(const std::string& path) { return path + ".ziggurat-journal"; }

struct Job {
  const char* name;
  bool has_weights;
  Change change;
};

const std::vector<Job>& jobs() {
  static const std::vector<Job> all = {{"add", false, add_weights},
                                       {"replace", true, replace_weights},
                                       {"remove", true, remove_weights},
                                       {"overwrite", false, overwrite_attribute}};
  return all;
}

void make_old(const std::string& path, const Job& job) {
  make_cool(path);
  if (job.has_weights) change_through(std::make_shared<OutputState>(), path, add_weights);
}

}  // namespace

TEST_CASE("A committed edit makes the very bytes that HDF5 would make in place") {
  for (const Job& job : jobs()) {
    INFO(job.name);
    const TempFolder folder;
    const std::string path = folder.file("a.cool");
    const std::string plain = folder.file("b.cool");
    make_old(path, job);
    std::filesystem::copy_file(path, plain);
    const std::vector<double> before = digest(path);
    change_through(std::make_shared<OutputState>(), plain, job.change);
    edit(path, job.change);
    CHECK(content_of(path) == content_of(plain));
    CHECK(digest(path) == digest(plain));
    CHECK(digest(path) != before);
    CHECK_FALSE(std::filesystem::exists(journal_of(path)));
  }
}

TEST_CASE("Added weights are there with their values") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  make_cool(path);
  edit(path, add_weights);
  const std::vector<double> values = digest(path);
  REQUIRE(values.size() == 1 + 3 * kBins);
  CHECK(values[0] == 10000);
  CHECK(values[1 + 2 * kBins] == 0.5);
  CHECK(values.back() == 1500);
}

TEST_CASE("Before the commit nothing of the old file changes, and an abort leaves no trace") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  make_cool(path);
  const std::string old = content_of(path);
  {
    JournaledEdit journaled(path);
    change_through(journaled.state(), path, add_weights);
    const std::string present = content_of(path);
    CHECK(present.size() > old.size());
    CHECK(present.substr(0, old.size()) == old);
    CHECK(std::filesystem::exists(journal_of(path)));
  }
  CHECK(content_of(path) == old);
  CHECK_FALSE(std::filesystem::exists(journal_of(path)));
}

TEST_CASE("An edit without changes leaves the file alone") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  make_cool(path);
  const std::string old = content_of(path);
  JournaledEdit journaled(path);
  change_through(journaled.state(), path, [](hid_t) {});
  CHECK_NOTHROW(journaled.commit());
  CHECK_NOTHROW(journaled.state()->throw_if_failed());
  CHECK(content_of(path) == old);
  CHECK_FALSE(std::filesystem::exists(journal_of(path)));
}

TEST_CASE("An edit given up while HDF5 has the file open goes nowhere") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  make_cool(path);
  const std::string old = content_of(path);
  hid_t file = H5I_INVALID_HID;
  {
    JournaledEdit journaled(path);
    const PropertyList access = make_output_access(journaled.state());
    file = H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id());
    add_weights(file);
    text_of_error(ErrorCode::internal, [&] { journaled.commit(); });
  }
  CHECK(H5Fclose(file) >= 0);
  CHECK(content_of(path) == old);
}

TEST_CASE("Inode, permissions and other names of the file stay") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  const std::string link = folder.file("link.cool");
  make_cool(path);
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  std::filesystem::create_symlink("a.cool", link);
  FileStatus before;
  REQUIRE(posix_file_ops().status(path, before) == 0);
  {
    JournaledEdit journaled(link);
    change_through(journaled.state(), link, add_weights);
    // The journal belongs to the file, not to the name by which it was reached.
    FileStatus journal;
    REQUIRE(posix_file_ops().status(journal_of(path), journal) == 0);
    CHECK((journal.mode & 0777) == 0640);
    journaled.commit();
  }
  FileStatus after;
  REQUIRE(posix_file_ops().status(path, after) == 0);
  CHECK(after.same_file(before));
  CHECK(after.mode == before.mode);
  CHECK(std::filesystem::is_symlink(link));
  CHECK(digest(link).size() == 1 + 3 * kBins);
}

TEST_CASE("Any failing call of an edit ends in one error and the old or the new file") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  for (const Job& job : jobs()) {
    make_old(path, job);
    const std::string old = content_of(path);
    BrokenDisk healthy(0, 0, false);
    edit(path, job.change, healthy);
    const std::string changed = content_of(path);
    for (const bool persistent : {false, true}) {
      for (std::int64_t nth = 1; nth <= healthy.mutations(); ++nth) {
        INFO(job.name << ", call " << nth << (persistent ? " and all later ones" : ""));
        make_old(path, job);
        BrokenDisk disk(nth, ENOSPC, persistent);
        bool failed = false;
        try {
          edit(path, job.change, disk);
        } catch (const Error& error) {
          failed = true;
          CHECK(error.code() == ErrorCode::io);
          CHECK(std::string(error.what()).find("No space left on device") != std::string::npos);
        }
        recover(path);
        const std::string present = content_of(path);
        const bool whole = present == changed || (failed && present == old);
        CHECK(whole);
        CHECK_FALSE(std::filesystem::exists(journal_of(path)));
      }
    }
  }
}

TEST_CASE("A lock held by others is waited for, and then reported") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  make_cool(path);
  FileOps& ops = posix_file_ops();
  const int other = static_cast<int>(ops.open(path, O_RDWR, 0));
  REQUIRE(ops.try_lock(other) == 0);
  const std::string text =
      text_of_error(ErrorCode::busy, [&] { JournaledEdit(path, ops, milliseconds(20)); });
  CHECK(text == path + " is locked by another program; waited 0.0 s, try again later");
  std::thread owner([&] {
    std::this_thread::sleep_for(milliseconds(40));
    ops.close(other);
  });
  CHECK_NOTHROW(JournaledEdit(path, ops, milliseconds(20'000)));
  owner.join();
}

TEST_CASE("While an edit goes on, others are busy") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  make_cool(path);
  JournaledEdit journaled(path);
  change_through(journaled.state(), path, add_weights);
  text_of_error(ErrorCode::busy, [&] { recover(path, posix_file_ops(), kSoon); });
  text_of_error(ErrorCode::busy, [&] { JournaledEdit(path, posix_file_ops(), kSoon); });
  CHECK_NOTHROW(journaled.commit());
  CHECK(recover(path) == Recovery::nothing);
  CHECK(digest(path).size() == 1 + 3 * kBins);
}

namespace {

// One call that always answers the same.
struct NoLocks : FileOps {
  explicit NoLocks(int number) : error(number) {}
  std::int64_t try_lock(int) override { return -error; }
  int error;
};

// Refuses writes to the file that begin below `below`; the journal is not meant.
struct NoOverwrites : FileOps {
  std::int64_t open(const std::string& path, int flags, mode_t mode) override {
    const std::int64_t result = FileOps::open(path, flags, mode);
    if (path.ends_with(".ziggurat-journal")) journal = result;
    return result;
  }
  std::int64_t pwrite(int descriptor, std::span<const std::byte> from,
                      std::int64_t offset) override {
    if (descriptor != journal && offset < below) return -EIO;
    return FileOps::pwrite(descriptor, from, offset);
  }
  std::int64_t journal = -1;
  std::int64_t below = 0;
};

struct NotWritable : FileOps {
  NotWritable(std::string suffix, int number) : ending(std::move(suffix)), error(number) {}
  std::int64_t open(const std::string& path, int flags, mode_t mode) override {
    const bool hit = (flags & O_RDWR) != 0 && path.ends_with(ending);
    return hit ? -error : FileOps::open(path, flags, mode);
  }
  std::string ending;
  int error;
};

}  // namespace

TEST_CASE("A file system without locks is no obstacle") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  constexpr int kCrayNotSupported = 524;
  for (const int error : {ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL, EIO, kCrayNotSupported}) {
    make_cool(path);
    NoLocks ops(error);
    CHECK_NOTHROW(edit(path, add_weights, ops));
    CHECK(digest(path).size() == 1 + 3 * kBins);
  }
}

TEST_CASE("A file or folder that may not be written is named") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  make_cool(path);
  NotWritable file(".cool", EACCES);
  CHECK(text_of_error(ErrorCode::io, [&] { JournaledEdit(path, file); }) ==
        "cannot open " + path + " for writing: Permission denied");
  NotWritable folder_of(".ziggurat-journal", EROFS);
  CHECK(text_of_error(ErrorCode::io, [&] { JournaledEdit(path, folder_of); }) ==
        "cannot create " + journal_of(path) + ": Read-only file system");
  const std::string missing = folder.file("missing.cool");
  CHECK(text_of_error(ErrorCode::input, [&] { JournaledEdit{missing}; }) ==
        "cannot open " + missing + ": no such file");
  CHECK(recover(missing) == Recovery::nothing);
}

TEST_CASE("A change by others is noticed, refused and left as it is") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  const auto refused = [&](const std::function<void()>& meddle, bool before_change) {
    make_cool(path);
    std::string meddled;
    {
      JournaledEdit journaled(path);
      if (before_change) meddle();
      change_through(journaled.state(), path, add_weights);
      if (!before_change) meddle();
      const std::string text = text_of_error(ErrorCode::input, [&] { journaled.commit(); });
      CHECK(text.find(path + " was changed by another program") == 0);
      meddled = content_of(path);
    }
    CHECK_FALSE(std::filesystem::exists(journal_of(path)));
    return std::pair(meddled, content_of(path));
  };
  const auto put = [&](std::int64_t offset, const std::string& text) {
    const int other = static_cast<int>(posix_file_ops().open(path, O_RDWR, 0));
    write_fully(posix_file_ops(), other, std::as_bytes(std::span(text)), offset);
    posix_file_ops().close(other);
  };
  SECTION("it grew before our first write") {
    const auto [meddled, left] = refused(
        [&] { put(static_cast<std::int64_t>(std::filesystem::file_size(path)), "x"); }, true);
    CHECK(left == meddled);
  }
  SECTION("a byte changed before our first write") {
    const auto [meddled, left] = refused([&] { put(3000, "x"); }, true);
    CHECK(left == meddled);
  }
  SECTION("it grew after our first write") {
    const auto [meddled, left] = refused(
        [&] { put(static_cast<std::int64_t>(std::filesystem::file_size(path)), "x"); }, false);
    CHECK(left == meddled);
  }
  SECTION("the superblock changed after our first write") {
    const auto [meddled, left] = refused([&] { put(40, "x"); }, false);
    CHECK(left == meddled.substr(0, left.size()));
    CHECK(left.substr(40, 1) == "x");
  }
  SECTION("it was replaced") {
    const auto [meddled, left] = refused(
        [&] {
          make_cool(folder.file("new"));
          std::filesystem::rename(folder.file("new"), path);
        },
        false);
    CHECK(left == meddled);
  }
}

TEST_CASE("Without locks, the later of two edits wins and the earlier is refused") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  make_cool(path);
  NoLocks ops(ENOLCK);
  {
    JournaledEdit first(path, ops);
    change_through(first.state(), path, add_weights);
    JournaledEdit second(path, ops);
    text_of_error(ErrorCode::input, [&] { first.commit(); });
    first.abort();
    change_through(second.state(), path, add_weights);
    CHECK_NOTHROW(second.commit());
  }
  CHECK(digest(path).size() == 1 + 3 * kBins);
}

TEST_CASE("A journal beside another file is dropped and the file left alone") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  make_cool(path);
  std::string journal;
  {
    JournaledEdit journaled(path);
    journal = content_of(journal_of(path));
  }
  change_through(std::make_shared<OutputState>(), path, add_weights);
  const std::string other = content_of(path);
  std::ofstream(journal_of(path), std::ios::binary) << journal;
  CHECK(recover(path) == Recovery::undone);
  CHECK(content_of(path) == other);
  CHECK_FALSE(std::filesystem::exists(journal_of(path)));
}

TEST_CASE("A decided journal beside another file of the same size is dropped, too") {
  const TempFolder folder;
  const std::string path = folder.file("a.cool");
  make_cool(path);
  const std::size_t old_bytes = content_of(path).size();
  {
    NoOverwrites ops;
    JournaledEdit journaled(path, ops);
    change_through(journaled.state(), path, add_weights);
    ops.below = static_cast<std::int64_t>(old_bytes);
    CHECK(text_of_error(ErrorCode::io, [&] { journaled.commit(); }) ==
          "cannot write " + path + ": Input/output error; " +
              "the change will be completed when ziggurat next uses the file");
  }
  const std::string interrupted = content_of(path);
  const std::string journal = content_of(journal_of(path));
  std::string other = interrupted;
  other[old_bytes + 100] ^= 1;  // in what was added
  other[10] ^= 1;               // and the beginning is not that of the old file either
  std::ofstream(path, std::ios::binary) << other;
  CHECK(recover(path) == Recovery::undone);
  CHECK(content_of(path) == other);

  std::ofstream(path, std::ios::binary) << interrupted;
  std::ofstream(journal_of(path), std::ios::binary) << journal;
  CHECK(recover(path) == Recovery::finished);
  CHECK(digest(path).size() == 1 + 3 * kBins);
}

}  // namespace ziggurat::h5
