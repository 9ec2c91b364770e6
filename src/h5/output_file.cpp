#include "h5/output_file.hpp"

namespace ziggurat::h5 {
namespace {

// What is left of a file's last block of metadata is lost when the file is closed. A small change
// takes less, so it goes back to HDF5's own size.
constexpr hsize_t kSmallMetadataBlockBytes = 2048;

}  // namespace

void OutputFile::require_open(const char* what) const {
  if (file_.valid()) return;
  state_->throw_if_failed();
  fail(ErrorCode::io, "cannot {} {}: {}", what, path_, last_error());
}

OutputFile OutputFile::create(const std::string& path) {
  OutputFile file(path, std::make_shared<OutputState>());
  const PropertyList access = make_output_access(file.state_);
  file.file_ = File(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.id()));
  file.require_open("create");
  return file;
}

OutputFile OutputFile::open(const std::string& path) {
  OutputFile file(path, std::make_shared<OutputState>());
  const PropertyList access = make_output_access(file.state_);
  return std::move(file).opened(access);
}

OutputFile OutputFile::open(const std::string& path, std::optional<BlockSums> content) {
  auto state = std::make_shared<OutputState>();
  state->expect(std::move(content));
  OutputFile file(path, std::move(state));
  const PropertyList access = make_output_access(file.state_);
  return std::move(file).opened(access);
}

OutputFile OutputFile::open(const std::string& path, std::shared_ptr<OutputState> state) {
  OutputFile file(path, std::move(state));
  const PropertyList access = make_output_access(file.state_);
  h5::check(H5Pset_meta_block_size(access.id(), kSmallMetadataBlockBytes), "set up", path,
            ErrorCode::internal);
  return std::move(file).opened(access);
}

OutputFile OutputFile::opened(const PropertyList& access) && {
  file_ = File(H5Fopen(path_.c_str(), H5F_ACC_RDWR, access.id()));
  require_open("open for writing");
  return std::move(*this);
}

std::optional<BlockSums> OutputFile::finish(Sync sync, const std::function<void()>& between) {
  file_.reset();
  if (sync == Sync::disk) {
    state_->sync();
    state_->prove(between);
  }
  state_->close();
  state_->throw_if_failed();
  return state_->sums();
}

PrivateFile::PrivateFile(const std::string& path, std::optional<BlockSums> content)
    : state_(std::make_shared<OutputState>()) {
  state_->expect(std::move(content));
  const PropertyList access = make_output_access(state_);
  file_ = File(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  if (file_.valid()) return;
  state_->throw_if_failed();
  fail(ErrorCode::io, "cannot open {}: {}", path, last_error());
}

}  // namespace ziggurat::h5
