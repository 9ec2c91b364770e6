#include "cool/pyramid_file.hpp"

#include <catch2/catch.hpp>

#include "levels.hpp"
#include "ziggurat/error.hpp"

namespace ziggurat::cool {
namespace {

using Texts = std::vector<std::string>;

std::string make_level(const Scratch& scratch, const std::string& name, const Triangle& map) {
  LevelFile file(scratch.file(name), layout_of_200_bins(), nullptr);
  store_all(file, map);
  file.finish(summary_of(map));
  return scratch.file(name);
}

// The map with every count one higher.
Triangle raised(Triangle map) {
  for (std::int32_t& count : map.counts) ++count;
  return map;
}

}  // namespace

TEST_CASE("levels are gathered whole below their groups") {
  const Scratch scratch;
  const Triangle map(200);
  const std::string path = make_level(scratch, "1.cool", map);
  const std::string level = make_level(scratch, "2.cool", raised(map));
  PyramidFile out = PyramidFile::grow(path, "/resolutions/10");
  out.add(level, "/resolutions/20");
  out.mark_as_mcool();
  out.finish();

  const h5::File file = h5::open_readonly(path);
  const h5::Group root = h5::open_group(file.id(), "/", path);
  CHECK(list_collections(file) == Texts{"/resolutions/10", "/resolutions/20"});
  CHECK(h5::child_names(root.id(), "FILE") == Texts{"resolutions"});
  CHECK(h5::read_attributes(root.id(), "FILE").size() == 2);
  CHECK(h5::read_text(file.id(), "format") == "HDF5::MCOOL");
  CHECK(h5::read_int(file.id(), "format-version") == 2);
  check_pixels(path, map, "/resolutions/10");
  check_pixels(path, raised(map), "/resolutions/20");
  for (const std::string group : {"/resolutions/10", "/resolutions/20"}) {
    const Description copy = describe(file, path, group, {});
    CHECK(copy.n_pixels == 20100);
    CHECK(copy.bins.bin_size() == 10);
    CHECK(copy.notes.empty());
    CHECK(copy.attributes.size() ==
          describe(h5::open_readonly(level), level, "/", {}).attributes.size());
  }
}

TEST_CASE("an output of one map at the root is its level file") {
  const Scratch scratch;
  const Triangle map(200);
  const std::string path = make_level(scratch, "1.cool", map);
  PyramidFile::grow(path, "/").finish();
  check_pixels(path, map);
  CHECK(list_collections(h5::open_readonly(path)) == Texts{"/"});
}

TEST_CASE("adding replaces what is at the group and nothing else") {
  const Scratch scratch;
  const Triangle map(200);
  const std::string path = make_level(scratch, "1.cool", map);
  const std::string second = make_level(scratch, "2.cool", raised(map));
  {
    PyramidFile out = PyramidFile::grow(path, "/resolutions/10");
    out.add(second, "/resolutions/20");
    out.add(make_level(scratch, "3.cool", map), "/resolutions/20");
    out.finish();
    check_pixels(path, map, "/resolutions/20");
  }
  PyramidFile out = PyramidFile::open_existing(path);
  out.add(second, "/resolutions/20");
  out.finish();
  check_pixels(path, map, "/resolutions/10");
  check_pixels(path, raised(map), "/resolutions/20");
}

TEST_CASE("a map at the root is replaced beside the other contents") {
  const Scratch scratch;
  const Triangle map(200);
  const std::string level = make_level(scratch, "1.cool", map);
  const std::string path = make_source(scratch, "old.cool");
  {
    RawFile file = RawFile::change(path);
    add_collection(file, "/other");
    h5::write_text(file.id(), "mine", "kept");
  }
  PyramidFile out = PyramidFile::open_existing(path);
  out.add(level, "/");
  out.finish();
  check_pixels(path, map);
  const h5::File file = h5::open_readonly(path);
  CHECK(list_collections(file) == Texts{"/", "/other"});
  CHECK(describe(file, path, "/other", {}).n_pixels == 5);
  CHECK(h5::read_text(file.id(), "mine") == "kept");
}

TEST_CASE("the layout before /resolutions names its zoom levels") {
  const Scratch scratch;
  const std::string path = make_level(scratch, "1.cool", Triangle(200));
  PyramidFile out = PyramidFile::grow(path, "/2");
  out.mark_as_legacy({{0, 4000}, {1, 2000}, {2, 1000}});
  out.finish();
  const h5::File file = h5::open_readonly(path);
  CHECK(h5::read_int(file.id(), "0") == 4000);
  CHECK(h5::read_int(file.id(), "2") == 1000);
  CHECK(h5::read_int(file.id(), "max-zoom") == 2);
  CHECK(h5::read_int(file.id(), "max-zooms") == 2);
}

TEST_CASE("a file that is not there is refused") {
  const Scratch scratch;
  CHECK_THROWS_AS(PyramidFile::open_existing(scratch.file("none")), Error);
  CHECK_THROWS_AS(PyramidFile::grow(scratch.file("none"), "/1"), Error);
}

}  // namespace ziggurat::cool
