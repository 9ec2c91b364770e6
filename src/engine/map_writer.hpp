// One map of one resolution from any stream of sorted pixels: for merging, loading, and whoever
// brings pixels of his own.
//
// The feed is asked for pixels on the calling thread; chunks are compressed on others. The map
// appears in its place when it is complete and synced; before that it lies in a private folder
// beside the output. The bytes depend on the pixels alone.
// Thread rules: one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "coarsen/pixel_batch.hpp"
#include "cool/level_file.hpp"
#include "engine/work_folder.hpp"
#include "genome/uri.hpp"
#include "ziggurat/build.hpp"

namespace ziggurat::engine {

class PixelFeed {
 public:
  virtual ~PixelFeed() = default;
  // Replaces `batch` by the next pixels, in the order of (row, column) over all batches, each cell
  // at most once; false after the last. A row may go on in the next batch.
  virtual bool next(coarsen::PixelBatch& batch) = 0;
};

// What a map is besides its pixels.
struct MapDraft {
  genome::BinTable bins = genome::BinTable::uniform({}, 1);
  cool::StorageMode mode = cool::StorageMode::symmetric_upper;
  std::vector<cool::FieldLayout> fields;
  std::string assembly;
  std::string metadata;
};

class MapWriter {
 public:
  // `append`: keep what an existing file holds otherwise. Throws Error{usage} when the place is
  // none, Error{io} when its folder is not writable. `settings` are decided.
  MapWriter(const std::string& output_uri, bool append, Settings settings);
  MapWriter(const MapWriter&) = delete;
  MapWriter& operator=(const MapWriter&) = delete;
  ~MapWriter();

  // The folder for whatever is needed on the way; removed with the writer.
  [[nodiscard]] const WorkFolder& folder() const { return *folder_; }

  // Writes the map and puts it in its place.
  BuildReport write(const MapDraft& draft, PixelFeed& feed, Observer& observer);
  // Writes the map to a file of its own at `path`.
  LevelReport write_file(const std::string& path, const MapDraft& draft, PixelFeed& feed,
                         Observer& observer);

 private:
  Settings settings_;
  genome::Uri output_;
  bool append_;
  std::unique_ptr<WorkFolder> folder_;
};

}  // namespace ziggurat::engine
