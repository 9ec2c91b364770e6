#include <catch2/catch.hpp>

#include "cool/description.hpp"
#include "sources.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::cool {
namespace {

using Texts = std::vector<std::string>;

// A sound file, and what is said of it after a change. FILE stands for its path in texts.
class Described {
 public:
  Described() : path_(make_source(scratch_)) {}

  template <typename Change>
  Described& after(Change change) {
    RawFile file = RawFile::change(path_);
    change(file);
    return *this;
  }
  [[nodiscard]] Description result(const std::string& group = "/", const Texts& fields = {}) const {
    return describe(h5::open_readonly(path_), path_, group, fields);
  }
  [[nodiscard]] Texts notes() const {
    Texts all;
    for (const std::string& note : result().notes) all.push_back(anonymous(note));
    return all;
  }
  [[nodiscard]] std::string refusal(ErrorCode code = ErrorCode::format,
                                    const std::string& group = "/",
                                    const Texts& fields = {}) const {
    try {
      (void)result(group, fields);
    } catch (const Error& error) {
      CHECK(error.code() == code);
      return anonymous(error.what());
    }
    return "nothing";
  }

 private:
  [[nodiscard]] std::string anonymous(std::string text) const {
    for (std::size_t at = 0; (at = text.find(path_)) != std::string::npos;) {
      text.replace(at, path_.size(), "FILE");
    }
    return text;
  }

  Scratch scratch_;
  std::string path_;
};

// What is said of the sound file with one column of integers replaced.
std::string refusal_with(const std::string& path, const std::vector<std::int64_t>& values) {
  return Described().after([&](RawFile& f) { f.integers(path, values); }).refusal();
}

}  // namespace

TEST_CASE("a sound collection is described without notes") {
  const Description map = Described().result();
  CHECK(map.bins.chromosomes() == std::vector<genome::Chromosome>{{"a", 35}, {"b", 20}});
  CHECK(map.bins.chrom_offsets() == std::vector<std::int64_t>{0, 4, 6});
  CHECK(map.bins.bin_size() == 10);
  CHECK(map.bins.end(3) == 35);
  CHECK(map.mode == StorageMode::symmetric_upper);
  CHECK(map.n_pixels == 5);
  CHECK(map.assembly == "unknown");
  CHECK(map.metadata == "{}");
  REQUIRE(map.fields.size() == 1);
  CHECK(map.fields[0].name == "count");
  CHECK(map.fields[0].type == NumberType::i32);
  CHECK(map.fields[0].copyable);
  CHECK(map.fields[0].chunk_length == 3);
  CHECK(map.fields[0].shuffle);
  CHECK(map.fields[0].deflate_level == 4);
  CHECK_FALSE(map.bin1.copyable);
  CHECK(map.notes.empty());
}

TEST_CASE("attributes tell what the tables cannot") {
  Described file;
  const Description map = file.after([](RawFile& f) {
                                h5::write_text(f.id(), "storage-mode", "square");
                                h5::write_text(f.id(), "genome-assembly", "sacCer3");
                                h5::write_text(f.id(), "metadata", R"({"n": 1})");
                              })
                              .result();
  CHECK(map.mode == StorageMode::square);
  CHECK(map.assembly == "sacCer3");
  CHECK(map.metadata == R"({"n": 1})");
  CHECK(map.attributes.size() == 3);
}

TEST_CASE("columns beyond the schema are carried with their attributes") {
  const Description map = Described()
                              .after([](RawFile& f) {
                                f.reals("/bins/weight", {1, 2, 3, 4, 5, 6}, {H5T_IEEE_F64LE});
                                const h5::Column column =
                                    h5::open_column(f.id(), "bins/weight", "");
                                h5::write_int64(column.dataset.id(), "ignore_diags", 2);
                                f.integers("/chroms/order", {1, 0});
                              })
                              .result();
  REQUIRE(map.bin_columns.size() == 1);
  CHECK(map.bin_columns[0].name == "weight");
  CHECK(map.bin_columns[0].value.bytes.size() == 48);
  REQUIRE(map.bin_columns[0].attributes.size() == 1);
  CHECK(map.bin_columns[0].attributes[0].name == "ignore_diags");
  CHECK(h5::as_int(map.bin_columns[0].attributes[0].value) == 2);
  REQUIRE(map.chrom_columns.size() == 1);
  CHECK(map.chrom_columns[0].name == "order");
}

TEST_CASE("value columns come as asked for, or all in name order") {
  Described file;
  file.after([](RawFile& f) { f.integers("/pixels/axe", {1, 1, 1, 1, 1}); });
  const auto names = [&](const Texts& fields) {
    Texts found;
    for (const PixelColumn& field : file.result("/", fields).fields) found.push_back(field.name);
    return found;
  };
  CHECK(names({}) == Texts{"axe", "count"});
  CHECK(names({"count", "axe"}) == Texts{"count", "axe"});
  CHECK(file.refusal(ErrorCode::usage, "/", {"bee"}) ==
        "FILE: pixel value column 'bee' is missing");
}

TEST_CASE("a map that calls itself variable stays so") {
  const Description map = Described()
                              .after([](RawFile& f) {
                                h5::write_text(f.id(), "bin-type", "variable");
                                f.integers("/bins/start", {0, 10, 20, 30, 0, 13});
                                f.integers("/bins/end", {10, 20, 30, 35, 13, 20});
                              })
                              .result();
  CHECK_FALSE(map.bins.bin_size());
  CHECK(map.bins.start(5) == 13);
}

TEST_CASE("what can be rebuilt is noted") {
  CHECK(Described().after([](RawFile& f) { f.drop("/indexes/chrom_offset"); }).notes() ==
        Texts{"FILE: indexes/chrom_offset is missing and was rebuilt from the bins"});
  CHECK(Described()
            .after([](RawFile& f) {
              f.integers("/indexes/chrom_offset", {0, 3, 6});
            })
            .notes() ==
        Texts{"FILE: indexes/chrom_offset disagrees with the bins and was rebuilt from them"});
  CHECK(Described().after([](RawFile& f) { h5::write_int64(f.id(), "nbins", 7); }).notes() ==
        Texts{"FILE: attribute nbins says 7, the table has 6 rows; the table counts"});
  CHECK(Described().after([](RawFile& f) { h5::write_int64(f.id(), "nnz", 4); }).notes() ==
        Texts{"FILE: attribute nnz says 4, the pixel table has 5 rows; the table counts"});
}

TEST_CASE("attributes that say something else than the tables or the format are refused") {
  const auto refusal = [](auto write) { return Described().after(write).refusal(); };
  CHECK(refusal([](RawFile& f) { h5::write_text(f.id(), "format", "HDF5::Other"); }) ==
        "FILE: attribute format says 'HDF5::Other' where a map says 'HDF5::Cooler'");
  CHECK(refusal([](RawFile& f) { h5::write_int64(f.id(), "format", 7); }) ==
        "FILE: attribute format is not text");
  CHECK(refusal([](RawFile& f) { h5::write_int64(f.id(), "format-version", 4); }) ==
        "FILE: format-version 4 is newer than this program knows (3)");
  CHECK(refusal([](RawFile& f) { h5::write_text(f.id(), "bin-type", "round"); }) ==
        "FILE: bin-type 'round' is not known (fixed or variable)");
  CHECK(refusal([](RawFile& f) { h5::write_int64(f.id(), "bin-size", 0); }) ==
        "FILE: attribute bin-size '0' is no width in base pairs");
  CHECK(refusal([](RawFile& f) { h5::write_text(f.id(), "bin-size", "many"); }) ==
        "FILE: attribute bin-size 'many' is no width in base pairs");
  CHECK(refusal([](RawFile& f) { h5::write_int64(f.id(), "bin-size", 1000); }) ==
        "FILE/bins: attribute bin-size says 1000, but the bins are 10 wide");
}

TEST_CASE("a table longer than index and attribute agree on ends where they say") {
  const Description map = Described()
                              .after([](RawFile& f) {
                                h5::write_int64(f.id(), "nnz", 4);
                                f.integers("/indexes/bin1_offset", {0, 2, 3, 3, 4, 4, 4});
                              })
                              .result();
  CHECK(map.n_pixels == 4);
  CHECK(map.notes.empty());
}

TEST_CASE("bins/chrom may hold the names themselves") {
  Described file;
  file.after([](RawFile& f) { f.texts("/bins/chrom", {"a", "a", "a", "a", "b", "b"}); });
  CHECK(file.result().bins.chrom_offsets() == std::vector<std::int64_t>{0, 4, 6});
  file.after([](RawFile& f) { f.texts("/bins/chrom", {"a", "a", "a", "z", "b", "b"}); });
  CHECK(file.refusal() == "FILE/bins/chrom row 3 names 'z', which chroms/name does not have");
}

TEST_CASE("bins/chrom may be an enumeration that says what chroms/name says") {
  const std::vector<std::int32_t> codes{0, 0, 0, 0, 1, 1};
  Described file;
  file.after([&](RawFile& f) { f.codes("/bins/chrom", {{"b", 1}, {"a", 0}}, codes); });
  CHECK(file.result().bins.chrom_offsets() == std::vector<std::int64_t>{0, 4, 6});
  file.after([&](RawFile& f) { f.codes("/bins/chrom", {{"a", 1}, {"b", 0}}, codes); });
  CHECK(file.refusal() ==
        "FILE/bins/chrom: code 1 stands for 'a', which is not that row of chroms/name");
  file.after([&](RawFile& f) { f.codes("/bins/chrom", {{"a", 0}, {"b", 1}, {"c", 2}}, codes); });
  CHECK(file.refusal() ==
        "FILE/bins/chrom: code 2 stands for 'c', which is not that row of chroms/name");
}

TEST_CASE("a place without a collection is refused with what there is instead") {
  CHECK(Described().refusal(ErrorCode::format, "/x") == "FILE has no group /x; coolers are at: /");
  CHECK(Described().refusal(ErrorCode::format, "/bins/start") ==
        "FILE::/bins/start is not a group");
  CHECK(Described().refusal(ErrorCode::format, "/bins") ==
        "no cooler found at FILE::/bins: the file holds several resolutions or groups (/); name "
        "one with FILE::GROUP");
  CHECK(Described().after([](RawFile& f) { f.drop("/bins"); }).refusal() ==
        "FILE: group bins is missing");
  CHECK(Described()
            .after([](RawFile& f) {
              for (const char* part : {"/bins", "/chroms", "/pixels"}) f.drop(part);
            })
            .refusal() == "no cooler found at FILE: not a cooler file");
}

TEST_CASE("a file of many collections is refused with the first dozen") {
  const Scratch scratch;
  const std::string path = scratch.file("many.mcool");
  {
    RawFile file = RawFile::create(path);
    for (int i = 1; i <= 13; ++i) add_collection(file, "/resolutions/" + std::to_string(i * 10));
  }
  std::string list;
  for (int i = 1; i <= 12; ++i) list += "/resolutions/" + std::to_string(i * 10) + ", ";
  CHECK_THROWS_WITH(describe(h5::open_readonly(path), path, "/", {}),
                    "no cooler found at " + path + ": the file holds several resolutions or " +
                        "groups (" + list + "... (13 in all)); name one with " + path + "::GROUP");
  CHECK(describe(h5::open_readonly(path), path, "/resolutions/20", {}).label ==
        path + "::/resolutions/20");
}

TEST_CASE("chromosomes at fault are refused with their row") {
  CHECK(refusal_with("/chroms/length", {35}) ==
        "FILE: chroms/length has 1 rows and chroms/name has 2");
  CHECK(refusal_with("/chroms/length", {35, 0}) == "FILE: chroms/length row 1 (b) is 0");
  CHECK(refusal_with("/chroms/length", {-1, 20}) == "FILE: chroms/length row 0 (a) is -1");
  CHECK(Described()
            .after([](RawFile& f) {
              f.texts("/chroms/name", {"a", "a"});
            })
            .refusal() == "FILE: chroms/name row 1 repeats 'a'");
  CHECK(Described()
            .after([](RawFile& f) {
              f.texts("/chroms/name", {"", "b"});
            })
            .refusal() == "FILE: chroms/name row 0 is empty");
  CHECK(Described()
            .after([](RawFile& f) {
              f.texts("/chroms/name", {"a", std::string(4097, 'b')});
            })
            .refusal() == "FILE: chroms/name row 1 is 4097 bytes long");
  CHECK(refusal_with("/chroms/name", {1, 2}) == "FILE/chroms/name does not hold strings");
}

TEST_CASE("bins at fault are refused with their row") {
  CHECK(refusal_with("/bins/start", {0, 10, 20}) ==
        "FILE: bins/chrom has 6 rows, bins/start 3, bins/end 6");
  CHECK(refusal_with("/bins/chrom", {0, 0, 0, 0, 1, 2}) ==
        "FILE/bins: bin table: row 5: chromosome 2, but there are 2");
  CHECK(refusal_with("/bins/chrom", {0, 0, 1, 0, 1, 1}) ==
        "FILE/bins: bin table: row 3: chromosome 0 after chromosome 1; the bins are not in the "
        "order of the chromosome table");
  CHECK(Described().after([](RawFile& f) { f.drop("/bins/end"); }).refusal() ==
        "FILE/bins/end is missing");
  CHECK(Described()
            .after([](RawFile& f) {
              f.reals("/bins/end", {10, 20, 30, 35, 10, 20}, {H5T_IEEE_F64LE});
            })
            .refusal() == "FILE/bins/end does not hold integers");
}

TEST_CASE("a bin size that the bins do not have is refused") {
  Described file;
  file.after([](RawFile& f) {
    h5::write_int64(f.id(), "bin-size", 10);
    f.integers("/bins/start", {0, 10, 20, 30, 0, 13});
    f.integers("/bins/end", {10, 20, 30, 35, 13, 20});
  });
  CHECK(file.refusal() == "FILE/bins: attribute bin-size says 10, but the bins differ in width");
}

TEST_CASE("pixel columns at fault are refused by name") {
  CHECK(refusal_with("/pixels/bin1_id", {0, 0, 1}) ==
        "FILE: pixels/bin1_id has 3 rows and pixels/bin2_id has 5");
  CHECK(refusal_with("/pixels/count", {1, 2}) ==
        "FILE: pixels/bin1_id has 5 rows and pixels/count has 2");
  CHECK(Described()
            .after([](RawFile& f) { f.drop("/pixels/count"); })
            .refusal(ErrorCode::format, "/", {"count"}) ==
        "FILE: pixel value column 'count' is missing");
  CHECK(Described().after([](RawFile& f) { f.texts("/pixels/count", Texts(5, "x")); }).refusal() ==
        "FILE/pixels/count does not hold plain numbers");
  CHECK(Described()
            .after([](RawFile& f) {
              f.reals("/pixels/bin2_id", {0, 5, 2, 3, 5}, {H5T_IEEE_F32LE});
            })
            .refusal() == "FILE/pixels/bin2_id does not hold integers");
}

TEST_CASE("tables that claim more than a file can hold are refused before they are read") {
  const hsize_t rows = 1000000000;
  CHECK(Described()
            .after([&](RawFile& f) {
              for (const char* name : {"/pixels/bin1_id", "/pixels/bin2_id", "/pixels/count"}) {
                f.unwritten(name, rows, {H5T_STD_I64LE, 1024});
              }
            })
            .refusal() == "FILE/pixels/bin1_id claims 1000000000 rows but only 0 bytes are stored");
}

TEST_CASE("side columns of another length are refused") {
  CHECK(refusal_with("/bins/gc", {1, 2, 3}) == "FILE/bins/gc has 3 rows, the table has 6");
}

TEST_CASE("modes and states that are not known are refused") {
  CHECK(Described()
            .after([](RawFile& f) { h5::write_text(f.id(), "storage-mode", "lower"); })
            .refusal() == "FILE: storage-mode 'lower' is not known (symmetric-upper or square)");
  CHECK(Described()
            .after([](RawFile& f) { h5::write_int64(f.id(), "format-version", 255); })
            .refusal() ==
        "FILE: marked as unfinished (format-version 255): the program that wrote it did not close "
        "it");
}

}  // namespace ziggurat::cool
