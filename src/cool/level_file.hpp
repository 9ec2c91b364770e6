// One level while it is being written: a .cool file of its own, with one handle open from the first
// chunk to the last.
//
// Pixel columns arrive as finished HDF5 chunks and are stored as they are, in ascending order; the
// rest of the collection is written by finish(). Until finish() has returned, the file is under a
// temporary name: a file under the final name is complete.
// A value column whose sums turn out not to fit its type is widened: what is stored is decoded and
// stored anew in the wider type, which is rare and costs one more pass over that column.
// Write failures are noticed within a few chunks, and by finish() at the latest, as Error{io}
// naming the file. Thread rules: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/number_type.hpp"
#include "cool/description.hpp"
#include "cool/table_writer.hpp"
#include "h5/chunk_io.hpp"
#include "h5/output_file.hpp"

namespace ziggurat::cool {

// A value column of the level.
struct FieldLayout {
  std::string name;
  NumberType type = NumberType::i32;
};

struct LevelLayout {
  genome::BinTable bins = genome::BinTable::uniform({}, 1);
  StorageMode mode = StorageMode::symmetric_upper;
  std::vector<FieldLayout> fields;
  int compression_level = codec::kDefaultLevel;
};

// Total of the count column.
struct CountSum {
  bool is_float = false;
  bool is_unsigned = false;
  std::int64_t integer = 0;
  double real = 0;
};

// What is known of a level once all its pixels are stored.
struct LevelSummary {
  std::vector<std::int64_t> row_offsets;  // n_bins + 1
  std::optional<CountSum> sum;            // none when there is no column `count`
  std::string assembly;
  std::string metadata;
  std::string creation_date;
  // For a base level: what its source had, carried over but for its columns of bins, which
  // add_bin_columns() brings. Nothing for a derived one.
  const Description* source = nullptr;
};

// Pixel columns are numbered: bin1_id, bin2_id, then the value columns.
constexpr std::size_t kBin1 = 0;
constexpr std::size_t kBin2 = 1;
constexpr std::size_t kFirstField = 2;

class LevelFile {
 public:
  // `kept`: how the source stores its columns, when its chunks will be stored as they are; else
  // every column has chunks of kChunkLength elements and shuffle + deflate.
  LevelFile(std::string path, LevelLayout layout, const Description* kept);
  LevelFile(const LevelFile&) = delete;
  LevelFile& operator=(const LevelFile&) = delete;
  // Without finish() the temporary file is removed.
  ~LevelFile();

  [[nodiscard]] const LevelLayout& layout() const { return layout_; }
  [[nodiscard]] std::uint64_t chunk_length(std::size_t column) const;

  // Stores the chunk of `n` elements that begins at element `first`.
  void store(std::size_t column, std::uint64_t first, std::uint64_t n, h5::FilterMask mask,
             std::span<const std::byte> bytes);
  // Stores chunk `index` of a source column as it was. The columns of such a level have the
  // source's length from the start.
  void store_kept(std::size_t column, std::uint64_t index, h5::FilterMask mask,
                  std::span<const std::byte> bytes);
  // Requires: the elements so far were stored with shuffle + deflate.
  void widen(std::size_t field, NumberType type);

  // Writes everything else, closes, and gives the file its final name. Throws Error{io} when
  // anything at all could not be written; then nothing has the final name. Returns what the file
  // holds, for those who read it.
  std::optional<h5::BlockSums> finish(const LevelSummary& summary);

  [[nodiscard]] std::int64_t bytes_written() const { return file_.bytes_written(); }

 private:
  struct PixelDataset {
    std::string name;
    h5::Dataset dataset;
    std::uint64_t chunk_length = 0;
    std::uint64_t length = 0;
  };

  void create_pixel_column(const std::string& name, NumberType type, const PixelColumn* kept,
                           std::uint64_t length);
  void write_tables(const LevelSummary& summary);
  [[nodiscard]] std::uint64_t max_pixels() const;

  std::string path_;
  LevelLayout layout_;
  h5::OutputFile file_;
  h5::Group pixels_;
  std::vector<PixelDataset> columns_;
  TableWriter writer_;
  bool finished_ = false;
};

}  // namespace ziggurat::cool
