// One pass over one source: every level that descends from it is read into being at once.
//
//   prove rows -> cut spans -> readers: inflate, check, coarsen -> slots -> this thread: pack
//   chunks -> encoder threads: shuffle, deflate -> this thread: store -> level files
//
// This thread takes blocks in span order, owns every level file, and is the only one that calls
// HDF5. Milestone: when run_pass() returns, all level files are complete under their final names,
// the sums of all levels equal that of the source, and no reader is alive.
// A source whose rows are not sorted is found out on the way: the pass is then made anew with
// sorting, and the base level is encoded instead of being kept.
//
// With a keeper the pass survives a kill. Chunks go into its log, and at the end of a span, every
// so often, the state of all writers is saved: totals, row counts, and the chunk that is not full
// yet (at most 16 Ki pixels a level). No coarse row is open at the end of a span, and spans depend
// on the data alone, so a later run that has proven the rows anew goes on at the next span and
// writes the very same bytes. A request to stop waits for the end of the span, but no longer than a
// second, and the state is saved then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cool/level_file.hpp"
#include "engine/pass_keeper.hpp"
#include "genome/uri.hpp"
#include "reader/protocol.hpp"
#include "ziggurat/build.hpp"

namespace ziggurat::engine {

// A level to make from the source.
struct PassLevel {
  std::string file;                       // where the finished level file goes
  int predecessor = coarsen::kBase;       // index among the pass's levels, or kBase: the source
  std::int64_t factor = 1;                // bins of the predecessor pooled
  std::int64_t base_factor = 1;           // bins of the source pooled
  std::vector<cool::FieldLayout> fields;  // as stored
  std::vector<coarsen::FieldRule> rules;
};

struct PassRequest {
  genome::Uri source;
  const cool::Description* description = nullptr;
  std::optional<std::string> base_file;  // where the source itself goes as a level, if it does
  std::vector<PassLevel> levels;
  // Bins of the source pooled for levels that are not made here, of the same output. They have a
  // say in the order in which the source's chunks are stored, and so in the bytes of its level.
  std::vector<std::int64_t> other_factors;
  reader::DuplicatePolicy duplicates = reader::DuplicatePolicy::refuse;
  reader::NanPolicy nan = reader::NanPolicy::refuse;
  std::string creation_date;
  Settings settings;  // with nothing left to be decided: processes, slot_bytes, reader_program
  PassKeeper* keeper = nullptr;  // where a checkpoint is kept, if one is
};

struct LevelOutcome {
  std::int64_t n_bins = 0;
  std::uint64_t n_pixels = 0;
  NumberType count_type = NumberType::i32;  // of the first value column, as stored
  std::optional<cool::CountSum> sum;
  std::optional<h5::BlockSums> content;  // of the level's file
};

struct PassOutcome {
  std::optional<LevelOutcome> base;
  std::vector<LevelOutcome> levels;
  std::uint64_t pixels_read = 0;  // of the source, by this run
};

// How a source's column is pooled one by one, which sorts rows and adds up duplicates.
[[nodiscard]] coarsen::FieldRule identity_rule(const cool::PixelColumn& field,
                                               reader::DuplicatePolicy duplicates,
                                               reader::NanPolicy nan);
// Tells the user that a source's own index is not used.
void say_index_state(reader::IndexState state, const std::string& label, Observer& observer);

PassOutcome run_pass(const PassRequest& request, Observer& observer);

}  // namespace ziggurat::engine
