#include <catch2/catch.hpp>
#include <cstring>

#include "reader/protocol.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::reader {
namespace {

// Two runs with three pixels and a column of int32, then one of float64.
const Block kBlock{0, 0, 2, 3, {ValueForm::i32, ValueForm::f64}, std::nullopt};

// 16 bytes of runs, 12 of columns made 16, 12 of int32 made 16, 24 of float64.
constexpr std::size_t kBytes = 72;

std::vector<std::byte> filled_slot(RowRun first, RowRun second) {
  std::vector<std::byte> slot(kBytes);
  const RowRun runs[] = {first, second};
  const std::uint32_t columns[] = {4, 5, 6};
  const std::int32_t counts[] = {-1, 2, 3};
  const double reals[] = {0.5, 0.25, 8.0};
  std::memcpy(slot.data(), runs, sizeof runs);
  std::memcpy(slot.data() + 16, columns, sizeof columns);
  std::memcpy(slot.data() + 32, counts, sizeof counts);
  std::memcpy(slot.data() + 48, reals, sizeof reals);
  return slot;
}

void check_refused(const Block& block, std::span<const std::byte> slot) {
  try {
    (void)view_block(block, slot);
    FAIL("accepted " << block.n_pixels << " pixels");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::worker);
  }
}

}  // namespace

TEST_CASE("parts of a block begin at multiples of 8") {
  CHECK(block_offsets(kBlock) == std::vector<std::uint64_t>{0, 16, 32, 48, 72});
  CHECK(block_offsets({0, 0, 0, 0, {}, std::nullopt}) == std::vector<std::uint64_t>{0, 0, 0});
  CHECK(size_of(ValueForm::i32) == 4);
  CHECK(size_of(ValueForm::f32) == 4);
  CHECK(size_of(ValueForm::i64) == 8);
  CHECK(size_of(ValueForm::f64) == 8);
}

TEST_CASE("a block is seen as it lies in its slot") {
  const std::vector<std::byte> slot = filled_slot({7, 1}, {9, 2});
  const BlockView view = view_block(kBlock, slot);
  CHECK(std::vector(view.runs.begin(), view.runs.end()) == std::vector<RowRun>{{7, 1}, {9, 2}});
  CHECK(std::vector(view.columns.begin(), view.columns.end()) ==
        std::vector<std::uint32_t>{4, 5, 6});
  REQUIRE(view.values.size() == 2);
  REQUIRE(view.values[0].size() == 12);
  REQUIRE(view.values[1].size() == 24);
  std::int32_t count = 0;
  std::memcpy(&count, view.values[0].data(), sizeof count);
  CHECK(count == -1);
  double real = 0;
  std::memcpy(&real, view.values[1].data() + 16, sizeof real);
  CHECK(real == 8.0);
}

TEST_CASE("a block that does not fit its slot is refused") {
  const std::vector<std::byte> slot = filled_slot({7, 1}, {9, 2});
  check_refused(kBlock, std::span(slot).first(kBytes - 1));
  check_refused(kBlock, {});
  Block block = kBlock;
  block.forms.push_back(ValueForm::i32);
  check_refused(block, slot);
  block = kBlock;
  block.n_runs = 12;
  check_refused(block, slot);
}

TEST_CASE("sizes that would wrap around are refused") {
  const std::vector<std::byte> slot = filled_slot({7, 1}, {9, 2});
  for (const std::uint64_t huge : {std::uint64_t{1} << 61, std::uint64_t{1} << 62,
                                   std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    Block block = kBlock;
    block.n_pixels = huge;
    check_refused(block, slot);
    block = kBlock;
    block.n_runs = huge;
    check_refused(block, slot);
  }
}

TEST_CASE("rows that do not add up to the pixels are refused") {
  check_refused(kBlock, filled_slot({7, 1}, {9, 1}));
  check_refused(kBlock, filled_slot({7, 2}, {9, 2}));
  check_refused(kBlock, filled_slot({7, 4}, {9, 0xffffffff}));
}

}  // namespace ziggurat::reader
