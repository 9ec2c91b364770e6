// The output file: finished levels gathered as they are stored, without decoding anything.
// Thread rules: one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "h5/output_file.hpp"

namespace ziggurat::cool {

class PyramidFile {
 public:
  // An existing HDF5 file that is to get more groups.
  [[nodiscard]] static PyramidFile open_existing(const std::string& path);
  // The file of a finished level, which becomes the output: its collection goes from the root to
  // group `path`. So the largest level is not copied chunk by chunk.
  [[nodiscard]] static PyramidFile grow(const std::string& level_file, const std::string& path,
                                        std::optional<h5::BlockSums> content = std::nullopt);

  // Copies the collection at the root of a finished level file to group `path`, replacing what is
  // there. With the level's content, as finish() of its writer returned it, everything that is read
  // is compared. Error{io} when something could not be read or written, or is not what was written.
  // `between` is called between steps of some milliseconds, and may throw.
  void add(
      const std::string& level_file, const std::string& path,
      std::optional<h5::BlockSums> content = std::nullopt,
      const std::function<void()>& between = [] {});
  void mark_as_mcool();
  // The root attributes of the layout before /resolutions: one for each level and two for all.
  void mark_as_legacy(const std::vector<std::pair<int, std::int64_t>>& zoom_levels);

  // Closes, syncs and reads back. Error{io} when anything could not be written.
  void finish(const std::function<void()>& between = [] {});

 private:
  explicit PyramidFile(h5::OutputFile file) : file_(std::move(file)) {}
  void remove_old(const std::string& path);

  h5::OutputFile file_;
};

}  // namespace ziggurat::cool
