// Power cuts, replayed: every mutation that an edit makes is recorded; then for every moment the
// disk is put together as it may have been then, recovered, and compared with the old and the new
// file byte for byte. Recovery is cut in the same way.

#include <fcntl.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "disk_fakes.hpp"
#include "h5/journal.hpp"
#include "h5/output_driver.hpp"

namespace ziggurat::h5 {
namespace {

struct Mutation {
  enum class Kind { create, write, resize, sync, sync_folder, unlink };
  Kind kind;
  std::string path;
  std::int64_t offset = 0;  // new size of a resize
  std::string bytes = {};
};
using Log = std::vector<Mutation>;
using Kind = Mutation::Kind;

// Carries everything out but the waiting for the disk, and writes down what it was.
class Recorder : public FileOps {
 public:
  std::int64_t open(const std::string& path, int flags, mode_t mode) override {
    const std::int64_t result = FileOps::open(path, flags, mode);
    if (result < 0) return result;
    paths_[static_cast<int>(result)] = path;
    if ((flags & O_CREAT) != 0) log_.push_back({.kind = Kind::create, .path = path});
    return result;
  }
  std::int64_t pwrite(int descriptor, std::span<const std::byte> from,
                      std::int64_t offset) override {
    std::string bytes(from.size(), '\0');
    std::memcpy(bytes.data(), from.data(), from.size());
    log_.push_back({Kind::write, paths_.at(descriptor), offset, std::move(bytes)});
    return FileOps::pwrite(descriptor, from, offset);
  }
  std::int64_t ftruncate(int descriptor, std::int64_t bytes) override {
    log_.push_back({.kind = Kind::resize, .path = paths_.at(descriptor), .offset = bytes});
    return FileOps::ftruncate(descriptor, bytes);
  }
  std::int64_t fsync(int descriptor) override {
    const std::string& path = paths_.at(descriptor);
    const bool folder = std::filesystem::is_directory(path);
    log_.push_back({.kind = folder ? Kind::sync_folder : Kind::sync, .path = path});
    return 0;
  }
  std::int64_t unlink(const std::string& path) override {
    log_.push_back({.kind = Kind::unlink, .path = path});
    return FileOps::unlink(path);
  }
  [[nodiscard]] const Log& log() const { return log_; }

 private:
  std::map<int, std::string> paths_;
  Log log_;
};

// What a folder holds: name to content.
using Disk = std::map<std::string, std::string>;

enum class Survives { everything, synced, random };

bool is_synced_by(const Mutation& later, const Mutation& mutation) {
  const bool of_name = mutation.kind == Kind::create || mutation.kind == Kind::unlink;
  if (of_name) return later.kind == Kind::sync_folder;
  return later.kind == Kind::sync && later.path == mutation.path;
}

void apply(Disk& contents, std::set<std::string>& names, const Mutation& mutation) {
  std::string& content = contents[mutation.path];
  const auto offset = static_cast<std::size_t>(mutation.offset);
  switch (mutation.kind) {
    case Kind::create:
      names.insert(mutation.path);
      break;
    case Kind::unlink:
      names.erase(mutation.path);
      break;
    case Kind::write:
      content.resize(std::max(content.size(), offset + mutation.bytes.size()));
      content.replace(offset, mutation.bytes.size(), mutation.bytes);
      break;
    case Kind::resize:
      content.resize(offset);
      break;
    default:
      break;
  }
}

// The disk when the power fails right after the first `done` mutations. What was not synced is lost
// or not as `survives` says; at random, a write may be torn as well.
Disk disk_after(const Disk& before, const Log& log, std::size_t done, Survives survives,
                unsigned seed) {
  std::mt19937 random(seed * 1000 + static_cast<unsigned>(done));
  Disk contents = before;
  std::set<std::string> names;
  for (const auto& [name, content] : before) names.insert(name);
  for (std::size_t at = 0; at < done; ++at) {
    Mutation mutation = log[at];
    bool stays = survives == Survives::everything;
    for (std::size_t later = at + 1; later < done && !stays; ++later) {
      stays = is_synced_by(log[later], mutation);
    }
    if (!stays && survives == Survives::random && random() % 2 == 0) {
      stays = true;
      if (random() % 2 == 0) mutation.bytes.resize(random() % (mutation.bytes.size() + 1));
    }
    if (stays) apply(contents, names, mutation);
  }
  std::erase_if(contents, [&](const auto& entry) { return !names.contains(entry.first); });
  return contents;
}

void lay_out(const std::string& folder, const Disk& disk) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::filesystem::remove(entry.path());
  }
  for (const auto& [path, content] : disk) std::ofstream(path, std::ios::binary) << content;
}

struct Cut {
  Survives survives;
  unsigned seed;
};
constexpr Cut kCuts[] = {{Survives::everything, 0},
                         {Survives::synced, 0},
                         {Survives::random, 1},
                         {Survives::random, 2},
                         {Survives::random, 3}};

void write_numbers(hid_t file, const char* name, int first) {
  std::vector<int> values(2000);
  for (int& value : values) value = first++;
  const hsize_t length = values.size();
  const hsize_t chunk = 300;
  const Dataspace space(H5Screate_simple(1, &length, nullptr));
  const PropertyList properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_obj_track_times(properties.id(), false);
  H5Pset_chunk(properties.id(), 1, &chunk);
  const Dataset data(
      H5Dcreate2(file, name, H5T_STD_I32LE, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT));
  REQUIRE(H5Dwrite(data.id(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  const Dataspace scalar(H5Screate(H5S_SCALAR));
  const Attribute attribute(
      H5Acreate2(data.id(), "tol", H5T_STD_I32LE, scalar.id(), H5P_DEFAULT, H5P_DEFAULT));
  REQUIRE(H5Awrite(attribute.id(), H5T_NATIVE_INT, values.data()) >= 0);
}

// The first weight, or -1 where there are none; fails when HDF5 cannot read the file.
int first_weight(const std::string& path) {
  const File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  REQUIRE(file.valid());
  for (const char* name : {"bins/start", "bins/weight"}) {
    if (H5Lexists(file.id(), name, H5P_DEFAULT) <= 0) return -1;
    const Dataset data(H5Dopen2(file.id(), name, H5P_DEFAULT));
    std::vector<int> values(2000);
    REQUIRE(H5Dread(data.id(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    REQUIRE(values[1999] == values[0] + 1999);
    if (std::string(name) == "bins/weight") return values[0];
  }
  return -1;
}

struct Job {
  const char* name;
  int old_weight;  // -1: none
  int new_weight;
};
// Weights added, replaced, and removed: the file grows, stays about as it is, and shrinks.
constexpr Job kJobs[] = {{"add", -1, 50}, {"replace", 10, 70}, {"remove", 10, -1}};

void make_old(const std::string& path, const Job& job) {
  const PropertyList access = make_output_access(std::make_shared<OutputState>());
  const File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
  const Group bins(H5Gcreate2(file.id(), "bins", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  write_numbers(bins.id(), "start", 0);
  if (job.old_weight >= 0) write_numbers(bins.id(), "weight", job.old_weight);
}

void run_edit(const std::string& path, const Job& job, FileOps& ops) {
  JournaledEdit edit(path, ops);
  {
    const PropertyList access = make_output_access(edit.state());
    const File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()));
    REQUIRE(file.valid());
    if (job.old_weight >= 0) H5Ldelete(file.id(), "bins/weight", H5P_DEFAULT);
    if (job.new_weight >= 0) write_numbers(file.id(), "bins/weight", job.new_weight);
  }
  edit.commit();
}

class Replay {
 public:
  explicit Replay(const Job& job) : job_(job), path_(folder_.file("a.cool")) {
    make_old(path_, job);
    before_ = {{path_, content_of(path_)}};
    Recorder recorder;
    run_edit(path_, job, recorder);
    log_ = recorder.log();
    new_bytes_ = content_of(path_);
  }

  [[nodiscard]] const Log& log() const { return log_; }
  [[nodiscard]] int times_new() const { return times_new_; }
  [[nodiscard]] int times_old() const { return times_old_; }

  void cut(std::size_t done, const Cut& how) {
    const Disk disk = disk_after(before_, log_, done, how.survives, how.seed);
    lay_out(folder_.file(""), disk);
    Recorder recovery;
    recover(path_, recovery);
    check_whole(done == log_.size());
    cut_recovery(disk, recovery.log());
  }

 private:
  void check_whole(bool must_be_new) {
    const std::string present = content_of(path_);
    const bool is_new = present == new_bytes_;
    const bool is_old = present == before_.at(path_);
    REQUIRE((is_new || (is_old && !must_be_new)));
    REQUIRE(first_weight(path_) == (is_new ? job_.new_weight : job_.old_weight));
    REQUIRE_FALSE(std::filesystem::exists(path_ + ".ziggurat-journal"));
    REQUIRE(recover(path_) == Recovery::nothing);
    ++(is_new ? times_new_ : times_old_);
  }

  void cut_recovery(const Disk& disk, const Log& log) {
    for (const Cut& how : kCuts) {
      for (std::size_t done = 0; done < log.size(); ++done) {
        INFO("recovery cut after " << done << " of " << log.size());
        lay_out(folder_.file(""), disk_after(disk, log, done, how.survives, how.seed));
        Recorder again;
        recover(path_, again);
        check_whole(false);
      }
    }
  }

  Job job_;
  TempFolder folder_;
  std::string path_;
  Disk before_;
  Log log_;
  std::string new_bytes_;
  int times_new_ = 0;
  int times_old_ = 0;
};

}  // namespace

TEST_CASE("A power cut at any moment leaves the old file or the new one") {
  for (const Job& job : kJobs) {
    Replay replay(job);
    REQUIRE(replay.log().size() > 12);
    for (const Cut& how : kCuts) {
      for (std::size_t done = 0; done <= replay.log().size(); ++done) {
        INFO(job.name << ", cut after " << done << " of " << replay.log().size() << ", policy "
                      << static_cast<int>(how.survives) << "." << how.seed);
        replay.cut(done, how);
      }
    }
    CHECK(replay.times_old() > 20);
    CHECK(replay.times_new() > 20);
  }
}

}  // namespace ziggurat::h5
