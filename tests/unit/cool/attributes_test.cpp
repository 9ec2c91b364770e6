#include "cool/attributes.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <regex>

#include "cool/bin_writer.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::cool {
namespace {

// Sets or (with nullptr) removes a variable for as long as it lives.
class Environment {
 public:
  explicit Environment(const char* value) {
    if (const char* old = std::getenv(kName)) old_ = old;
    value ? setenv(kName, value, 1) : unsetenv(kName);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { old_ ? setenv(kName, old_->c_str(), 1) : unsetenv(kName); }

 private:
  static constexpr const char* kName = "SOURCE_DATE_EPOCH";
  std::optional<std::string> old_;
};

std::string date_with(const char* value) {
  const Environment environment(value);
  return creation_date();
}

// `count` names that are all `length` letters long.
std::vector<genome::Chromosome> named(std::size_t count, std::size_t length) {
  std::vector<genome::Chromosome> chromosomes;
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = std::to_string(i);
    name.insert(0, length - name.size(), 'c');
    chromosomes.push_back({name, 10});
  }
  return chromosomes;
}

}  // namespace

TEST_CASE("SOURCE_DATE_EPOCH is the creation date, in UTC") {
  CHECK(date_with("0") == "1970-01-01T00:00:00");
  CHECK(date_with("1577836799") == "2019-12-31T23:59:59");
  CHECK(date_with("951782400") == "2000-02-29T00:00:00");
}

TEST_CASE("a SOURCE_DATE_EPOCH that is no moment is refused") {
  for (const char* text : {"yesterday", "12x", "1.5", " 1", "9223372036854775807"}) {
    CHECK_THROWS_WITH(date_with(text),
                      std::string("SOURCE_DATE_EPOCH is '") + text + "', not a number of seconds");
  }
}

TEST_CASE("without SOURCE_DATE_EPOCH it is now, as cooler writes it") {
  const std::regex form(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6})");
  CHECK(std::regex_match(date_with(nullptr), form));
  CHECK(std::regex_match(date_with(""), form));
}

TEST_CASE("the names of chromosomes are an enumeration as long as its message holds them") {
  CHECK(fits_enumeration(named(5459, 7)));
  CHECK_FALSE(fits_enumeration(named(5460, 7)));
  for (const std::size_t length : {8U, 15U}) {
    CHECK(fits_enumeration(named(3275, length)));
    CHECK_FALSE(fits_enumeration(named(3276, length)));
  }
  CHECK(fits_enumeration(named(2339, 16)));
  CHECK_FALSE(fits_enumeration(named(2340, 16)));
}

}  // namespace ziggurat::cool
