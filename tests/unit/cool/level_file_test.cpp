#include "cool/level_file.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <map>

#include "cool/weight_column.hpp"
#include "levels.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::cool {
namespace {

using Texts = std::vector<std::string>;

Description described(const std::string& path) {
  return describe(h5::open_readonly(path), path, "/", {});
}

const h5::Value& attribute(const Description& map, const std::string& name) {
  for (const h5::NamedValue& each : map.attributes) {
    if (each.name == name) return each.value;
  }
  FAIL("no attribute " << name);
  throw 0;
}

// While it lives, files cannot grow past `bytes`.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit small{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int);
};

}  // namespace

TEST_CASE("what is written is what is read") {
  const Scratch scratch;
  const Triangle map(200);
  const std::string path = scratch.file("level.cool");
  {
    LevelFile file(path, layout_of_200_bins(), nullptr);
    store_all(file, map);
    CHECK(scratch.names() == Texts{"level.cool.tmp"});
    file.finish(summary_of(map));
  }
  CHECK(scratch.names() == Texts{"level.cool"});
  check_pixels(path, map);

  const Description read = described(path);
  CHECK(read.notes.empty());
  CHECK(read.bins.chromosomes() == layout_of_200_bins().bins.chromosomes());
  CHECK(read.bins.n_bins() == 200);
  CHECK(read.bins.bin_size() == 10);
  CHECK(read.n_pixels == 20100);
  CHECK(read.assembly == "hg38");
  CHECK(read.metadata == R"({"a": 1})");
  CHECK(read.bin_columns.empty());
  for (const PixelColumn* column : {&read.bin1, &read.bin2, &read.fields.at(0)}) {
    CHECK(column->copyable);
    CHECK(column->chunk_length == 16384);
    CHECK(column->shuffle);
    CHECK(column->deflate_level == 6);
  }
  CHECK(read.bin1.type == NumberType::i64);
  CHECK(read.fields.at(0).type == NumberType::i32);
}

TEST_CASE("attributes say what the tables hold") {
  const Scratch scratch;
  const Triangle map(200);
  const std::string path = scratch.file("level.cool");
  LevelFile file(path, layout_of_200_bins(), nullptr);
  store_all(file, map);
  file.finish(summary_of(map));
  const Description read = described(path);
  const auto text = [&](const char* name) { return h5::as_text(attribute(read, name)); };
  const auto number = [&](const char* name) { return h5::as_int(attribute(read, name)); };
  CHECK(text("format") == "HDF5::Cooler");
  CHECK(number("format-version") == 3);
  CHECK(text("bin-type") == "fixed");
  CHECK(number("bin-size") == 10);
  CHECK(text("storage-mode") == "symmetric-upper");
  CHECK(number("nchroms") == 2);
  CHECK(number("nbins") == 200);
  CHECK(number("nnz") == 20100);
  CHECK(text("creation-date") == "2020-01-01T00:00:00");
  CHECK(text("genome-assembly") == "hg38");
  // Row r has 200 - r pixels of 7 r + 1 and a part of 0 to 4 that columns give.
  std::int64_t sum = 0;
  for (std::int64_t r = 0; r < 200; ++r) sum += (200 - r) * (7 * r + 1);
  for (std::int64_t c = 0; c < 200; ++c) sum += (c + 1) * (c % 5);
  CHECK(number("sum") == sum);
}

TEST_CASE("a map without pixels is a sound file") {
  const Scratch scratch;
  const std::string path = scratch.file("level.cool");
  LevelFile file(path, layout_of_200_bins(), nullptr);
  LevelSummary summary = summary_of(Triangle(0));
  summary.row_offsets.assign(201, 0);
  file.finish(summary);
  CHECK(described(path).n_pixels == 0);
  CHECK(described(path).bins.n_bins() == 200);
}

TEST_CASE("variable bins and square maps keep their nature") {
  const Scratch scratch;
  const std::string path = scratch.file("level.cool");
  LevelLayout layout;
  layout.mode = StorageMode::square;
  layout.fields = {{"count", NumberType::i32}};
  layout.bins = genome::BinTable::explicit_bins({{"a", 40}, {"b", 5}}, {0, 3, 4}, {0, 7, 30, 0},
                                                {7, 30, 40, 5}, std::nullopt);
  LevelFile file(path, layout, nullptr);
  LevelSummary summary = summary_of(Triangle(0));
  summary.row_offsets.assign(5, 0);
  file.finish(summary);
  const Description read = described(path);
  CHECK(read.mode == StorageMode::square);
  CHECK_FALSE(read.bins.bin_size());
  CHECK(read.bins.start(2) == 30);
  CHECK(read.bins.end(3) == 5);
  CHECK(h5::as_text(attribute(read, "bin-type")) == "variable");
  CHECK(h5::as_text(attribute(read, "bin-size")) == "null");
}

TEST_CASE("variable bins that happen to be even stay variable") {
  const Scratch scratch;
  const std::string path = scratch.file("level.cool");
  LevelLayout layout;
  layout.bins = genome::BinTable::explicit_bins({{"a", 25}, {"b", 10}}, {0, 3, 4}, {0, 10, 20, 0},
                                                {10, 20, 25, 10}, std::nullopt);
  LevelFile file(path, layout, nullptr);
  LevelSummary summary = summary_of(Triangle(0));
  summary.row_offsets.assign(5, 0);
  file.finish(summary);
  const Description read = described(path);
  CHECK_FALSE(read.bins.bin_size());
  CHECK(read.bins.start(2) == 20);
  CHECK(read.bins.end(2) == 25);
}

TEST_CASE("positions beyond 32 bits are held") {
  const Scratch scratch;
  const std::string path = scratch.file("level.cool");
  LevelLayout layout;
  layout.bins = genome::BinTable::uniform({{"long", 3000000000}, {"short", 5}}, 1000000000);
  LevelFile file(path, layout, nullptr);
  LevelSummary summary = summary_of(Triangle(0));
  summary.row_offsets.assign(5, 0);
  file.finish(summary);
  const Description read = described(path);
  CHECK(read.bins.chromosomes().front().length == 3000000000);
  CHECK(read.bins.end(2) == 3000000000);
}

TEST_CASE("as many chromosome names as an enumeration holds, and one more") {
  const Scratch scratch;
  for (const int n : {5459, 5460}) {
    LevelLayout layout;
    std::vector<genome::Chromosome> chromosomes;
    for (int i = 0; i < n; ++i) chromosomes.push_back({"c" + std::to_string(100000 + i), 10});
    layout.bins = genome::BinTable::uniform(chromosomes, 10);
    const std::string path = scratch.file(std::to_string(n) + ".cool");
    LevelFile file(path, layout, nullptr);
    LevelSummary summary = summary_of(Triangle(0));
    summary.row_offsets.assign(static_cast<std::size_t>(n) + 1, 0);
    file.finish(summary);
    CHECK(described(path).bins.chromosomes() == chromosomes);
    CHECK(described(path).bins.n_bins() == n);
    const h5::File read = h5::open_readonly(path);
    CHECK(h5::is_enumeration(h5::open_column(read.id(), "bins/chrom", path).type) == (n == 5459));
  }
}

TEST_CASE("a column that outgrew its type is widened with what was stored") {
  const Scratch scratch;
  const Triangle map(200);
  const std::string path = scratch.file("level.cool");
  LevelFile file(path, layout_of_200_bins(), nullptr);
  store_chunk<std::int32_t>(file, map, 0);
  file.widen(0, NumberType::i64);
  CHECK(file.layout().fields.front().type == NumberType::i64);
  store_chunk<std::int64_t>(file, map, kChunkLength);
  file.finish(summary_of(map));
  check_pixels(path, map);
  CHECK(described(path).fields.size() == 1);
  CHECK(described(path).fields.front().type == NumberType::i64);
}

TEST_CASE("widening takes a short last chunk and an empty column as well") {
  const Scratch scratch;
  const Triangle map(200);
  const std::string path = scratch.file("level.cool");
  LevelLayout layout = layout_of_200_bins();
  layout.fields.push_back({"other", NumberType::u8});
  LevelFile file(path, layout, nullptr);
  file.widen(1, NumberType::u16);
  store_all(file, map);
  file.widen(0, NumberType::i64);
  const std::vector<std::uint16_t> other(map.rows.size(), 300);
  for (std::size_t first : {std::size_t{0}, std::size_t{kChunkLength}}) {
    const std::size_t end = std::min<std::size_t>(first + kChunkLength, other.size());
    file.store(kFirstField + 1, first, end - first, 0, encoded(other, first, end));
  }
  file.finish(summary_of(map));
  check_pixels(path, map);
  const h5::File read = h5::open_readonly(path);
  pixels::Column values = pixels::make_column(pixels::ColumnKind::integer);
  reader_of(read, "", "other", other.size()).read_values(0, other.size(), values);
  CHECK(values == pixels::Column(std::vector<std::int64_t>(other.size(), 300)));
}

TEST_CASE("chunks of a source are kept as they were, and so is all else but columns of bins") {
  const Scratch scratch;
  const std::string from = make_source(scratch);
  {
    RawFile file = RawFile::change(from);
    for (const char* id : {"/pixels/bin1_id", "/pixels/bin2_id"}) {
      file.integers(id, {0, 1, 2, 3, 4}, {H5T_STD_I32LE, 2, false, true});
    }
    file.reals("/bins/weight", {1, 2, 3, 4, 5, 6}, {H5T_IEEE_F64LE});
    h5::write_text(file.id(), "generated-by", "somebody");
    h5::write_int64(file.id(), "nbins", 77);
  }
  const Description source = described(from);
  const std::string to = scratch.file("out.cool");
  LevelLayout layout;
  layout.bins = source.bins;
  layout.fields = {{"count", NumberType::i32}};
  LevelFile file(to, layout, &source);
  CHECK(file.chunk_length(kBin1) == 2);
  CHECK(file.chunk_length(kFirstField) == 3);
  const h5::File read = h5::open_readonly(from);
  std::map<std::string, std::size_t> chunks;
  std::size_t number = 0;
  for (const std::string name : {"bin1_id", "bin2_id", "count"}) {
    ColumnReader reader = reader_of(read, "", name, 5);
    reader.observe_chunks([&](const StoredChunk& chunk) {
      ++chunks[name];
      file.store_kept(number, chunk.index, chunk.mask, chunk.bytes);
    });
    reader.pass_chunks(0, 5);
    ++number;
  }
  CHECK(chunks == std::map<std::string, std::size_t>{{"bin1_id", 3}, {"bin2_id", 3}, {"count", 2}});
  LevelSummary summary = summary_of(Triangle(0));
  summary.row_offsets = {0, 1, 2, 3, 4, 5, 5};
  summary.sum = CountSum{.integer = 23};
  summary.source = &source;
  file.finish(summary);

  const Description kept = described(to);
  CHECK(kept.n_pixels == 5);
  CHECK(kept.bin1.type == NumberType::i32);
  CHECK(kept.bin1.chunk_length == 2);
  CHECK_FALSE(kept.bin1.shuffle);
  CHECK(kept.bin1.deflate_level == 4);
  CHECK(h5::as_text(attribute(kept, "generated-by")) == "somebody");
  CHECK(h5::as_int(attribute(kept, "nbins")) == 6);
  CHECK(kept.bin_columns.empty());
  add_bin_columns(to, source.bin_columns, std::nullopt);
  const Description whole = described(to);
  REQUIRE(whole.bin_columns.size() == 1);
  CHECK(whole.bin_columns[0].value.bytes == source.bin_columns[0].value.bytes);
  const h5::File copy = h5::open_readonly(to);
  std::vector<std::uint32_t> ids(5);
  reader_of(copy, "", "bin2_id", 5).read_ids(0, ids);
  CHECK(ids == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
  std::vector<std::int32_t> counts(5);
  reader_of(copy, "", "count", 5).read_int32(0, counts);
  CHECK(counts == std::vector<std::int32_t>{7, 1, 2, 9, 4});
}

TEST_CASE("a level that is not finished leaves no file") {
  const Scratch scratch;
  const Triangle map(200);
  {
    LevelFile file(scratch.file("level.cool"), layout_of_200_bins(), nullptr);
    store_all(file, map);
  }
  CHECK(scratch.names().empty());
}

TEST_CASE("a full disk is told while chunks are stored, and leaves no file") {
  const Scratch scratch;
  const Triangle map(200);
  const std::string path = scratch.file("level.cool");
  {
    const SmallDisk disk(8192);
    LevelFile file(path, layout_of_200_bins(), nullptr);
    const std::vector<std::byte> chunk(kChunkLength * 8, std::byte{1});
    try {
      for (const std::size_t column : {kBin1, kBin2, kFirstField}) {
        file.store(column, 0, kChunkLength, 3, chunk);
      }
      FAIL("stored 384 KiB in 8");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::io);
      CHECK_THAT(error.what(), Catch::Contains(path));
    }
  }
  CHECK(scratch.names().empty());
}

TEST_CASE("a full disk at the end gives nothing the final name") {
  const Scratch scratch;
  {
    const SmallDisk disk(16384);
    LevelFile file(scratch.file("level.cool"), layout_of_200_bins(), nullptr);
    LevelSummary summary = summary_of(Triangle(0));
    summary.row_offsets.assign(201, 0);
    summary.metadata.assign(60000, 'x');
    CHECK_THROWS_AS(file.finish(summary), Error);
  }
  CHECK(scratch.names().empty());
}

TEST_CASE("a final name that cannot be had is an error that leaves no file") {
  const Scratch scratch;
  const std::string path = scratch.file("level.cool");
  std::filesystem::create_directory(path);
  {
    LevelFile file(path, layout_of_200_bins(), nullptr);
    LevelSummary summary = summary_of(Triangle(0));
    summary.row_offsets.assign(201, 0);
    CHECK_THROWS_WITH(file.finish(summary), Catch::StartsWith("cannot rename "));
  }
  CHECK(scratch.names() == Texts{"level.cool"});
  CHECK_THROWS_AS(LevelFile(scratch.file("none/level.cool"), layout_of_200_bins(), nullptr), Error);
}

}  // namespace ziggurat::cool
