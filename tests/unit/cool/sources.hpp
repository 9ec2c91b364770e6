// Files for the tests of this layer, written with HDF5's own calls.
#pragma once

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "h5/chunk_io.hpp"
#include "h5/object.hpp"
#include "h5/types.hpp"
#include "h5/value.hpp"

namespace ziggurat::cool {

// Has to come before any other call of HDF5, also those behind the names of its types.
inline const bool kUntrusted = (h5::enter_untrusted_mode(), true);

// A folder of its own for a test, gone with it.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cool-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

 private:
  std::string folder_;
};

// How a dataset is stored; chunk 0: in one piece.
struct Stored {
  hid_t type = H5T_STD_I64LE;
  hsize_t chunk = 0;
  bool shuffle = false;
  bool deflate = false;
};

// Any HDF5 file while it is made or changed by a test. Paths below the root; what is there is
// replaced.
class RawFile {
 public:
  static RawFile create(const std::string& path) {
    return RawFile(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  }
  static RawFile change(const std::string& path) {
    return RawFile(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  }

  [[nodiscard]] hid_t id() const { return file_.id(); }
  void group(const std::string& path) { static_cast<void>(h5::create_group(id(), path)); }
  void drop(const std::string& path) { h5::remove_object(id(), path); }

  void integers(const std::string& path, const std::vector<std::int64_t>& values,
                const Stored& stored = {}) {
    write(path, values.size(), values.data(), H5T_NATIVE_INT64, stored);
  }
  void reals(const std::string& path, const std::vector<double>& values, const Stored& stored) {
    write(path, values.size(), values.data(), H5T_NATIVE_DOUBLE, stored);
  }
  void texts(const std::string& path, const std::vector<std::string>& values) {
    std::size_t width = 1;
    for (const std::string& value : values) width = std::max(width, value.size());
    const h5::Datatype type = h5::fixed_text_type(width, false);
    std::string bytes(values.size() * width, '\0');
    for (std::size_t i = 0; i < values.size(); ++i) values[i].copy(&bytes[i * width], width);
    write(path, values.size(), bytes.data(), type.id(), {type.id()});
  }
  // Elements of an enumeration with these members.
  void codes(const std::string& path,
             const std::vector<std::pair<std::string, std::int32_t>>& members,
             const std::vector<std::int32_t>& values) {
    const h5::Datatype type = h5::enumeration_type(members);
    write(path, values.size(), values.data(), type.id(), {type.id()});
  }
  // Elements that are never written.
  void unwritten(const std::string& path, hsize_t n, const Stored& stored) {
    write(path, n, nullptr, stored.type, stored);
  }

 private:
  explicit RawFile(hid_t file) : file_(file) { REQUIRE(file_.valid()); }

  void write(const std::string& path, hsize_t n, const void* values, hid_t memory_type,
             const Stored& stored) {
    if (h5::has_object(id(), path)) drop(path);
    const h5::PropertyList creation(H5Pcreate(H5P_DATASET_CREATE));
    if (stored.chunk > 0) REQUIRE(H5Pset_chunk(creation.id(), 1, &stored.chunk) >= 0);
    if (stored.shuffle) REQUIRE(H5Pset_shuffle(creation.id()) >= 0);
    if (stored.deflate) REQUIRE(H5Pset_deflate(creation.id(), 4) >= 0);
    const h5::PropertyList links(H5Pcreate(H5P_LINK_CREATE));
    REQUIRE(H5Pset_create_intermediate_group(links.id(), 1) >= 0);
    const h5::Dataspace space(H5Screate_simple(1, &n, nullptr));
    const h5::Dataset dataset(H5Dcreate2(id(), path.c_str(), stored.type, space.id(), links.id(),
                                         creation.id(), H5P_DEFAULT));
    REQUIRE(dataset.valid());
    if (values == nullptr) return;
    REQUIRE(H5Dwrite(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  }

  h5::File file_;
};

// A sound collection: chromosomes a of 35 bp and b of 20 bp, bins of 10 bp, five pixels.
inline void add_collection(RawFile& file, const std::string& group = "") {
  file.texts(group + "/chroms/name", {"a", "b"});
  file.integers(group + "/chroms/length", {35, 20});
  file.integers(group + "/bins/chrom", {0, 0, 0, 0, 1, 1});
  file.integers(group + "/bins/start", {0, 10, 20, 30, 0, 10});
  file.integers(group + "/bins/end", {10, 20, 30, 35, 10, 20});
  file.integers(group + "/pixels/bin1_id", {0, 0, 1, 3, 4});
  file.integers(group + "/pixels/bin2_id", {0, 5, 2, 3, 5});
  file.integers(group + "/pixels/count", {7, 1, 2, 9, 4}, {H5T_STD_I32LE, 3, true, true});
  file.integers(group + "/indexes/chrom_offset", {0, 4, 6});
  file.integers(group + "/indexes/bin1_offset", {0, 2, 3, 3, 4, 5, 5});
}

inline std::string make_source(const Scratch& scratch, const std::string& name = "in.cool") {
  RawFile file = RawFile::create(scratch.file(name));
  add_collection(file);
  return scratch.file(name);
}

}  // namespace ziggurat::cool
