#include "cool/weight_column.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>

#include "h5/chunk_io.hpp"
#include "h5/object.hpp"
#include "h5/output_file.hpp"
#include "h5/types.hpp"
#include "h5/value.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::cool {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A file with the groups /a/bins and /b/bins, removed at the end.
class TwoMaps {
 public:
  TwoMaps() : path_((fs::temp_directory_path() / "ziggurat-weights.h5").string()) {
    fs::remove(path_);
    h5::OutputFile file = h5::OutputFile::create(path_);
    static_cast<void>(h5::create_group(file.id(), "/a/bins"));
    static_cast<void>(h5::create_group(file.id(), "/b/bins"));
    file.finish(h5::Sync::none);
  }
  TwoMaps(const TwoMaps&) = delete;
  TwoMaps& operator=(const TwoMaps&) = delete;
  ~TwoMaps() { fs::remove(path_); }

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::vector<double> weights(const std::string& column) const {
    const h5::File file = h5::open_readonly(path_);
    const h5::Column stored = h5::open_column(file.id(), column, path_);
    std::vector<double> values(stored.storage.length);
    h5::read_numbers(stored, 0, values.size(), values.data());
    return values;
  }

  [[nodiscard]] bool has(const std::string& column) const {
    return h5::has_object(h5::open_readonly(path_).id(), column);
  }

 private:
  std::string path_;
};

WeightColumn column_of(const std::string& group, const std::vector<double>& weights) {
  WeightColumn column;
  column.group = group;
  column.name = "weight";
  column.weights = weights;
  column.tol = 1e-5;
  column.min_nnz = 10;
  column.mad_max = 5;
  column.ignore_diags = 2;
  column.scale = {12.5};
  column.var = {1e-6};
  column.converged = {true};
  return column;
}

TEST_CASE("a column is stored and replaced") {
  const TwoMaps file;
  const std::vector<double> first{0.5, kNaN, 0.25};
  const std::vector<double> second{1, 2, 3};
  write_weights(file.path(), {column_of("/a", first)});
  const std::vector<double> stored = file.weights("/a/bins/weight");
  REQUIRE(stored.size() == 3);
  CHECK(stored[0] == 0.5);
  CHECK(std::isnan(stored[1]));
  write_weights(file.path(), {column_of("/a", second)});
  CHECK(file.weights("/a/bins/weight") == second);
}

TEST_CASE("attributes have the types that readers expect") {
  const TwoMaps file;
  const std::vector<double> weights{1, 2};
  WeightColumn column = column_of("/a", weights);
  column.min_count = 2.5;
  write_weights(file.path(), {column});
  const h5::File opened = h5::open_readonly(file.path());
  const h5::Column stored = h5::open_column(opened.id(), "/a/bins/weight", file.path());
  const hid_t id = stored.dataset.id();
  CHECK(h5::read_int(id, "mad_max") == 5);
  CHECK(h5::read_int(id, "min_nnz") == 10);
  CHECK(h5::read_int(id, "ignore_diags") == 2);
  CHECK(h5::read_double(id, "tol") == 1e-5);
  CHECK(h5::read_double(id, "min_count") == 2.5);
  CHECK(h5::read_double(id, "scale") == 12.5);
  std::vector<std::string> names;
  for (const h5::NamedValue& attribute : h5::read_attributes(id, "FILE")) {
    names.push_back(attribute.name);
    CHECK(attribute.value.scalar);
    const h5::Datatype type = h5::decode_type(attribute.value);
    const bool flag = attribute.name == "cis_only" || attribute.name == "converged" ||
                      attribute.name == "divisive_weights";
    CHECK(h5::is_enumeration(type) == flag);
    CHECK(h5::size_of(type) == (flag ? 1U : 8U));
  }
  CHECK(names == std::vector<std::string>{"cis_only", "converged", "divisive_weights",
                                          "ignore_diags", "mad_max", "min_count", "min_nnz",
                                          "scale", "tol", "var"});
}

TEST_CASE("the rounds' kind is told when it is not the reference's") {
  const TwoMaps file;
  const std::vector<double> weights{1, 2};
  WeightColumn column = column_of("/a", weights);
  column.iteration = "anderson";
  write_weights(file.path(), {column});
  const h5::File opened = h5::open_readonly(file.path());
  const h5::Column stored = h5::open_column(opened.id(), "/a/bins/weight", file.path());
  CHECK(h5::read_text(stored.dataset.id(), "iteration") == "anderson");
}

// Random bits, which do not become less by compression.
std::vector<double> incompressible(std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> values(n);
  for (double& value : values) value = std::bit_cast<double>(random() >> 2U);
  return values;
}

TEST_CASE(
    "a file grows by its new column and little more, and not at all by a second of the name") {
  constexpr std::size_t kBins = 50'000;
  constexpr std::uintmax_t kLittle = 8192;
  const TwoMaps file;
  const auto before = fs::file_size(file.path());
  const std::vector<double> weights = incompressible(kBins, 1);
  write_weights_in_place(file.path(), {column_of("/a", weights)}, milliseconds(0), [] {});
  const auto once = fs::file_size(file.path());
  CHECK(once < before + kBins * sizeof(double) + kLittle);
  const std::vector<double> others = incompressible(kBins, 2);
  write_weights_in_place(file.path(), {column_of("/a", others)}, milliseconds(0), [] {});
  CHECK(fs::file_size(file.path()) < once + kLittle);
  CHECK(file.weights("/a/bins/weight") == others);
}

TEST_CASE("all maps of a file get theirs in one change") {
  const TwoMaps file;
  const std::vector<double> a{1, 2};
  const std::vector<double> b{3};
  int checks = 0;
  write_weights_in_place(file.path(), {column_of("/a", a), column_of("/b", b)}, milliseconds(0),
                         [&] { ++checks; });
  CHECK(checks == 1);
  CHECK(file.weights("/a/bins/weight") == a);
  CHECK(file.weights("/b/bins/weight") == b);
  CHECK_FALSE(fs::exists(file.path() + ".ziggurat-journal"));
}

TEST_CASE("what goes wrong on the way leaves nothing behind") {
  const TwoMaps file;
  const std::vector<double> a{1, 2};
  const auto size = fs::file_size(file.path());
  SECTION("the check refuses") {
    CHECK_THROWS_AS(write_weights_in_place(file.path(), {column_of("/a", a)}, milliseconds(0),
                                           [] { throw Error(ErrorCode::input, "changed"); }),
                    Error);
  }
  SECTION("the second map is not there") {
    CHECK_THROWS_AS(write_weights_in_place(file.path(), {column_of("/a", a), column_of("/c", a)},
                                           milliseconds(0), [] {}),
                    Error);
  }
  CHECK_FALSE(file.has("/a/bins/weight"));
  CHECK(fs::file_size(file.path()) == size);
  CHECK_FALSE(fs::exists(file.path() + ".ziggurat-journal"));
}

}  // namespace
}  // namespace ziggurat::cool
