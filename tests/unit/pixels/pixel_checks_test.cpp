#include "pixels/pixel_checks.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "ziggurat/error.hpp"

namespace ziggurat::pixels {
namespace {

// Rows 10, 11, 12 and 13 of a map of 20 bins; row 12 is empty. Pixel 100 is the first.
struct Sample {
  std::vector<std::int64_t> offsets = {100, 103, 105, 105, 108};
  std::vector<std::uint32_t> columns = {10, 12, 19, 11, 14, 13, 15, 19};

  [[nodiscard]] std::optional<PixelFault> check(
      StorageMode mode = StorageMode::symmetric_upper) const {
    return check_columns({10, offsets, columns}, 20, mode);
  }
};

PixelFault fault(FaultKind kind, std::int64_t pixel, std::int64_t row, std::int64_t column) {
  return {kind, pixel, row, column};
}

}  // namespace

TEST_CASE("sound rows pass in both modes") {
  CHECK_FALSE(Sample().check().has_value());
  CHECK_FALSE(Sample().check(StorageMode::square).has_value());
}

TEST_CASE("a column that goes down within a row is found") {
  Sample sample;
  sample.columns[2] = 11;
  CHECK(sample.check() == fault(FaultKind::unsorted, 102, 10, 11));
}

TEST_CASE("a column that comes twice in a row is found") {
  Sample sample;
  sample.columns[6] = 13;
  CHECK(sample.check() == fault(FaultKind::duplicate, 106, 13, 13));
}

TEST_CASE("the same column in two rows is no duplicate") {
  Sample sample;
  sample.columns[3] = 19;
  sample.columns[4] = 19;
  CHECK(sample.check() == fault(FaultKind::duplicate, 104, 11, 19));
  sample.columns[3] = 11;
  CHECK_FALSE(sample.check().has_value());
}

TEST_CASE("a pixel left of the diagonal is found, but only in symmetric-upper storage") {
  Sample sample;
  sample.columns[3] = 10;
  CHECK(sample.check() == fault(FaultKind::lower_triangle, 103, 11, 10));
  CHECK_FALSE(sample.check(StorageMode::square).has_value());
}

TEST_CASE("a column outside the matrix is found") {
  Sample sample;
  sample.columns[7] = 20;
  CHECK(sample.check() == fault(FaultKind::out_of_range, 107, 13, 20));
  CHECK(sample.check(StorageMode::square) == fault(FaultKind::out_of_range, 107, 13, 20));
  sample.columns[7] = 0xffffffffU;
  CHECK(sample.check() == fault(FaultKind::out_of_range, 107, 13, 4294967295));
}

TEST_CASE("the first of several breaches is reported") {
  Sample sample;
  sample.columns[7] = 20;
  sample.columns[1] = 10;
  CHECK(sample.check() == fault(FaultKind::duplicate, 101, 10, 10));
}

TEST_CASE("a breach is not made up for by a border between rows that ascends") {
  Sample sample;
  sample.columns = {10, 11, 12, 14, 11, 15, 16, 17};
  CHECK(sample.check() == fault(FaultKind::unsorted, 104, 11, 11));
}

TEST_CASE("blocks without pixels pass") {
  const std::vector<std::int64_t> one = {7};
  const std::vector<std::int64_t> three = {7, 7, 7};
  CHECK_FALSE(check_columns({0, one, {}}, 5, StorageMode::symmetric_upper).has_value());
  CHECK_FALSE(check_columns({0, three, {}}, 5, StorageMode::symmetric_upper).has_value());
}

TEST_CASE("offsets that do not describe the columns are our own mistake") {
  Sample sample;
  sample.offsets.back() = 109;
  CHECK_THROWS_AS(sample.check(), Error);
  sample.offsets = {100, 105, 103, 108, 108};
  CHECK_THROWS_AS(sample.check(), Error);
  sample.offsets.clear();
  CHECK_THROWS_AS(sample.check(), Error);
}

TEST_CASE("a single breach anywhere in many random rows is found where it is") {
  std::mt19937 random(7);
  constexpr std::int64_t kBins = 5000;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  for (std::int64_t row = 0; row < 300; ++row) {
    for (std::int64_t column = row; column < kBins; column += 2 + random() % 97) {
      if (random() % 8 == 0) break;
      columns.push_back(static_cast<std::uint32_t>(column));
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  const RowBlock block = {0, offsets, columns};
  REQUIRE_FALSE(check_columns(block, kBins, StorageMode::symmetric_upper).has_value());
  for (int trial = 0; trial < 500; ++trial) {
    const std::size_t pixel = random() % columns.size();
    const auto row = std::upper_bound(offsets.begin(), offsets.end(), pixel) - offsets.begin() - 1;
    const bool is_first =
        offsets[static_cast<std::size_t>(row)] == static_cast<std::int64_t>(pixel);
    if (is_first) continue;
    const std::uint32_t kept = columns[pixel];
    columns[pixel] = columns[pixel - 1];
    CHECK(check_columns(block, kBins, StorageMode::symmetric_upper) ==
          fault(FaultKind::duplicate, static_cast<std::int64_t>(pixel), row, columns[pixel]));
    columns[pixel] = kept;
  }
}

TEST_CASE("faults are described with the ids that cooler's users know") {
  CHECK(describe(fault(FaultKind::duplicate, 106, 13, 14)) ==
        "pixel 106 (bin1_id 13, bin2_id 14) is a duplicate of the pixel before it");
  CHECK(describe(fault(FaultKind::descending_row, 106, 13, -1)) ==
        "pixel 106 (bin1_id 13) is out of order: its bin1_id is less than that of the pixel before "
        "it");
}

}  // namespace ziggurat::pixels
