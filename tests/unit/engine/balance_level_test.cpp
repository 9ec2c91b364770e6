#include "engine/balance_level.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>

#include "engine/work_folder.hpp"
#include "ziggurat/balance.hpp"

namespace ziggurat::engine {
namespace {

cool::Description map_of(std::optional<std::int64_t> bin_size, pixels::StorageMode mode) {
  cool::Description map;
  map.label = "a.cool";
  map.mode = mode;
  map.bins = bin_size ? genome::BinTable::uniform({{"chr1", 100}, {"chr2", 50}}, *bin_size)
                      : genome::BinTable::explicit_bins({{"chr1", 100}, {"chr2", 50}}, {0, 2, 3},
                                                        {0, 30, 0}, {30, 100, 50}, std::nullopt);
  return map;
}

constexpr auto kUpper = pixels::StorageMode::symmetric_upper;
constexpr auto kSquare = pixels::StorageMode::square;

TEST_CASE("a blacklist is read once and must be there") {
  const WorkFolder folder(std::filesystem::temp_directory_path().string(), "balance");
  const std::string path = folder.file("list.bed");
  std::ofstream(path) << "chr1\t0\t10\n";
  Blacklists lists;
  lists.read(path);
  std::ofstream(path) << "chr1\t0\t99\n";
  lists.read(path);
  CHECK(lists.text(path) == "chr1\t0\t10\n");
  CHECK(lists.text("").empty());
  CHECK_THROWS_WITH(lists.read(folder.file("none.bed")),
                    Catch::Contains("none.bed: No such file or directory"));
}

TEST_CASE("damaged gzip data are a fault of the list") {
  const WorkFolder folder(std::filesystem::temp_directory_path().string(), "balance");
  const std::string path = folder.file("list.bed.gz");
  std::ofstream(path) << "\x1f\x8b and no more";
  Blacklists lists;
  CHECK_THROWS_WITH(lists.read(path), Catch::Contains("list.bed.gz: the gzip data are damaged"));
}

TEST_CASE("square maps need to be allowed, and have no vanilla coverage") {
  const cool::Description map = map_of(10, kSquare);
  BalanceOptions options;
  CHECK_THROWS_WITH(check_balanceable(map, options, {}), Catch::Contains("--allow-square"));
  options.allow_square = true;
  CHECK_NOTHROW(check_balanceable(map, options, {}));
  options.method = BalanceMethod::vc;
  CHECK_THROWS_WITH(check_balanceable(map, options, {}), Catch::Contains("symmetric"));
}

TEST_CASE("distances need bins of one size") {
  BalanceOptions options;
  options.ignore_dist = 100;
  CHECK_NOTHROW(check_balanceable(map_of(10, kUpper), options, {}));
  CHECK_THROWS_WITH(check_balanceable(map_of(std::nullopt, kUpper), options, {}),
                    Catch::Contains("--ignore-dist"));
}

TEST_CASE("chromosomes of the blacklist are looked up before any work") {
  const WorkFolder folder(std::filesystem::temp_directory_path().string(), "balance");
  BalanceOptions options;
  options.blacklist = folder.file("list.bed");
  std::ofstream(options.blacklist) << "chr1\t0\t10\nchr9\t0\t10\n";
  Blacklists lists;
  lists.read(options.blacklist);
  CHECK_THROWS_WITH(check_balanceable(map_of(10, kUpper), options, lists),
                    Catch::Contains("line 2") && Catch::Contains("chr9"));
}

TEST_CASE("the column tells of the run") {
  BalanceOptions options;
  options.contacts = ContactSet::cis_only;
  options.mad_max = 3.5;
  BalanceOutcome outcome;
  outcome.name = "weight";
  outcome.weights = {0.5, std::numeric_limits<double>::quiet_NaN()};
  outcome.scale = {4, 5};
  outcome.var = {1e-6, 1e-7};
  outcome.converged = {true, false};
  outcome.ignored_diags = 7;
  const cool::WeightColumn column = weight_column("/resolutions/10", options, outcome);
  CHECK(column.group == "/resolutions/10");
  CHECK(column.ignore_diags == 7);
  CHECK(column.mad_max == 3.5);
  CHECK(column.cis_only);
  CHECK_FALSE(column.divisive);
  CHECK(column.weights.data() == outcome.weights.data());
  CHECK(column.converged == outcome.converged);
  options.method = BalanceMethod::vc_sqrt;
  CHECK(weight_column("/", options, outcome).divisive);
}

TEST_CASE("options are checked by themselves") {
  BalanceOptions options;
  CHECK_NOTHROW(check_balance_options(options));
  options.name = "chrom";
  CHECK_THROWS_WITH(check_balance_options(options), Catch::Contains("--name chrom"));
  options.name = "x/y";
  CHECK_THROWS_WITH(check_balance_options(options), Catch::Contains("slash"));
  options.name = "";
  options.max_iters = 0;
  CHECK_THROWS_WITH(check_balance_options(options), Catch::Contains("--max-iters"));
  options.max_iters = 1;
  options.blacklist = "no/such/list.bed";
  CHECK_THROWS_WITH(check_balance_options(options), Catch::Contains("no/such/list.bed"));
}

}  // namespace
}  // namespace ziggurat::engine
