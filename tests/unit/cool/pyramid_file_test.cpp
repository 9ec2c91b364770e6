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
  const std::string level = make_level(scratch, "1.cool", map);
  const std::string path = scratch.file("out.mcool");
  PyramidFile out = PyramidFile::create(path);
  out.add(level, "/resolutions/10");
  out.add(level, "/resolutions/20");
  out.mark_as_mcool();
  out.finish();

  const h5::File file = h5::open_readonly(path);
  CHECK(list_collections(file) == Texts{"/resolutions/10", "/resolutions/20"});
  CHECK(h5::read_text(file.id(), "format") == "HDF5::MCOOL");
  CHECK(h5::read_int(file.id(), "format-version") == 2);
  for (const std::string group : {"/resolutions/10", "/resolutions/20"}) {
    check_pixels(path, map, group);
    const Description copy = describe(file, path, group, {});
    CHECK(copy.n_pixels == 20100);
    CHECK(copy.bins.bin_size() == 10);
    CHECK(copy.notes.empty());
    CHECK(copy.attributes.size() ==
          describe(h5::open_readonly(level), level, "/", {}).attributes.size());
  }
}

TEST_CASE("adding replaces what is at the group and nothing else") {
  const Scratch scratch;
  const Triangle map(200);
  const std::string first = make_level(scratch, "1.cool", map);
  const std::string second = make_level(scratch, "2.cool", raised(map));
  const std::string path = scratch.file("out.mcool");
  {
    PyramidFile out = PyramidFile::create(path);
    out.add(first, "/resolutions/10");
    out.add(first, "/resolutions/20");
    out.finish();
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
  const std::string path = scratch.file("out.mcool");
  PyramidFile out = PyramidFile::create(path);
  out.mark_as_legacy({{0, 4000}, {1, 2000}, {2, 1000}});
  out.finish();
  const h5::File file = h5::open_readonly(path);
  CHECK(h5::read_int(file.id(), "0") == 4000);
  CHECK(h5::read_int(file.id(), "2") == 1000);
  CHECK(h5::read_int(file.id(), "max-zoom") == 2);
  CHECK(h5::read_int(file.id(), "max-zooms") == 2);
}

TEST_CASE("an output that exists, or none to add to, is refused") {
  const Scratch scratch;
  const std::string path = make_source(scratch);
  CHECK_THROWS_AS(PyramidFile::create(path), Error);
  CHECK_THROWS_AS(PyramidFile::open_existing(scratch.file("none")), Error);
  CHECK(list_collections(h5::open_readonly(path)) == Texts{"/"});
}

}  // namespace ziggurat::cool
