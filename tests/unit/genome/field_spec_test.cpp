#include "genome/field_spec.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "code_of.hpp"

using Catch::Matchers::Contains;
using ziggurat::Aggregation;
using ziggurat::ErrorCode;
using ziggurat::NumberType;
using ziggurat::genome::FieldSpec;
using ziggurat::genome::parse_field_spec;
using ziggurat::test::code_of;

TEST_CASE("a field alone is summed in its own type") {
  CHECK(parse_field_spec("count") == FieldSpec{"count", std::nullopt, Aggregation::sum});
}

TEST_CASE("properties of a field in any number and order") {
  CHECK(parse_field_spec("count:dtype=int64") ==
        FieldSpec{"count", NumberType::i64, Aggregation::sum});
  CHECK(parse_field_spec("x:agg=mean") == FieldSpec{"x", std::nullopt, Aggregation::mean});
  CHECK(parse_field_spec("x:agg=max,dtype=f4") ==
        FieldSpec{"x", NumberType::f32, Aggregation::max});
  CHECK(parse_field_spec("x:dtype=float,agg=nunique") ==
        FieldSpec{"x", NumberType::f64, Aggregation::nunique});
}

TEST_CASE("properties after a comma instead of a colon are part of the name") {
  CHECK(parse_field_spec("count,dtype=float").name == "count,dtype=float");
}

TEST_CASE("an unknown property is named in the reference tool's words") {
  CHECK_THROWS_WITH(parse_field_spec("count:size=3"),
                    Contains("count:size=3") && Contains("Invalid property: 'size'."));
}

TEST_CASE("malformed fields are usage errors") {
  for (const char* text :
       {"", ":dtype=int32", "x:", "x:dtype", "x:dtype=", "x:dtype=int32,", "x:dtype=complex64",
        "x:agg=total", "x:agg=sum:dtype=int32", "x:dtype=int32=int64", "x:size=3"}) {
    INFO(text);
    CHECK(code_of([&] { return parse_field_spec(text); }) == ErrorCode::usage);
  }
}
