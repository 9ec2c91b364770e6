#include "pixels/column.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "ziggurat/error.hpp"

namespace ziggurat::pixels {

TEST_CASE("every stored type has its kind of column") {
  for (const NumberType type : {NumberType::i8, NumberType::i64, NumberType::u8, NumberType::u64}) {
    CHECK(kind_of(type) == ColumnKind::integer);
  }
  CHECK(kind_of(NumberType::f16) == ColumnKind::single_precision);
  CHECK(kind_of(NumberType::f32) == ColumnKind::single_precision);
  CHECK(kind_of(NumberType::f64) == ColumnKind::double_precision);
}

TEST_CASE("a made column is empty and of its kind") {
  for (const ColumnKind kind :
       {ColumnKind::integer, ColumnKind::single_precision, ColumnKind::double_precision}) {
    CHECK(kind_of(make_column(kind)) == kind);
    CHECK(size(make_column(kind)) == 0);
  }
}

TEST_CASE("ranges are appended and taken half-open") {
  const Column source = std::vector<float>{1, 2, 3, 4};
  Column target = std::vector<float>{9};
  append(target, source, 1, 3);
  CHECK(target == Column(std::vector<float>{9, 2, 3}));
  append(target, source, 4, 4);
  CHECK(size(target) == 3);
  append(target, source);
  CHECK(size(target) == 7);
  CHECK(take(source, 0, 1) == Column(std::vector<float>{1}));
}

TEST_CASE("clear keeps the kind") {
  Column column = std::vector<double>{1, 2};
  clear(column);
  CHECK(column == make_column(ColumnKind::double_precision));
}

TEST_CASE("impossible appends are refused") {
  const Column source = std::vector<float>{1, 2, 3, 4};
  Column same_kind = std::vector<float>{};
  Column other_kind = std::vector<double>{};
  CHECK_THROWS_AS(append(other_kind, source), Error);
  CHECK_THROWS_AS(append(same_kind, source, 2, 5), Error);
  CHECK_THROWS_AS(append(same_kind, source, -1, 2), Error);
  CHECK_THROWS_AS(append(same_kind, source, 3, 2), Error);
  CHECK_THROWS_AS(append(same_kind, same_kind), Error);
  CHECK(size(same_kind) == 0);
}

}  // namespace ziggurat::pixels
