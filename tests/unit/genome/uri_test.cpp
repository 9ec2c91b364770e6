#include "genome/uri.hpp"

#include <catch2/catch.hpp>

#include "ziggurat/error.hpp"

using ziggurat::Error;
using ziggurat::genome::parse_uri;
using ziggurat::genome::to_string;
using ziggurat::genome::Uri;

TEST_CASE("a file alone means its root group") {
  CHECK(parse_uri("x.cool") == Uri{"x.cool", "/"});
  CHECK(parse_uri("dir with blank/x") == Uri{"dir with blank/x", "/"});
  CHECK(parse_uri("x.cool::") == Uri{"x.cool", "/"});
  CHECK(parse_uri("x.cool::/") == Uri{"x.cool", "/"});
}

TEST_CASE("a group with and without its leading slash is the same") {
  CHECK(parse_uri("x.mcool::resolutions/1000") == Uri{"x.mcool", "/resolutions/1000"});
  CHECK(parse_uri("x.mcool::/resolutions/1000") == Uri{"x.mcool", "/resolutions/1000"});
  CHECK(parse_uri("x.mcool::/resolutions/1000/") == Uri{"x.mcool", "/resolutions/1000"});
}

TEST_CASE("single colons belong to the path or the group") {
  CHECK(parse_uri("host:x.cool") == Uri{"host:x.cool", "/"});
  CHECK(parse_uri("x.scool::/cells/a:b") == Uri{"x.scool", "/cells/a:b"});
}

TEST_CASE("no file or several separators are refused") {
  CHECK_THROWS_AS(parse_uri(""), Error);
  CHECK_THROWS_AS(parse_uri("::/a"), Error);
  CHECK_THROWS_AS(parse_uri("a::b::c"), Error);
}

TEST_CASE("text and back") {
  for (const char* text : {"x.cool", "x.mcool::/resolutions/1000"}) {
    CHECK(to_string(parse_uri(text)) == text);
  }
  CHECK(to_string({"x.mcool", "/"}) == "x.mcool");
}
