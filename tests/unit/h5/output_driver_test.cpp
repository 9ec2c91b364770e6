#include "h5/output_driver.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "disk_fakes.hpp"

namespace ziggurat::h5 {
namespace {

constexpr int kChunk = 512;
constexpr int kChunks = 40;

PropertyList dataset_properties() {
  PropertyList list(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t chunk = kChunk;
  REQUIRE(H5Pset_obj_track_times(list.id(), false) >= 0);
  REQUIRE(H5Pset_chunk(list.id(), 1, &chunk) >= 0);
  REQUIRE(H5Pset_deflate(list.id(), 1) >= 0);
  return list;
}

std::vector<int> numbers(int first, int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first * 7919);
  return values;
}

void write_column(hid_t file, const std::string& name) {
  const hsize_t length = kChunk * kChunks;
  const Dataspace space(H5Screate_simple(1, &length, nullptr));
  const PropertyList properties = dataset_properties();
  const Dataset data(H5Dcreate2(file, name.c_str(), H5T_STD_I32LE, space.id(), H5P_DEFAULT,
                                properties.id(), H5P_DEFAULT));
  REQUIRE(data.valid());
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    const hsize_t start = static_cast<hsize_t>(chunk) * kChunk;
    const hsize_t count = kChunk;
    const Dataspace memory(H5Screate_simple(1, &count, nullptr));
    REQUIRE(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr) >= 0);
    REQUIRE(H5Dwrite(data.id(), H5T_NATIVE_INT, memory.id(), space.id(), H5P_DEFAULT,
                     numbers(chunk, kChunk).data()) >= 0);
  }
}

void add_attribute(hid_t object, int index) {
  const Dataspace scalar(H5Screate(H5S_SCALAR));
  const std::string name = "attribute-" + std::to_string(index);
  const Attribute attribute(
      H5Acreate2(object, name.c_str(), H5T_STD_I32LE, scalar.id(), H5P_DEFAULT, H5P_DEFAULT));
  REQUIRE(H5Awrite(attribute.id(), H5T_NATIVE_INT, &index) >= 0);
}

// Has HDF5 forget the dataset, read its metadata and a chunk from the file again, and write into
// it.
void revise_column(hid_t file, const std::string& name) {
  const PropertyList uncached(H5Pcreate(H5P_DATASET_ACCESS));
  REQUIRE(H5Pset_chunk_cache(uncached.id(), 0, 0, 0.0) >= 0);
  const Dataset data(H5Dopen2(file, name.c_str(), uncached.id()));
  REQUIRE(data.valid());
  REQUIRE(H5Drefresh(data.id()) >= 0);
  const Dataspace space(H5Dget_space(data.id()));
  const hsize_t start = 5;
  const hsize_t count = kChunk;
  const Dataspace memory(H5Screate_simple(1, &count, nullptr));
  REQUIRE(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr) >= 0);
  std::vector<int> values(kChunk);
  REQUIRE(H5Dread(data.id(), H5T_NATIVE_INT, memory.id(), space.id(), H5P_DEFAULT, values.data()) >=
          0);
  CHECK(values[0] == 5);
  CHECK(values[kChunk - 5] == 7919);
  REQUIRE(H5Dwrite(data.id(), H5T_NATIVE_INT, memory.id(), space.id(), H5P_DEFAULT,
                   values.data()) >= 0);
}

// Makes a file with groups, chunked columns and attributes; flushes in between so that HDF5 has
// metadata to read again. Every HDF5 call must succeed, whatever the disk does.
void make_file(const std::string& path, const std::shared_ptr<OutputState>& state) {
  const PropertyList access = make_output_access(state);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id());
  REQUIRE(file >= 0);
  for (int group_index = 0; group_index < 3; ++group_index) {
    const std::string name = "group-" + std::to_string(group_index);
    const Group group(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    REQUIRE(group.valid());
    write_column(group.id(), "counts");
    for (int index = 0; index < 12; ++index) add_attribute(group.id(), index);
    REQUIRE(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    revise_column(group.id(), "counts");
  }
  REQUIRE(H5Ldelete(file, "group-1/counts", H5P_DEFAULT) >= 0);
  REQUIRE(H5Fclose(file) >= 0);
}

void check_file(const std::string& path) {
  const File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  REQUIRE(file.valid());
  for (const char* name : {"group-0/counts", "group-2/counts"}) {
    const Dataset data(H5Dopen2(file.id(), name, H5P_DEFAULT));
    std::vector<int> values(kChunk * kChunks);
    REQUIRE(H5Dread(data.id(), H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
    CHECK(values[0] == 0);
    CHECK(values[kChunk - 1] == kChunk - 1);
    CHECK(values[kChunk * (kChunks - 1)] == 39 * 7919);
  }
}

std::string failure_text(const OutputState& state) {
  try {
    state.throw_if_failed();
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::io);
    return error.what();
  }
  return "";
}

void finish(OutputState& state) {
  state.sync();
  state.close();
}

}  // namespace

TEST_CASE("A file made through the driver is an ordinary HDF5 file") {
  const TempFolder folder;
  const std::string path = folder.file("a.h5");
  const auto state = std::make_shared<OutputState>();
  make_file(path, state);
  CHECK_FALSE(state->open_in_library());
  finish(*state);
  CHECK_NOTHROW(state->throw_if_failed());
  CHECK(state->path() == path);
  CHECK(static_cast<std::uintmax_t>(state->size()) == std::filesystem::file_size(path));
  CHECK(state->bytes_written() >= state->size() - 16 * 1024);
  CHECK(content_of(path).substr(0, 9) == std::string("\x89HDF\r\n\x1a\n\0", 9));  // superblock 0
  check_file(path);
}

TEST_CASE("A file can be opened for change through the driver") {
  const TempFolder folder;
  const std::string path = folder.file("a.h5");
  make_file(path, std::make_shared<OutputState>());
  const auto state = std::make_shared<OutputState>();
  {
    const PropertyList access = make_output_access(state);
    const File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()));
    REQUIRE(file.valid());
    write_column(file.id(), "more");
  }
  finish(*state);
  CHECK_NOTHROW(state->throw_if_failed());
  check_file(path);
  const File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  CHECK(H5Lexists(file.id(), "more", H5P_DEFAULT) > 0);
}

TEST_CASE("The same calls make the same bytes, whatever the memory held before") {
  const TempFolder folder;
  std::vector<std::string> contents;
  for (const int fill : {0x5a, 0xa5, 0}) {
    mallopt(M_PERTURB, fill);  // refused under sanitizers, which fill memory in their own way
    REQUIRE(H5garbage_collect() >= 0);
    const std::string path = folder.file("a.h5");
    make_file(path, std::make_shared<OutputState>());
    contents.push_back(content_of(path));
  }
  CHECK(contents[0] == contents[1]);
  CHECK(contents[0] == contents[2]);
}

TEST_CASE("Short reads and writes change nothing") {
  const TempFolder folder;
  ShortTransfers ops;
  make_file(folder.file("a.h5"), std::make_shared<OutputState>());
  make_file(folder.file("b.h5"), std::make_shared<OutputState>(ops));
  CHECK(content_of(folder.file("a.h5")) == content_of(folder.file("b.h5")));
}

TEST_CASE("Chunks that follow one another are written together") {
  const TempFolder folder;
  const std::string path = folder.file("a.h5");
  constexpr hsize_t kLength = 3000;
  constexpr hsize_t kBytes = 400;
  BrokenDisk disk(0, 0, false);
  {
    const auto state = std::make_shared<OutputState>(disk);
    const PropertyList access = make_output_access(state);
    const File file(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.id()));
    const hsize_t length = kLength;
    const hsize_t one = 1;
    const Dataspace space(H5Screate_simple(1, &length, nullptr));
    const PropertyList properties(H5Pcreate(H5P_DATASET_CREATE));
    REQUIRE(H5Pset_chunk(properties.id(), 1, &one) >= 0);
    REQUIRE(H5Pset_deflate(properties.id(), 1) >= 0);
    const Dataset data(H5Dcreate2(file.id(), "data", H5T_STD_I32LE, space.id(), H5P_DEFAULT,
                                  properties.id(), H5P_DEFAULT));
    for (hsize_t chunk = 0; chunk < kLength; ++chunk) {
      const std::vector<char> bytes(kBytes, static_cast<char>(chunk % 251));
      REQUIRE(H5Dwrite_chunk(data.id(), H5P_DEFAULT, 0, &chunk, bytes.size(), bytes.data()) >= 0);
    }
  }
  // The rest are nodes of the index, each written once or twice.
  CHECK(disk.mutations() < 300);
  const File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const Dataset data(H5Dopen2(file.id(), "data", H5P_DEFAULT));
  for (hsize_t chunk = 0; chunk < kLength; chunk += 7) {
    std::vector<char> bytes(kBytes);
    std::uint32_t mask = 1;
    REQUIRE(H5Dread_chunk(data.id(), H5P_DEFAULT, &chunk, &mask, bytes.data()) >= 0);
    REQUIRE(bytes == std::vector<char>(kBytes, static_cast<char>(chunk % 251)));
  }
}

TEST_CASE("Any failing write ends in one error and HDF5 never knows") {
  const TempFolder folder;
  const std::string path = folder.file("a.h5");
  BrokenDisk healthy(0, 0, false);
  {
    const auto state = std::make_shared<OutputState>(healthy);
    make_file(path, state);
    finish(*state);
  }
  REQUIRE(healthy.mutations() > 10);
  for (const bool persistent : {false, true}) {
    for (std::int64_t nth = 1; nth <= healthy.mutations(); ++nth) {
      std::filesystem::remove(path);
      BrokenDisk disk(nth, ENOSPC, persistent);
      const auto state = std::make_shared<OutputState>(disk);
      make_file(path, state);
      finish(*state);
      INFO("mutation " << nth << (persistent ? " and all later ones" : ""));
      REQUIRE(state->failed());
      CHECK(state->failure()->error == ENOSPC);
      const std::string text = failure_text(*state);
      CHECK(text.find(path + ": No space left on device") != std::string::npos);
      CHECK(text.find("cannot ") == 0);
    }
  }
}

TEST_CASE("A file size limit is reported with the byte it stopped at") {
  const TempFolder folder;
  const std::string path = folder.file("a.h5");
  rlimit before = {};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit = {.rlim_cur = 30'000, .rlim_max = before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const auto state = std::make_shared<OutputState>();
  make_file(path, state);
  finish(*state);
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, old_handler);
  CHECK(failure_text(*state) == "cannot write " + path + ": File too large (at byte 30000)");
  CHECK(state->bytes_written() < state->size());
}

TEST_CASE("The reason of a failed create or open can be had") {
  const TempFolder folder;
  const QuietErrors quiet;
  const auto state = std::make_shared<OutputState>();
  const PropertyList access = make_output_access(state);
  const std::string path = folder.file("missing/a.h5");
  CHECK(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()) < 0);
  CHECK(failure_text(*state) == "cannot open " + path + ": No such file or directory");
  // HDF5 itself tries an open that fails before it creates a file; that is no failure of the job.
  const std::string good = folder.file("a.h5");
  make_file(good, state);
  CHECK_FALSE(state->failed());
}

TEST_CASE("An exclusive create refuses an existing file") {
  const TempFolder folder;
  const QuietErrors quiet;
  const std::string path = folder.file("a.h5");
  make_file(path, std::make_shared<OutputState>());
  const std::string before = content_of(path);
  const auto state = std::make_shared<OutputState>();
  const PropertyList access = make_output_access(state);
  CHECK(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.id()) < 0);
  CHECK(content_of(path) == before);
}

TEST_CASE("Descriptors are not inherited and nothing is locked") {
  const TempFolder folder;
  const std::string path = folder.file("a.h5");
  const auto state = std::make_shared<OutputState>();
  const PropertyList access = make_output_access(state);
  const File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()));
  REQUIRE(file.valid());
  CHECK((fcntl(state->descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
  const std::int64_t other = posix_file_ops().open(path, O_RDWR, 0);
  REQUIRE(other >= 0);
  CHECK(posix_file_ops().try_lock(static_cast<int>(other)) == 0);
  posix_file_ops().close(static_cast<int>(other));
}

TEST_CASE("Swallowed raw data is kept up to a bound, metadata always") {
  const TempFolder folder;
  BrokenDisk disk(1, EIO, true);
  OutputState state(disk);
  REQUIRE(state.open(folder.file("a"), O_RDWR | O_CREAT));
  const std::vector<std::byte> block(std::size_t{1} << 20, std::byte{7});
  const std::int64_t blocks = kKeptRawBytes / std::ssize(block);
  for (std::int64_t at = 0; at < blocks + 4; ++at) {
    state.write(OutputState::Content::raw, at * std::ssize(block), block);
  }
  CHECK(state.overlay().bytes() == kKeptRawBytes);
  const std::int64_t beyond = (blocks + 2) * std::ssize(block);
  std::vector<std::byte> back(4, std::byte{1});
  REQUIRE(state.read(beyond, back));
  CHECK(back == std::vector<std::byte>(4, std::byte{0}));
  state.write(OutputState::Content::metadata, beyond, std::span(block).first(3));
  REQUIRE(state.read(beyond, back));
  CHECK(back == std::vector<std::byte>{std::byte{7}, std::byte{7}, std::byte{7}, std::byte{0}});
  CHECK(state.size() == (blocks + 4) * std::ssize(block));
  CHECK(state.disk_size() == 0);
}

}  // namespace ziggurat::h5
