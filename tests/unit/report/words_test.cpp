#include "report/words.hpp"

#include <catch2/catch.hpp>

#include "report/html_table.hpp"
#include "report/page_numbers.hpp"

using namespace ziggurat::report;

TEST_CASE("lengths in their units") {
  CHECK(bp_text(500) == "500 bp");
  CHECK(bp_text(10'000) == "10 kb");
  CHECK(bp_text(1'500'000) == "1.5 Mb");
  CHECK(resolution_text(std::nullopt) == "bins of varying width");
}

TEST_CASE("numbers as people write them") {
  CHECK(whole_text(0) == "0");
  CHECK(whole_text(999) == "999");
  CHECK(whole_text(-1'234'567) == "-1,234,567");
  CHECK(large_text(2.5e9) == "2.5 billion");
  CHECK(large_text(1'234'567) == "1.23 million");
  CHECK(large_text(1234) == "1,234");
  CHECK(short_text(0.001234) == "0.00123");
  CHECK(short_text(1234.6) == "1,235");
  CHECK(percent_text(0.1234) == "12.3 %");
  CHECK(percent_text(0.00012) == "0.012 %");
  CHECK(counted(1, "level") == "1 level");
  CHECK(counted(2000, "bin") == "2,000 bins");
}

TEST_CASE("text cannot become markup, nor end a script") {
  CHECK(escaped(R"(<a href="x">'&')") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
  CHECK(quoted("a\"b\\</script>\n") == R"("a\u0022b\u005c\u003c/script>\u000a")");
}

TEST_CASE("a table has headings of columns and rows, and keys to sort by") {
  HtmlTable table("Of <things>", {"Name", "Number & sign"});
  table.add_row({{"chr1"}, {"1,000", number_key(1000), true}});
  CHECK(
      table.html() ==
      "<table class=\"sortable\"><caption class=\"only-spoken\">Of &lt;things&gt;</caption>"
      "<thead><tr><th scope=\"col\">Name</th><th scope=\"col\">Number &amp; sign</th></tr></thead>"
      "\n<tbody>\n"
      "<tr><th scope=\"row\">chr1</th><td data-sort=\"1000\" class=\"bad\">1,000</td></tr>\n"
      "</tbody></table>");
  CHECK(table.html(false).starts_with("<table><caption"));
}
