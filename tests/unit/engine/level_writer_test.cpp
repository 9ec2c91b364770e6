#include "engine/level_writer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>

#include "blocks.hpp"
#include "cool/column_reader.hpp"
#include "engine/work_folder.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::engine {
namespace {

using Counts = std::vector<std::int64_t>;

// Every cell of the upper triangle of 200 bins: 20,100 pixels, more than a chunk.
Table<std::int32_t> triangle() {
  Table<std::int32_t> table;
  for (std::uint32_t row = 0; row < 200; ++row) {
    for (std::uint32_t column = row; column < 200; ++column) table.push_back({row, column, 1});
  }
  return table;
}

cool::LevelLayout layout_with(NumberType type) {
  cool::LevelLayout layout;
  layout.bins = genome::BinTable::uniform({{"chr1", 995}, {"chr2", 1000}}, 10);
  layout.fields = {{"count", type}};
  return layout;
}

cool::LevelSummary summary() {
  cool::LevelSummary summary;
  summary.assembly = "unknown";
  summary.metadata = "{}";
  summary.creation_date = "2020-01-01T00:00:00";
  return summary;
}

// One level in a folder of its own.
class OneLevel {
 public:
  explicit OneLevel(NumberType type = NumberType::i32, int threads = 1)
      : home_(std::filesystem::temp_directory_path().string(), "level"),
        path_(home_.file("level.cool")),
        pool_(threads, 6) {
    writer_.emplace(path_, layout_with(type), nullptr, pool_, LogPlace{});
  }

  [[nodiscard]] LevelWriter& writer() { return *writer_; }
  void finish() { writer_->finish(summary()); }

  [[nodiscard]] std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] cool::Description description() const {
    return cool::describe(h5::open_readonly(path_), path_, "/", {});
  }
  [[nodiscard]] Counts column(const std::string& path) const {
    const h5::File file = h5::open_readonly(path_);
    return h5::read_integers(h5::open_column(file.id(), path, "FILE"));
  }

 private:
  WorkFolder home_;
  std::string path_;
  std::optional<LevelWriter> writer_;
  EncoderPool pool_;  // goes before the writer, whose chunks it works on
};

}  // namespace

TEST_CASE("blocks become a level with its index and its sum") {
  OneLevel level;
  Table<std::int32_t> table{{0, 0, 3}, {0, 199, -1}, {2, 5, 7}, {199, 199, 2}};
  add_blocks(level.writer(), table, {1, 3});
  CHECK(level.writer().n_pixels() == 4);
  REQUIRE(level.writer().sum());
  CHECK(level.writer().sum()->integer == 11);
  level.finish();
  CHECK(level.column("pixels/bin1_id") == Counts{0, 0, 2, 199});
  CHECK(level.column("pixels/bin2_id") == Counts{0, 199, 5, 199});
  CHECK(level.column("pixels/count") == Counts{3, -1, 7, 2});
  const Counts offsets = level.column("indexes/bin1_offset");
  REQUIRE(offsets.size() == 201);
  CHECK(Counts(offsets.begin(), offsets.begin() + 5) == Counts{0, 2, 2, 3, 3});
  CHECK(offsets[199] == 3);
  CHECK(offsets[200] == 4);
  CHECK(level.writer().notes().empty());
}

TEST_CASE("neither cuts nor threads change a byte of the file") {
  const Table<std::int32_t> table = triangle();
  OneLevel whole;
  add_blocks(whole.writer(), table, {});
  whole.finish();
  CHECK(whole.description().n_pixels == 20100);
  std::mt19937 random(1);
  for (const int threads : {1, 3}) {
    std::vector<std::size_t> cuts{16384};
    for (int i = 0; i < 30; ++i) cuts.push_back(random() % table.size());
    std::sort(cuts.begin(), cuts.end());
    OneLevel cut(NumberType::i32, threads);
    add_blocks(cut.writer(), table, cuts);
    cut.finish();
    CHECK(cut.bytes() == whole.bytes());
  }
}

TEST_CASE("a count that does not fit widens what is stored, what waits, and what comes") {
  Table<std::int32_t> table = triangle();
  for (TestPixel<std::int32_t>& pixel : table) pixel.value = static_cast<std::int32_t>(pixel.row);
  table[17000].value = 256;
  table[19000].value = 70000;
  for (const int threads : {1, 3}) {
    OneLevel level(NumberType::u8, threads);
    add_blocks(level.writer(), table, {16000, 16800, 17500, 18000});
    CHECK(level.writer().layout().fields.front().type == NumberType::u32);
    level.finish();
    CHECK(level.writer().notes() ==
          std::vector<std::string>{"count is stored as uint16: sums do not fit uint8",
                                   "count is stored as uint32: sums do not fit uint16"});
    CHECK(level.description().fields.front().type == NumberType::u32);
    Counts expected;
    for (const TestPixel<std::int32_t>& pixel : table) expected.push_back(pixel.value);
    CHECK(level.column("pixels/count") == expected);
  }
}

TEST_CASE("a level may have no pixel") {
  OneLevel level;
  level.finish();
  CHECK(level.description().n_pixels == 0);
  CHECK(level.column("indexes/bin1_offset") == Counts(201, 0));
}

TEST_CASE("the sum is told in the nature of the counts") {
  OneLevel reals(NumberType::f64);
  add_blocks(reals.writer(), Table<double>{{0, 0, 0.5}, {1, 1, 0.25}}, {1});
  CHECK(reals.writer().sum()->is_float);
  CHECK(reals.writer().sum()->real == 0.75);
  OneLevel naturals(NumberType::u16);
  add_blocks(naturals.writer(), Table<std::int32_t>{{0, 0, 5}}, {});
  CHECK(naturals.writer().sum()->is_unsigned);
  CHECK_FALSE(naturals.writer().sum()->is_float);
}

TEST_CASE("readers that went wrong are refused") {
  OneLevel level;
  const auto refusal = [&](const Table<std::int32_t>& table) -> std::string {
    try {
      add_blocks(level.writer(), table, {});
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::worker);
      return error.what();
    }
    return "nothing";
  };
  CHECK(refusal({{5, 5, 1}}) == "nothing");
  CHECK(refusal({{4, 5, 1}}) == "a reader sent row 4 after row 5 of 200");
  CHECK(refusal({{200, 5, 1}}) == "a reader sent row 200 after row 5 of 200");
  reader::Block block;
  block.forms = {reader::ValueForm::i32, reader::ValueForm::i32};
  CHECK_THROWS_WITH(level.writer().add(block, {}), "a reader sent 2 value columns where 1 belong");
}

TEST_CASE("pieces of stored chunks have to come in order") {
  OneLevel level;
  const std::vector<std::byte> bytes(4);
  CHECK_THROWS_WITH(level.writer().add_stored({0, 0, 0, 8, 4, 4}, bytes),
                    "a reader sent part of a stored chunk out of order");
  CHECK_THROWS_AS(level.writer().add_stored({3, 0, 0, 8, 0, 4}, bytes), Error);
  CHECK_THROWS_AS(level.writer().add_stored({0, 0, 0, 3, 0, 4}, bytes), Error);
}

}  // namespace ziggurat::engine
