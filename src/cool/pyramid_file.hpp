// The output file: finished levels gathered as they are stored, without decoding anything.
// Thread rules: one thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "h5/output_driver.hpp"

namespace ziggurat::cool {

class PyramidFile {
 public:
  // A new file; Error{io} when it exists or cannot be made.
  explicit PyramidFile(std::string path);
  // An existing HDF5 file that is to get more groups.
  [[nodiscard]] static PyramidFile open_existing(std::string path);

  // Copies the collection at the root of a finished level file to group `path`, replacing what is
  // there.
  void add(const std::string& level_file, const std::string& path);
  void mark_as_mcool();
  // The root attributes of the layout before /resolutions: one for each level and two for all.
  void mark_as_legacy(const std::vector<std::pair<int, std::int64_t>>& zoom_levels);

  // Closes and syncs. Error{io} when anything could not be written.
  void finish();

 private:
  PyramidFile() = default;
  void open(unsigned flags, bool create);

  std::string path_;
  std::shared_ptr<h5::OutputState> state_;
  h5::File file_;
};

}  // namespace ziggurat::cool
