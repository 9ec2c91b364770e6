// From a reader's blocks to one finished level file: packs pixels into chunks, keeps the level's
// totals, and decides when a value column must become wider.
//
// Finished chunks go into the level file at once or, in a pass that keeps a checkpoint, into its
// log; then the level file is begun when the pass is over, and the log is played back into it.
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
#include "engine/chunk_log.hpp"
#include "engine/encoder_pool.hpp"
#include "engine/field_buffer.hpp"
#include "pixels/numpy_sum.hpp"
#include "pixels/value_tally.hpp"
#include "reader/protocol.hpp"
#include "wire/frame.hpp"

namespace ziggurat::engine {

// Where a writer's chunks go instead of into the level file, and the writer's number there.
struct LogPlace {
  ChunkLog* log = nullptr;
  std::uint32_t level = 0;
};

// Totals of a level's column `count`.
struct CountTotals {
  pixels::IntegerTally integers;
  pixels::FloatTally reals;
  pixels::NumpySum<float> singles;  // float32 counts, added up in float32 as the reference does
  std::optional<double> exact;      // where values were rounded when stored: the total before

  void save(wire::Encoder& out) const;
  void restore(wire::Decoder& in);
};

class LevelWriter {
 public:
  // `kept`: not null for a base whose chunks are stored as they are.
  LevelWriter(const std::string& path, cool::LevelLayout layout, const cool::Description* kept,
              EncoderPool& pool, LogPlace place);
  ~LevelWriter();

  void add(const reader::Block& block, const reader::BlockView& view);
  // Pieces of stored chunks, in the order of the source.
  void add_stored(const reader::StoredPiece& piece, std::span<const std::byte> bytes);

  // For a base whose chunks are kept, what the readers found.
  void set_source_totals(std::vector<std::int64_t> row_offsets, const CountTotals& totals);

  // What the writer knows and has not stored yet, for another to go on from. Requires: every chunk
  // that was submitted is stored.
  void save(wire::Encoder& out) const;
  // Requires: a new writer of the same level.
  void restore(wire::Decoder& in);
  // The log is about to be played back into the level file.
  void begin_file();
  void play(const ChunkRecord& record, std::span<const std::byte> bytes);
  // Stores the last, unfinished chunk.
  void close_chunk();

  // Everything is in: writes the rest and closes. `summary` needs no row offsets and no sum.
  // Returns what the file holds.
  std::optional<h5::BlockSums> finish(cool::LevelSummary summary);

  [[nodiscard]] std::uint64_t n_pixels() const { return n_pixels_; }
  // Types as they are now, after columns were widened.
  [[nodiscard]] const cool::LevelLayout& layout() const { return layout_; }
  [[nodiscard]] const CountTotals& totals() const { return totals_; }
  [[nodiscard]] std::optional<cool::CountSum> sum() const;
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  class ChunkTask;

  void count_rows(std::span<const RowRun> runs);
  void tally(const reader::Block& block, const reader::BlockView& view);
  void widen_where_needed(const reader::Block& block, const reader::BlockView& view);
  void append(const reader::Block& block, const reader::BlockView& view);
  void begin_chunk();
  void submit_chunk();
  void store_chunk(std::size_t column, std::uint64_t first, std::uint64_t n,
                   std::span<const std::byte> bytes);
  void store_kept(const reader::StoredPiece& piece, std::span<const std::byte> chunk);
  void store_widening(std::size_t field, NumberType type);

  std::string path_;
  cool::LevelLayout first_layout_;  // before any widening
  cool::LevelLayout layout_;
  const cool::Description* kept_;
  LogPlace place_;
  std::optional<cool::LevelFile> file_;
  EncoderPool& pool_;
  std::unique_ptr<ChunkTask> chunk_;      // being filled
  std::optional<std::size_t> count_;      // which field is `count`
  std::vector<std::int64_t> row_counts_;  // [r + 1] counts the pixels of row r; offsets when kept
  std::int64_t last_row_ = 0;
  std::uint64_t n_pixels_ = 0;
  CountTotals totals_;
  std::vector<std::byte> stored_chunk_;  // pieces of the chunk that is coming in
  std::vector<std::string> notes_;
};

}  // namespace ziggurat::engine
