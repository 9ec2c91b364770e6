#include <catch2/catch.hpp>

#include "cool/description.hpp"
#include "sources.hpp"

namespace ziggurat::cool {
namespace {

using Texts = std::vector<std::string>;

Texts found_in(const Texts& groups) {
  const Scratch scratch;
  const std::string path = scratch.file("some.mcool");
  {
    RawFile file = RawFile::create(path);
    for (const std::string& group : groups) add_collection(file, group);
  }
  return list_collections(h5::open_readonly(path));
}

}  // namespace

TEST_CASE("collections are listed in natural order") {
  CHECK(found_in({"/resolutions/20000", "/resolutions/1000", "/resolutions/5000"}) ==
        Texts{"/resolutions/1000", "/resolutions/5000", "/resolutions/20000"});
  CHECK(found_in({"/10", "/9", "/0", "/2"}) == Texts{"/0", "/2", "/9", "/10"});
  CHECK(found_in({"/cells/c10", "/cells/b2", "/cells/c9x", "/cells/c9"}) ==
        Texts{"/cells/b2", "/cells/c9", "/cells/c9x", "/cells/c10"});
}

TEST_CASE("a map at the root may have others beside it, one elsewhere holds no more") {
  CHECK(found_in({""}) == Texts{"/"});
  CHECK(found_in({"", "/resolutions/10"}) == Texts{"/", "/resolutions/10"});
  CHECK(found_in({"/a", "/a/inner"}) == Texts{"/a"});
}

TEST_CASE("what lacks a table is no collection") {
  const Scratch scratch;
  const std::string path = make_source(scratch);
  RawFile::change(path).drop("/pixels/bin1_id");
  CHECK(list_collections(h5::open_readonly(path)).empty());
}

TEST_CASE("groups that hold themselves end the search") {
  const Scratch scratch;
  const std::string path = scratch.file("loop.mcool");
  {
    RawFile file = RawFile::create(path);
    file.group("/loop");
    REQUIRE(H5Lcreate_hard(file.id(), "/loop", file.id(), "/loop/again", H5P_DEFAULT,
                           H5P_DEFAULT) >= 0);
  }
  CHECK(list_collections(h5::open_readonly(path)).empty());
}

}  // namespace ziggurat::cool
