#include "cli/program.hpp"

#include <algorithm>
#include <vector>

#include "captured.hpp"
#include "ziggurat/version.hpp"

namespace ziggurat::cli {
namespace {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome run_with(const std::vector<const char*>& arguments) {
  const Captured out(STDOUT_FILENO);
  const Captured err(STDERR_FILENO);
  const int code = run(static_cast<int>(arguments.size()), arguments.data());
  return {code, out.text(), err.text()};
}

// Refused for what the command line says: one line that names the program, nothing on stdout.
void check_refused(const std::vector<const char*>& arguments, const std::string& about) {
  const Outcome outcome = run_with(arguments);
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Catch::StartsWith("ziggurat: ") && Catch::Contains(about));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("the version is that of the program it stands in for") {
  for (const char* option : {"--version", "-V"}) {
    const Outcome outcome = run_with({"/opt/bin/ziggurat", option});
    CHECK(outcome.code == 0);
    CHECK(outcome.out == std::string("ziggurat, version ") + ZIGGURAT_VERSION + "\n");
    CHECK(outcome.err.empty());
  }
  CHECK(run_with({"/opt/bin/cooler", "--version"}).out == "cooler, version 0.10.4\n");
}

TEST_CASE("help goes to standard output and is no failure") {
  const Outcome outcome = run_with({"ziggurat", "--help"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  for (const char* command :
       {"zoomify", "coarsen", "balance", "assemble", "verify", "ls", "info"}) {
    CHECK_THAT(outcome.out, Catch::Contains(command));
  }
  CHECK(run_with({"ziggurat", "coarsen", "--help"}).code == 0);
}

TEST_CASE("an unknown command is refused by name") {
  const Outcome outcome = run_with({"ziggurat", "zoomfy", "in.cool"});
  CHECK(outcome.code == 2);
  CHECK(outcome.err == "ziggurat: unknown command 'zoomfy' (see --help)\n");
  CHECK(outcome.out.empty());
}

TEST_CASE("a command line that makes no sense is refused") {
  check_refused({"ziggurat"}, "(see --help)");
  check_refused({"ziggurat", "zoomify"}, "(see --help)");
  check_refused({"ziggurat", "zoomify", "in.cool", "--no-such-option"}, "--no-such-option");
  check_refused({"ziggurat", "zoomify", "in.cool", "--nproc", "0"}, "--nproc");
  check_refused({"ziggurat", "zoomify", "in.cool", "--nproc", "many"}, "--nproc");
  check_refused({"ziggurat", "zoomify", "in.cool", "--progress", "loud"}, "--progress");
}

TEST_CASE("a dash copied from a document is explained") {
  check_refused({"ziggurat", "zoomify", "in.cool",
                 "\xe2\x80\x93"
                 "balance"},
                "dash");
}

}  // namespace ziggurat::cli
