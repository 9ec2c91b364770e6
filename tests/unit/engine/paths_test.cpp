#include "engine/paths.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include "engine/work_folder.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::engine {
namespace {

namespace fs = std::filesystem;

// A folder to work in. The class under test makes it, and the tests of that class look at it.
WorkFolder scratch() { return {fs::temp_directory_path().string(), "paths"}; }

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// But for the file that says whose a work folder is.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name != "owner") names.push_back(name);
  }
  return names;
}

ErrorCode refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode{};
}

}  // namespace

TEST_CASE("the default output has the source's name with the other suffix") {
  CHECK(default_output("map.cool") == "map.mcool");
  CHECK(default_output("some/folder.d/map.100.cool") == "some/folder.d/map.100.mcool");
  CHECK(default_output("./a.cool.cool") == "./a.cool.mcool");
}

TEST_CASE("without the suffix the output has to be named") {
  CHECK_THROWS_WITH(default_output("map.h5"),
                    "map.h5 does not end in .cool: name the output with --out");
  CHECK_THROWS_WITH(default_output("a.cool/map"),
                    "a.cool/map does not end in .cool: name the output with --out");
  CHECK_THROWS_WITH(default_output("map.mcool"),
                    "the default output would be the input map.mcool itself: name one with --out");
  CHECK(refusal([] { (void)default_output("map.COOL"); }) == ErrorCode::usage);
}

TEST_CASE("a path is a folder and a name") {
  CHECK(folder_of("a/b/c.cool") == "a/b");
  CHECK(folder_of("c.cool") == ".");
  CHECK(folder_of("/c.cool") == "/");
  CHECK(name_of("a/b/c.cool") == "c.cool");
  CHECK(name_of("a/b/").empty());
}

TEST_CASE("a work folder goes with its contents") {
  const WorkFolder home = scratch();
  const std::string parent = folder_of(home.file("x"));
  {
    const WorkFolder work(parent, "out.mcool");
    write(work.file("1.cool"), "level");
    fs::create_directory(work.file("inner"));
    write(work.file("inner/2"), "deeper");
    REQUIRE(names_in(parent).size() == 1);
    CHECK_THAT(names_in(parent).front(), Catch::StartsWith(".out.mcool.ziggurat-"));
    CHECK(work.file("1.cool") == parent + "/" + names_in(parent).front() + "/1.cool");
  }
  CHECK(names_in(parent).empty());
}

TEST_CASE("a work folder goes also when an exception passes") {
  const WorkFolder home = scratch();
  const std::string parent = folder_of(home.file("x"));
  try {
    const WorkFolder work(parent, "out.mcool");
    write(work.file("1.cool"), "level");
    throw Error(ErrorCode::cancelled, "stopped");
  } catch (const Error&) {
    CHECK(names_in(parent).empty());
  }
}

TEST_CASE("two work folders for one output do not meet") {
  const WorkFolder home = scratch();
  const std::string parent = folder_of(home.file("x"));
  const WorkFolder one(parent, "out.mcool");
  const WorkFolder two(parent, "out.mcool");
  CHECK(one.file("x") != two.file("x"));
  CHECK(refusal([&] { WorkFolder(home.file("none"), "out"); }) == ErrorCode::io);
}

TEST_CASE("a file is known by what it is, not by its name") {
  const WorkFolder home = scratch();
  const std::string path = home.file("a");
  write(path, "text");
  fs::create_hard_link(path, home.file("hard"));
  fs::create_symlink(path, home.file("soft"));
  fs::copy_file(path, home.file("copy"));
  CHECK(identify(path) == identify(home.file("hard")));
  CHECK(identify(path) == identify(home.file("soft")));
  CHECK_FALSE(identify(path).same_file(identify(home.file("copy"))));
  CHECK(identify(path).size == 4);
}

TEST_CASE("a file that was changed is the same file with another identity") {
  const WorkFolder home = scratch();
  const std::string path = home.file("a");
  write(path, "text");
  const FileIdentity before = identify(path);
  fs::last_write_time(path, fs::last_write_time(path) + std::chrono::milliseconds(1));
  const FileIdentity touched = identify(path);
  CHECK(touched != before);
  CHECK(touched.same_file(before));
  CHECK(touched.modified_ns - before.modified_ns == 1000000);
}

TEST_CASE("a file that is not there cannot be identified") {
  const WorkFolder home = scratch();
  const std::string path = home.file("none");
  CHECK_FALSE(exists(path));
  CHECK_THROWS_WITH(identify(path), "cannot open " + path + ": No such file or directory");
  CHECK(refusal([&] { (void)identify(path); }) == ErrorCode::input);
}

TEST_CASE("outputs that cannot be are refused before any work") {
  const WorkFolder home = scratch();
  fs::create_directory(home.file("folder"));
  write(home.file("old"), "text");
  CHECK_NOTHROW(check_output_path(home.file("new")));
  CHECK_NOTHROW(check_output_path(home.file("old")));
  CHECK(refusal([&] { check_output_path(home.file("folder")); }) == ErrorCode::usage);
  CHECK(refusal([&] { check_output_path(home.file("")); }) == ErrorCode::usage);
  CHECK(refusal([] { check_output_path(""); }) == ErrorCode::usage);
  CHECK(refusal([&] { check_output_path(home.file("none/new")); }) == ErrorCode::io);
  CHECK(refusal([&] { check_output_path(home.file("old/new")); }) == ErrorCode::io);
  CHECK(refusal([] { check_output_path("/dev/null"); }) == ErrorCode::usage);
  CHECK_FALSE(exists(home.file("new")));
}

TEST_CASE("a link stands for what it points at, there or not") {
  const WorkFolder home = scratch();
  const std::string folder = fs::canonical(folder_of(home.file("x"))).string();
  write(home.file("a"), "text");
  fs::create_symlink("a", home.file("soft"));
  fs::create_symlink("none", home.file("dangling"));
  fs::create_symlink("soft", home.file("twice"));
  CHECK(behind_link(home.file("soft")) == folder + "/a");
  CHECK(behind_link(home.file("twice")) == folder + "/a");
  CHECK(behind_link(home.file("dangling")) == folder + "/none");
  CHECK(behind_link(home.file("a")) == home.file("a"));
  CHECK(behind_link("not/there") == "not/there");
}

TEST_CASE("publishing replaces what had the name") {
  const WorkFolder home = scratch();
  write(home.file("work"), "new");
  write(home.file("out"), "old");
  publish(home.file("work"), home.file("out"));
  CHECK(text_of(home.file("out")) == "new");
  CHECK_FALSE(exists(home.file("work")));
}

TEST_CASE("publishing that fails leaves what had the name") {
  const WorkFolder home = scratch();
  write(home.file("out"), "old");
  CHECK(refusal([&] { publish(home.file("none"), home.file("out")); }) == ErrorCode::io);
  CHECK(text_of(home.file("out")) == "old");
}

TEST_CASE("a copy has the same bytes, and failing is an error") {
  const WorkFolder home = scratch();
  write(home.file("a"), "text");
  copy_file(home.file("a"), home.file("b"));
  CHECK(text_of(home.file("b")) == "text");
  CHECK(refusal([&] { copy_file(home.file("none"), home.file("c")); }) == ErrorCode::input);
  CHECK_FALSE(exists(home.file("c")));
  CHECK(refusal([&] { copy_file(home.file("a"), home.file("no folder/c")); }) == ErrorCode::io);
}

}  // namespace ziggurat::engine
