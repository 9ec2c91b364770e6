#include "coarsen/column_marks.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace ziggurat::coarsen {
namespace {

std::vector<std::uint32_t> drained(ColumnMarks& marks) {
  std::vector<std::uint32_t> columns;
  marks.drain([&](std::uint32_t column) { columns.push_back(column); });
  return columns;
}

}  // namespace

TEST_CASE("marked columns come out once each and ascending") {
  ColumnMarks marks(10000);
  for (const std::uint32_t column : {9999U, 64U, 0U, 4096U, 63U, 64U, 8191U, 4095U, 8192U}) {
    marks.mark(column);
  }
  CHECK(drained(marks) == std::vector<std::uint32_t>{0, 63, 64, 4095, 4096, 8191, 8192, 9999});
}

TEST_CASE("draining leaves the set empty and of use again") {
  ColumnMarks marks(5000);
  CHECK(drained(marks).empty());
  marks.mark(4999);
  marks.mark(1);
  CHECK(drained(marks) == std::vector<std::uint32_t>{1, 4999});
  CHECK(drained(marks).empty());
  marks.mark(2);
  CHECK(drained(marks) == std::vector<std::uint32_t>{2});
}

TEST_CASE("the last column has room whatever their number") {
  for (const std::uint32_t n : {1U, 63U, 64U, 65U, 4095U, 4096U, 4097U}) {
    ColumnMarks marks(n);
    marks.mark(n - 1);
    CHECK(drained(marks) == std::vector<std::uint32_t>{n - 1});
  }
}

}  // namespace ziggurat::coarsen
