#include "cool/column_reader.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "levels.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::cool {
namespace {

using Ids = std::vector<std::uint32_t>;
using Numbers = std::vector<std::int64_t>;

// One column of a file of its own.
class OneColumn {
 public:
  template <typename Write>
  explicit OneColumn(Write write) : path_(scratch_.file("one.h5")) {
    RawFile file = RawFile::create(path_);
    write(file);
  }
  OneColumn(const Numbers& values, const Stored& stored)
      : OneColumn([&](RawFile& file) { file.integers("/x", values, stored); }) {}

  [[nodiscard]] ColumnReader reader() const {
    const h5::File file = h5::open_readonly(path_);
    h5::Column column = h5::open_column(file.id(), "x", "FILE");
    const std::uint64_t length = column.storage.length;
    return {std::move(column), length};
  }
  [[nodiscard]] Ids ids(std::uint64_t first, std::size_t n) const {
    Ids out(n);
    reader().read_ids(first, out);
    return out;
  }
  [[nodiscard]] pixels::Column values(pixels::ColumnKind kind, std::uint64_t first,
                                      std::size_t n) const {
    pixels::Column out = pixels::make_column(kind);
    reader().read_values(first, n, out);
    return out;
  }
  [[nodiscard]] Numbers integers(std::uint64_t first, std::size_t n) const {
    return std::get<Numbers>(values(pixels::ColumnKind::integer, first, n));
  }

 private:
  Scratch scratch_;
  std::string path_;
};

// The ways in which writers store columns; chunks of 4 make the last of 10 elements short.
std::vector<Stored> layouts() {
  std::vector<Stored> all{{H5T_STD_I64LE, 0}};
  for (const bool shuffle : {false, true}) {
    for (const bool deflate : {false, true}) all.push_back({H5T_STD_I64LE, 4, shuffle, deflate});
  }
  return all;
}
std::vector<hid_t> integer_types() {
  return {H5T_STD_I64LE, H5T_STD_I32LE, H5T_STD_I16LE, H5T_STD_U8LE, H5T_STD_U64LE,
          H5T_STD_U32LE, H5T_STD_I64BE, H5T_STD_I32BE, H5T_STD_U16BE};
}
const Numbers kTen{0, 100, 20, 3, 4, 115, 6, 7, 80, 99};

}  // namespace

TEST_CASE("ids and values are the same in every layout and integer type") {
  for (Stored stored : layouts()) {
    for (const hid_t type : integer_types()) {
      stored.type = type;
      const OneColumn column(kTen, stored);
      INFO("chunk " << stored.chunk << ", shuffle " << stored.shuffle << ", deflate "
                    << stored.deflate << ", type " << H5Tget_size(type));
      CHECK(column.ids(0, 10) == Ids{0, 100, 20, 3, 4, 115, 6, 7, 80, 99});
      CHECK(column.ids(3, 6) == Ids{3, 4, 115, 6, 7, 80});
      CHECK(column.ids(9, 1) == Ids{99});
      CHECK(column.integers(0, 10) == kTen);
      CHECK(column.integers(2, 3) == Numbers{20, 3, 4});
    }
  }
}

TEST_CASE("a reader may go back and forth") {
  ColumnReader reader = OneColumn(kTen, {H5T_STD_I32LE, 4, true, true}).reader();
  Ids out(2);
  reader.read_ids(8, out);
  CHECK(out == Ids{80, 99});
  reader.read_ids(0, out);
  CHECK(out == Ids{0, 100});
  pixels::Column values = pixels::make_column(pixels::ColumnKind::integer);
  reader.read_values(0, 2, values);
  reader.read_ids(1, out);
  CHECK(out == Ids{100, 20});
  reader.read_values(7, 2, values);
  CHECK(values == pixels::Column(Numbers{0, 100, 7, 80}));
}

TEST_CASE("int32 columns are read as they are") {
  const std::int64_t least = std::numeric_limits<std::int32_t>::min();
  for (Stored stored : layouts()) {
    if (stored.chunk == 0) continue;
    stored.type = H5T_STD_I32LE;
    ColumnReader reader = OneColumn({1, least, -3, 4, 5, 2147483647}, stored).reader();
    REQUIRE(reader.is_int32());
    std::vector<std::int32_t> out(6);
    reader.read_int32(0, out);
    CHECK(out == std::vector<std::int32_t>{1, -2147483647 - 1, -3, 4, 5, 2147483647});
    out.resize(3);
    reader.read_int32(2, out);
    CHECK(out == std::vector<std::int32_t>{-3, 4, 5});
  }
  CHECK_FALSE(OneColumn(kTen, {H5T_STD_I64LE, 4, true, true}).reader().is_int32());
  CHECK_FALSE(OneColumn(kTen, {H5T_STD_I32BE, 4, true, true}).reader().is_int32());
}

TEST_CASE("ids up to the 32-bit end are held, others refused with their pixel") {
  for (Stored stored : layouts()) {
    INFO("chunk " << stored.chunk << ", shuffle " << stored.shuffle);
    const OneColumn good({0, 4294967295, 1, 2, 3}, stored);
    CHECK(good.ids(0, 5) == Ids{0, 4294967295U, 1, 2, 3});
    const OneColumn large({0, 1, 2, 3, 4, 4294967296}, stored);
    CHECK_THROWS_WITH(large.ids(0, 6),
                      "FILE/x: pixel 5 has bin id 4294967296, which is out of range");
    CHECK(large.ids(0, 4) == Ids{0, 1, 2, 3});
    const OneColumn negative({0, 1, -7, 3, 4, 5}, stored);
    CHECK_THROWS_WITH(negative.ids(1, 5), "FILE/x: pixel 2 has bin id -7, which is out of range");
    stored.type = H5T_STD_I32LE;
    const OneColumn narrow({0, 1, -7, 3, 4, 5}, stored);
    CHECK_THROWS_WITH(narrow.ids(0, 6), "FILE/x: pixel 2 has bin id -7, which is out of range");
    stored.type = H5T_STD_I16LE;
    const OneColumn narrower({0, 1, -7, 3, 4, 5}, stored);
    CHECK_THROWS_WITH(narrower.ids(0, 6), "FILE/x: pixel 2 has bin id -7, which is out of range");
  }
}

TEST_CASE("floats keep their values in every layout") {
  const std::vector<double> values{0.5, -1.25, 3.0, 1024.0, -0.0, 2.75};
  for (Stored stored : layouts()) {
    stored.type = H5T_IEEE_F64LE;
    const OneColumn doubles([&](RawFile& file) { file.reals("/x", values, stored); });
    CHECK(doubles.values(pixels::ColumnKind::double_precision, 1, 4) ==
          pixels::Column(std::vector<double>{-1.25, 3.0, 1024.0, -0.0}));
    stored.type = H5T_IEEE_F32LE;
    const OneColumn floats([&](RawFile& file) { file.reals("/x", values, stored); });
    CHECK(floats.values(pixels::ColumnKind::single_precision, 3, 3) ==
          pixels::Column(std::vector<float>{1024.0F, -0.0F, 2.75F}));
    stored.type = H5T_IEEE_F64BE;
    const OneColumn swapped([&](RawFile& file) { file.reals("/x", values, stored); });
    CHECK(swapped.values(pixels::ColumnKind::double_precision, 0, 2) ==
          pixels::Column(std::vector<double>{0.5, -1.25}));
  }
}

TEST_CASE("chunks that were never stored are refused when read and not reported when passed") {
  const OneColumn column([](RawFile& file) {
    file.unwritten("/x", 10, {H5T_STD_I32LE, 4, true, true});
    const h5::Column x = h5::open_column(file.id(), "x", "");
    const std::vector<std::int32_t> middle{5, 6, 7, 8};
    h5::write_stored_chunk(x.dataset, 4, 3, std::as_bytes(std::span(middle)));
  });
  CHECK(column.integers(4, 4) == Numbers{5, 6, 7, 8});
  CHECK_THROWS_WITH(column.integers(3, 2), "FILE/x: pixels from 0 on were never stored");
  CHECK_THROWS_WITH(column.ids(4, 5), "FILE/x: pixels from 8 on were never stored");
  ColumnReader reader = column.reader();
  std::vector<std::uint64_t> seen;
  reader.observe_chunks([&](const StoredChunk& chunk) {
    seen.push_back(chunk.index);
    CHECK(chunk.mask == 3);
    CHECK(chunk.bytes.size() == 16);
  });
  reader.pass_chunks(0, 10);
  CHECK(seen == std::vector<std::uint64_t>{1});
}

TEST_CASE("passing chunks takes those that begin in the range") {
  ColumnReader reader = OneColumn(kTen, {H5T_STD_I64LE, 4, true, true}).reader();
  std::vector<std::uint64_t> seen;
  reader.observe_chunks([&](const StoredChunk& chunk) { seen.push_back(chunk.index); });
  const auto passed = [&](std::uint64_t first, std::uint64_t end) {
    seen.clear();
    reader.pass_chunks(first, end);
    return seen;
  };
  CHECK(passed(0, 4) == std::vector<std::uint64_t>{0});
  CHECK(passed(1, 4).empty());
  CHECK(passed(1, 10) == std::vector<std::uint64_t>{1, 2});
  CHECK(passed(4, 5) == std::vector<std::uint64_t>{1});
}

TEST_CASE("a chunk that does not decode to its elements is refused with its pixels") {
  for (const bool deflate : {true, false}) {
    const OneColumn column([&](RawFile& file) {
      file.integers("/x", kTen, {H5T_STD_I64LE, 4, true, deflate});
      const h5::Column x = h5::open_column(file.id(), "x", "");
      const std::vector<std::byte> noise(10, std::byte{0x5a});
      h5::write_stored_chunk(x.dataset, 8, 0, noise);
    });
    CHECK(column.integers(0, 8) == Numbers(kTen.begin(), kTen.begin() + 8));
    CHECK_THROWS_WITH(column.integers(7, 2), Catch::StartsWith("FILE/x: pixels 8 to 9: "));
    ColumnReader passing = column.reader();
    passing.pass_chunks(0, 5);
    CHECK_THROWS_WITH(passing.pass_chunks(5, 10), Catch::StartsWith("FILE/x: pixels 8 to 9: "));
  }
}

TEST_CASE("uint64 values beyond int64 are refused") {
  const auto write = [](RawFile& file, hsize_t chunk) {
    // Read as unsigned, -1 is the largest of all.
    file.unwritten("/x", 4, {H5T_STD_U64LE, chunk});
    const h5::Column x = h5::open_column(file.id(), "x", "");
    const Numbers values{1, 2, -1, 4};
    REQUIRE(H5Dwrite(x.dataset.id(), H5T_STD_U64LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >=
            0);
  };
  for (const hsize_t chunk : {hsize_t{4}, hsize_t{0}}) {
    const OneColumn column([&](RawFile& file) { write(file, chunk); });
    CHECK(column.integers(0, 2) == Numbers{1, 2});
    CHECK_THROWS_WITH(column.integers(0, 4), Catch::Contains("18446744073709551615"));
  }
}

}  // namespace ziggurat::cool
