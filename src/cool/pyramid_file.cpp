#include "cool/pyramid_file.hpp"

#include "cool/attributes.hpp"
#include "h5/chunk_io.hpp"
#include "h5/value.hpp"

namespace ziggurat::cool {

PyramidFile PyramidFile::open_existing(const std::string& path) {
  return PyramidFile(h5::OutputFile::open(path));
}

PyramidFile PyramidFile::grow(const std::string& level_file, const std::string& path,
                              std::optional<h5::BlockSums> content) {
  PyramidFile file(h5::OutputFile::open(level_file, std::move(content)));
  if (path != "/") h5::check_work(file.file_, [&] { h5::move_root(file.file_.id(), path); });
  return file;
}

// A map at the root shares it with whatever else the file holds, so only its own groups go.
void PyramidFile::remove_old(const std::string& path) {
  if (path != "/") {
    if (h5::has_object(file_.id(), path)) h5::remove_object(file_.id(), path);
    return;
  }
  for (const char* part : {"bins", "chroms", "indexes", "pixels"}) {
    if (h5::has_object(file_.id(), part)) h5::remove_object(file_.id(), part);
  }
}

void PyramidFile::add(const std::string& level_file, const std::string& path,
                      std::optional<h5::BlockSums> content, const std::function<void()>& between) {
  remove_old(path);
  const h5::PrivateFile level(level_file, std::move(content));
  h5::check_work(level, [&] {
    h5::check_work(file_, [&] {
      h5::copy_group(h5::open_group(level.id(), "/", level_file).id(), file_.id(), path, between);
    });
  });
}

void PyramidFile::mark_as_mcool() { write_mcool_attributes(file_.id()); }

void PyramidFile::mark_as_legacy(const std::vector<std::pair<int, std::int64_t>>& zoom_levels) {
  for (const auto& [zoom, bin_size] : zoom_levels) {
    h5::write_int64(file_.id(), std::to_string(zoom), bin_size);
  }
  const auto last = static_cast<std::int64_t>(zoom_levels.size()) - 1;
  h5::write_int64(file_.id(), "max-zoom", last);
  h5::write_int64(file_.id(), "max-zooms", last);
}

void PyramidFile::finish(const std::function<void()>& between) {
  file_.finish(h5::Sync::disk, between);
}

}  // namespace ziggurat::cool
