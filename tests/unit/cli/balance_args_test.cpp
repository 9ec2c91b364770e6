#include <catch2/catch.hpp>
#include <limits>

#include "cli/balance_command.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::cli {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("nothing said: the defaults of the reference") {
  const ZoomifyBalancing balancing = parse_balance_args({});
  const BalanceOptions& options = balancing.options;
  CHECK(options.method == BalanceMethod::ice);
  CHECK(options.contacts == ContactSet::all);
  CHECK(options.ignore_diags == 2);
  CHECK(options.mad_max == 5);
  CHECK(options.min_nnz == 10);
  CHECK(options.min_count == 0);
  CHECK(options.tol == 1e-5);
  CHECK(options.max_iters == 200);
  CHECK(options.chunksize == 10'000'000);
  CHECK(options.policy == ConvergencePolicy::store_final);
  CHECK(weight_name(options) == "weight");
  CHECK(balancing.store);
}

TEST_CASE("every option arrives") {
  const ZoomifyBalancing balancing = parse_balance_args(
      {"--trans-only --ignore-diags 3 --ignore-dist 5000 --mad-max 2.5 --min-nnz 4 --min-count 7 "
       "--tol 1e10 --max-iters 60 -c 333 --name ICE --convergence-policy store_nan --stdout -p 3 "
       "--memory 2K --allow-square --force"});
  const BalanceOptions& options = balancing.options;
  CHECK(options.contacts == ContactSet::trans_only);
  CHECK(options.ignore_diags == 3);
  CHECK(options.ignore_dist == 5000);
  CHECK(options.mad_max == 2.5);
  CHECK(options.min_nnz == 4);
  CHECK(options.min_count == 7);
  CHECK(options.tol == 1e10);
  CHECK(options.max_iters == 60);
  CHECK(options.chunksize == 333);
  CHECK(options.name == "ICE");
  CHECK(options.policy == ConvergencePolicy::store_nan);
  CHECK(options.allow_square);
  CHECK_FALSE(balancing.store);
  CHECK(balancing.processes == 3);
  CHECK(balancing.memory_limit == 2048);
}

TEST_CASE("a level's own options are added to those for all and win") {
  const ZoomifyBalancing balancing =
      parse_balance_args({"10000:--mad-max 7", "--cis-only --mad-max 3", "10000: --cis-only"});
  CHECK(balancing.options.mad_max == 3);
  REQUIRE(balancing.of_level.size() == 1);
  const BalanceOptions& own = balancing.of_level.at(10000);
  CHECK(own.mad_max == 7);
  CHECK(own.contacts == ContactSet::cis_only);
}

TEST_CASE("a colon elsewhere names no level") {
  const ZoomifyBalancing balancing = parse_balance_args({"--name a:b"});
  CHECK(balancing.of_level.empty());
  CHECK(balancing.options.name == "a:b");
}

TEST_CASE("values may begin with a hyphen") {
  CHECK(parse_balance_args({"--mad-max -1"}).options.mad_max == -1);
  CHECK(parse_balance_args({"--min-nnz=-1"}).options.min_nnz == -1);
}

TEST_CASE("vanilla coverage leaves nothing out unless told to") {
  const BalanceOptions plain = parse_balance_args({"--method vc"}).options;
  CHECK(plain.ignore_diags == 0);
  CHECK(plain.mad_max == 0);
  CHECK(plain.min_nnz == 0);
  CHECK(weight_name(plain) == "VC");
  const BalanceOptions told = parse_balance_args({"--method vc_sqrt --min-nnz 3"}).options;
  CHECK(told.min_nnz == 3);
  CHECK(weight_name(told) == "VC_SQRT");
}

TEST_CASE("faults are usage errors that name the option") {
  using Catch::Contains;
  CHECK_THROWS_WITH(parse_balance_args({"--no-such"}),
                    Contains("--balance-args: ") && Contains("--no-such"));
  CHECK_THROWS_WITH(parse_balance_args({"5:--tol much"}), Contains("--tol"));
  CHECK_THROWS_WITH(parse_balance_args({"in.cool"}), Contains("in.cool"));
  CHECK_THROWS_WITH(parse_balance_args({"--check"}), Contains("--check"));
  CHECK_THROWS_WITH(parse_balance_args({"--name end"}), Contains("--name end"));
  CHECK_THROWS_WITH(parse_balance_args({"--ignore-dist -5"}), Contains("--ignore-dist"));
  CHECK_THROWS_WITH(parse_balance_args({"\xe2\x80\x93tol 1"}), Contains("dash"));
}

TEST_CASE("weights are printed as the reference does") {
  CHECK(weight_lines({0.00861529123, kNaN, 1234567.0}) == " 0.00861529\n           \n1.23457e+06");
  CHECK(weight_lines({0.25, kNaN, 12.5}) == "0.25\n    \n12.5");
  CHECK(weight_lines({1e-7, 2}) == "1e-07\n    2");
  CHECK(weight_lines({kNaN, kNaN}) == "\n");
  CHECK(weight_lines({}).empty());
}

}  // namespace
}  // namespace ziggurat::cli
