#include "base/units.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

#include "ziggurat/error.hpp"

using namespace ziggurat;
using Catch::Matchers::Contains;

TEST_CASE("bytes with binary and decimal units") {
  CHECK(parse_bytes("0") == 0);
  CHECK(parse_bytes("1073741824") == 1'073'741'824);
  CHECK(parse_bytes("8G") == 8'589'934'592);
  CHECK(parse_bytes("8g") == 8'589'934'592);
  CHECK(parse_bytes("512MiB") == 536'870'912);
  CHECK(parse_bytes("1.5 GB") == 1'500'000'000);
  CHECK(parse_bytes("1.5GiB") == 1'610'612'736);
  CHECK(parse_bytes(" 64 kB ") == 64'000);
  CHECK(parse_bytes("64K") == 65'536);
  CHECK(parse_bytes("2T") == 2'199'023'255'552);
  CHECK(parse_bytes("10 B") == 10);
  CHECK(parse_bytes("1.9") == 1);
}

TEST_CASE("whole numbers of bytes are exact up to the largest") {
  CHECK(parse_bytes("9223372036854775807") == INT64_MAX);
  CHECK(parse_bytes("9007199254740993") == 9'007'199'254'740'993);
  CHECK(parse_bytes("7E") == INT64_C(7) << 60);
}

TEST_CASE("what is no number of bytes is a usage error") {
  for (const char* text : {"", "G", "-1G", "8X", "8 GiBs", "1..5G", "eight", "1e9", "8E", "8.5E",
                           "9223372036854775808", "8G8"}) {
    INFO(text);
    try {
      static_cast<void>(parse_bytes(text));
      FAIL_CHECK("was accepted");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::usage);
      CHECK_THAT(error.what(), Contains(text));
    }
  }
}

TEST_CASE("bytes for people") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(512) == "512 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1.0 KiB");
  CHECK(format_bytes(1'288'490'188) == "1.2 GiB");
  CHECK(format_bytes(1'048'575) == "1.0 MiB");
  CHECK(format_bytes(INT64_MAX) == "8.0 EiB");
}

TEST_CASE("counts for people") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(950) == "950");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1'000) == "1.0 k");
  CHECK(format_count(999'940) == "999.9 k");
  CHECK(format_count(999'960) == "1.0 M");
  CHECK(format_count(20'000'000) == "20.0 M");
  CHECK(format_count(3'500'000'000) == "3.5 G");
}

TEST_CASE("durations for people") {
  CHECK(format_duration(0.0) == "0 ms");
  CHECK(format_duration(0.0123) == "12 ms");
  CHECK(format_duration(0.9996) == "1.0 s");
  CHECK(format_duration(12.34) == "12.3 s");
  CHECK(format_duration(59.97) == "1 min 00 s");
  CHECK(format_duration(185.0) == "3 min 05 s");
  CHECK(format_duration(3599.6) == "1 h 00 min");
  CHECK(format_duration(7380.0) == "2 h 03 min");
}
