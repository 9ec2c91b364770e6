#include "cool/pyramid_file.hpp"

#include "cool/attributes.hpp"
#include "h5/chunk_io.hpp"
#include "h5/value.hpp"

namespace ziggurat::cool {

PyramidFile::PyramidFile(std::string path) : path_(std::move(path)) { open(H5F_ACC_EXCL, true); }

PyramidFile PyramidFile::open_existing(std::string path) {
  PyramidFile file;
  file.path_ = std::move(path);
  file.open(H5F_ACC_RDWR, false);
  return file;
}

void PyramidFile::open(unsigned flags, bool create) {
  state_ = std::make_shared<h5::OutputState>();
  const h5::PropertyList access = h5::make_output_access(state_);
  file_ = h5::File(create ? H5Fcreate(path_.c_str(), flags, H5P_DEFAULT, access.id())
                          : H5Fopen(path_.c_str(), flags, access.id()));
  if (file_.valid()) return;
  state_->throw_if_failed();
  fail(ErrorCode::io, "cannot open {} for writing: {}", path_, h5::last_error());
}

void PyramidFile::add(const std::string& level_file, const std::string& path) {
  const h5::File level = h5::open_readonly(level_file);
  if (path != "/" && h5::has_object(file_.id(), path)) {
    h5::check(H5Ldelete(file_.id(), path.c_str(), H5P_DEFAULT), "replace", path, ErrorCode::io);
  }
  h5::Group root(h5::check(H5Gopen2(level.id(), "/", H5P_DEFAULT), "open", level_file));
  h5::copy_group(root.id(), file_.id(), path);
  state_->throw_if_failed();
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

void PyramidFile::finish() {
  file_.reset();
  state_->sync();
  state_->close();
  state_->throw_if_failed();
}

}  // namespace ziggurat::cool
