#include "base/arithmetic.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

using namespace ziggurat;

TEST_CASE("division rounded up") {
  CHECK(ceil_div(0, 7) == 0);
  CHECK(ceil_div(1, 7) == 1);
  CHECK(ceil_div(7, 7) == 1);
  CHECK(ceil_div(8, 7) == 2);
  CHECK(ceil_div(INT64_MAX, 1) == INT64_MAX);
  CHECK(ceil_div(INT64_MAX, INT64_MAX) == 1);
}

TEST_CASE("products that do not fit are nothing") {
  CHECK(checked_product(3, -4) == -12);
  CHECK(checked_product(INT64_C(1) << 62, 1) == INT64_C(1) << 62);
  CHECK_FALSE(checked_product(INT64_C(1) << 62, 2).has_value());
  CHECK_FALSE(checked_product(INT64_MIN, -1).has_value());
}
