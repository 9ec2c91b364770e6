// From a reader's blocks to one finished level file: packs pixels into chunks, keeps the level's
// totals, and decides when a value column must become wider.
//
// Invariants: pixels arrive in table order; chunks are full but for the last; every stored integer
// is exact.
// Thread rules: one thread, the one that owns the pool.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/row_run.hpp"
#include "cool/level_file.hpp"
#include "engine/encoder_pool.hpp"
#include "engine/field_buffer.hpp"
#include "pixels/numpy_sum.hpp"
#include "pixels/value_tally.hpp"
#include "reader/protocol.hpp"

namespace ziggurat::engine {

// Totals of a level's column `count`.
struct CountTotals {
  pixels::IntegerTally integers;
  pixels::FloatTally reals;
  pixels::NumpySum<float> singles;  // float32 counts, added up in float32 as the reference does
  std::optional<double> exact;      // where values were rounded when stored: the total before
};

class LevelWriter {
 public:
  // `kept`: not null for a base whose chunks are stored as they are.
  LevelWriter(const std::string& path, cool::LevelLayout layout, const cool::Description* kept,
              EncoderPool& pool);
  ~LevelWriter();

  void add(const reader::Block& block, const reader::BlockView& view);
  // Pieces of stored chunks, in the order of the source.
  void add_stored(const reader::StoredPiece& piece, std::span<const std::byte> bytes);

  // For a base whose chunks are kept, what the readers found.
  void set_source_totals(std::vector<std::int64_t> row_offsets, const CountTotals& totals);

  // Everything is in: writes the rest and closes. `summary` needs no row offsets and no sum.
  // Returns what the file holds.
  std::optional<h5::BlockSums> finish(cool::LevelSummary summary);

  [[nodiscard]] std::uint64_t n_pixels() const { return n_pixels_; }
  [[nodiscard]] const cool::LevelLayout& layout() const { return file_.layout(); }
  [[nodiscard]] const CountTotals& totals() const { return totals_; }
  [[nodiscard]] std::optional<cool::CountSum> sum() const;
  [[nodiscard]] std::int64_t bytes_written() const { return file_.bytes_written(); }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  class ChunkTask;

  void count_rows(std::span<const RowRun> runs);
  void tally(const reader::Block& block, const reader::BlockView& view);
  void widen_where_needed(const reader::Block& block, const reader::BlockView& view);
  void append(const reader::Block& block, const reader::BlockView& view);
  void begin_chunk();
  void submit_chunk();

  cool::LevelFile file_;
  EncoderPool& pool_;
  std::unique_ptr<ChunkTask> chunk_;  // being filled
  std::optional<std::size_t> count_;  // which field is `count`
  bool kept_;
  std::vector<std::int64_t> row_counts_;  // [r + 1] counts the pixels of row r; offsets when kept
  std::int64_t last_row_ = 0;
  std::uint64_t n_pixels_ = 0;
  CountTotals totals_;
  std::vector<std::byte> stored_chunk_;  // pieces of the chunk that is coming in
  std::vector<std::string> notes_;
};

}  // namespace ziggurat::engine
