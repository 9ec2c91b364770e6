#include "base/strings.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

using namespace ziggurat;

TEST_CASE("trim takes blanks off both sides only") {
  CHECK(trim("  a b\t\n") == "a b");
  CHECK(trim("a") == "a");
  CHECK(trim(" \t ").empty());
  CHECK(trim("").empty());
}

TEST_CASE("lower case is ASCII only") { CHECK(to_lower("4DN-\xC3\x84") == "4dn-\xC3\x84"); }

TEST_CASE("split gives one part more than separators") {
  using Parts = std::vector<std::string_view>;
  CHECK(split("a,b", ',') == Parts{"a", "b"});
  CHECK(split("", ',') == Parts{""});
  CHECK(split(",a,,", ',') == Parts{"", "a", "", ""});
}

TEST_CASE("integers as Python spells them") {
  CHECK(parse_int64("0") == 0);
  CHECK(parse_int64("+5") == 5);
  CHECK(parse_int64("-5") == -5);
  CHECK(parse_int64("007") == 7);
  CHECK(parse_int64("1_000_000") == 1'000'000);
  CHECK(parse_int64("9223372036854775807") == INT64_MAX);
  CHECK(parse_int64("-9223372036854775808") == INT64_MIN);
  for (const char* text : {"", "+", "-", "+-5", "--5", "5-", "1 0", " 5", "_5", "5_", "5__0", "-_5",
                           "0x10", "1e3", "1.0", "9223372036854775808", "-9223372036854775809"}) {
    INFO(text);
    CHECK_FALSE(parse_int64(text).has_value());
  }
}

TEST_CASE("decimals are digits with at most one point") {
  CHECK(parse_decimal("1.5") == 1.5);
  CHECK(parse_decimal("2") == 2.0);
  CHECK(parse_decimal(".25") == 0.25);
  CHECK(parse_decimal("3.") == 3.0);
  for (const char* text : {"", ".", "1.2.3", "1e3", "-1", "+1", "inf", "nan", "1 ", "1_0"}) {
    INFO(text);
    CHECK_FALSE(parse_decimal(text).has_value());
  }
}
