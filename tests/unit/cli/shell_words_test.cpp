#include "cli/shell_words.hpp"

#include <catch2/catch.hpp>

#include "ziggurat/error.hpp"

namespace ziggurat::cli {
namespace {

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("blanks part words, however many") {
  CHECK(split_like_a_shell("").empty());
  CHECK(split_like_a_shell(" \t\n").empty());
  CHECK(split_like_a_shell("  --mad-max 5\t--cis-only ") == Words{"--mad-max", "5", "--cis-only"});
}

TEST_CASE("quotes hold blanks together, also within a word") {
  CHECK(split_like_a_shell("'a b' \"c d\"") == Words{"a b", "c d"});
  CHECK(split_like_a_shell("--name='a b'c") == Words{"--name=a bc"});
  CHECK(split_like_a_shell("'' \"\"") == Words{"", ""});
  CHECK(split_like_a_shell(R"("it's" 'say "x"')") == Words{"it's", R"(say "x")"});
}

TEST_CASE("backslashes are read as a shell reads them") {
  CHECK(split_like_a_shell(R"(a\ b \'c\')") == Words{"a b", "'c'"});
  CHECK(split_like_a_shell(R"("a\"b" "c\\d" "e\f")") == Words{R"(a"b)", R"(c\d)", R"(e\f)"});
  CHECK(split_like_a_shell(R"('a\b')") == Words{R"(a\b)"});
}

TEST_CASE("what does not end is refused") {
  CHECK_THROWS_WITH(split_like_a_shell("a 'b"), "'a 'b' has a quote that is not closed");
  CHECK_THROWS_WITH(split_like_a_shell("\"b"), "'\"b' has a quote that is not closed");
  CHECK_THROWS_WITH(split_like_a_shell("a\\"), "'a\\' ends in a backslash");
}

TEST_CASE("dashes that are no hyphens are told of") {
  CHECK(begins_with_other_dash("\xe2\x80\x93-balance"));
  CHECK(begins_with_other_dash("\xe2\x88\x92p"));
  CHECK_FALSE(begins_with_other_dash("--balance"));
  CHECK_FALSE(begins_with_other_dash("a\xe2\x80\x93"));
  CHECK(dash_advice({"in.cool", "--balance"}).empty());
  CHECK_THAT(dash_advice({"in.cool", "\xe2\x80\x94p"}),
             Catch::StartsWith("'\xe2\x80\x94p' begins"));
}

}  // namespace ziggurat::cli
