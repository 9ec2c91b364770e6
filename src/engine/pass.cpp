#include "engine/pass.hpp"

#include <algorithm>
#include <memory>

#include "base/check.hpp"
#include "engine/level_writer.hpp"
#include "engine/reader_pool.hpp"
#include "engine/shared_tables.hpp"
#include "engine/spans.hpp"

namespace ziggurat::engine {

namespace {

// The source as a level of its own, for when its chunks cannot be kept: pooled one by one, which
// sorts rows and, where that is allowed, adds up duplicates.
PassLevel base_level(const PassRequest& request) {
  PassLevel level;
  level.file = *request.base_file;
  for (const cool::PixelColumn& field : request.description->fields) {
    level.fields.push_back({field.name, field.type});
    level.rules.push_back(identity_rule(field, request.duplicates, request.nan));
  }
  return level;
}

bool can_keep_chunks(const cool::Description& source) {
  return source.bin1.copyable && source.bin2.copyable && size(source.bin1.type) >= 4 &&
         size(source.bin2.type) >= 4 &&
         std::all_of(source.fields.begin(), source.fields.end(),
                     [](const cool::PixelColumn& field) { return field.copyable; });
}

// Sends blocks to the writers of their levels and adds up what the source held.
class PassSink : public BlockSink {
 public:
  PassSink(std::vector<std::unique_ptr<LevelWriter>>& levels, LevelWriter* kept_base,
           const cool::Description& source, Observer& observer)
      : levels_(levels), base_writer_(kept_base), source_(source), observer_(observer) {}

  void add(const reader::Block& block, const reader::BlockView& view) override {
    if (block.level >= levels_.size())
      fail(ErrorCode::worker, "a reader sent level {}", block.level);
    levels_[block.level]->add(block, view);
  }

  void add_stored(const reader::StoredPiece& piece, std::span<const std::byte> bytes) override {
    if (base_writer_ == nullptr) fail(ErrorCode::worker, "a reader sent chunks nobody asked for");
    base_writer_->add_stored(piece, bytes);
  }

  void span_done(const reader::SpanTally& tally, std::uint64_t done) override {
    totals_.integers.merge(tally.integers);
    totals_.reals.merge(tally.reals);
    observer_.progress({"coarsening", source_.label, done, source_.n_pixels});
  }

  [[nodiscard]] const CountTotals& totals() const { return totals_; }

 private:
  std::vector<std::unique_ptr<LevelWriter>>& levels_;
  LevelWriter* base_writer_;
  const cool::Description& source_;
  Observer& observer_;
  CountTotals totals_;
};

class Pass {
 public:
  Pass(const PassRequest& request, bool sort_rows, Observer& observer)
      : request_(request),
        source_(*request.description),
        observer_(observer),
        sort_rows_(sort_rows),
        keep_chunks_(request.base_file && can_keep_chunks(source_) && !sort_rows &&
                     request.duplicates == reader::DuplicatePolicy::refuse),
        levels_(all_levels()),
        tables_(source_.bins, pooled(levels_)) {}

  PassOutcome run() {
    const reader::Job job = make_job();
    const int n_readers = worthwhile_readers(source_.n_pixels, request_.settings.processes);
    ReaderPool readers(request_.settings.reader_program, n_readers, job, tables_, observer_);
    say_index_state(readers.prove_rows(), source_.label, observer_);
    const std::vector<reader::RowSpan> spans =
        cut_spans(source_.bins, tables_.row_offsets(), base_factors(), kSpanPixels);
    // Gone before the writers, whatever happens: its threads work on chunks of their level files.
    EncoderPool pool(request_.settings.processes, request_.settings.compression_level);
    make_writers(pool);
    PassSink sink(writers_, base_writer_.get(), source_, observer_);
    readers.read(spans, sink);
    readers.stop();
    say_odd_counts(sink.totals());
    return finish(sink.totals());
  }

 private:
  std::vector<PassLevel> all_levels() const {
    if (!request_.base_file || keep_chunks_) return request_.levels;
    std::vector<PassLevel> levels{base_level(request_)};
    for (PassLevel level : request_.levels) {
      level.predecessor += 1;  // kBase becomes the base level
      levels.push_back(std::move(level));
    }
    return levels;
  }

  static std::vector<PooledLevel> pooled(const std::vector<PassLevel>& levels) {
    std::vector<PooledLevel> out;
    for (const PassLevel& level : levels) out.push_back({level.predecessor, level.factor});
    return out;
  }

  std::vector<std::int64_t> base_factors() const {
    std::vector<std::int64_t> factors = request_.other_factors;
    for (const PassLevel& level : levels_) factors.push_back(level.base_factor);
    return factors;
  }

  reader::Job make_job() const {
    reader::Job job;
    job.file = request_.source.file;
    job.group = request_.source.group;
    for (const cool::PixelColumn& field : source_.fields) job.fields.push_back(field.name);
    job.n_pixels = source_.n_pixels;
    job.n_bins = static_cast<std::uint64_t>(source_.bins.n_bins());
    job.mode = source_.mode;
    job.pass_stored_chunks = keep_chunks_;
    job.sort_rows = sort_rows_;
    job.duplicates = request_.duplicates;
    job.nan = request_.nan;
    job.slot_bytes = request_.settings.slot_bytes;
    job.table_bytes = tables_.memory().bytes().size();
    job.levels = tables_.levels();
    for (std::size_t i = 0; i < levels_.size(); ++i) job.levels[i].fields = levels_[i].rules;
    return job;
  }

  void say_odd_counts(const CountTotals& totals) {
    const std::int64_t n = totals.integers.n_negative + totals.reals.n_negative;
    if (n > 0) observer_.note(fmt::format("{}: {} pixels have negative counts", source_.label, n));
  }

  void make_writers(EncoderPool& pool) {
    const int level = request_.settings.compression_level;
    if (keep_chunks_) {
      std::vector<cool::FieldLayout> fields;
      for (const cool::PixelColumn& field : source_.fields)
        fields.push_back({field.name, field.type});
      base_writer_ = std::make_unique<LevelWriter>(
          *request_.base_file, cool::LevelLayout{source_.bins, source_.mode, fields, level},
          &source_, pool);
    }
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      writers_.push_back(std::make_unique<LevelWriter>(
          levels_[i].file,
          cool::LevelLayout{tables_.bins(i), source_.mode, levels_[i].fields, level}, nullptr,
          pool));
    }
  }

  cool::LevelSummary summary(bool is_base) const {
    cool::LevelSummary summary;
    summary.assembly = source_.assembly;
    summary.metadata = source_.metadata;
    summary.creation_date = request_.creation_date;
    if (is_base) summary.source = &source_;
    return summary;
  }

  // A level's sum is the source's, or a fault of ours (or of this machine's memory) is in it.
  void check_sum(const LevelWriter& writer, const PassLevel& level,
                 const CountTotals& totals) const {
    for (std::size_t f = 0; f < level.fields.size(); ++f) {
      if (level.fields[f].name != "count" || level.rules[f].aggregation != Aggregation::sum)
        continue;
      if (totals.integers.n == 0 || writer.totals().integers.n == 0) continue;
      if (writer.totals().integers.sum != totals.integers.sum) {
        fail(ErrorCode::internal, "{}: the sum of a level pooled by {} is not that of the source",
             source_.label, level.base_factor);
      }
    }
  }

  LevelOutcome finish_level(LevelWriter& writer, bool is_base) {
    LevelOutcome outcome;
    outcome.bins = writer.layout().bins;
    outcome.n_pixels = writer.n_pixels();
    outcome.count_type = writer.layout().fields.front().type;
    outcome.sum = writer.sum();
    for (const std::string& note : writer.notes()) {
      observer_.note(fmt::format("level of {} bins: {}", outcome.bins.n_bins(), note));
    }
    outcome.content = writer.finish(summary(is_base));
    return outcome;
  }

  PassOutcome finish(const CountTotals& totals) {
    PassOutcome outcome;
    if (base_writer_) {
      const auto offsets = tables_.row_offsets();
      base_writer_->set_source_totals({offsets.begin(), offsets.end()}, totals);
      outcome.base = finish_level(*base_writer_, true);
    }
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      check_sum(*writers_[i], levels_[i], totals);
      const bool is_base = request_.base_file && !keep_chunks_ && i == 0;
      LevelOutcome level = finish_level(*writers_[i], is_base);
      if (is_base) {
        outcome.base = std::move(level);
      } else {
        outcome.levels.push_back(std::move(level));
      }
    }
    return outcome;
  }

  const PassRequest& request_;
  const cool::Description& source_;
  Observer& observer_;
  bool sort_rows_;
  bool keep_chunks_;
  std::vector<PassLevel> levels_;
  SharedTables tables_;
  std::unique_ptr<LevelWriter> base_writer_;
  std::vector<std::unique_ptr<LevelWriter>> writers_;
};

}  // namespace

coarsen::FieldRule identity_rule(const cool::PixelColumn& field, reader::DuplicatePolicy duplicates,
                                 reader::NanPolicy nan) {
  const bool keep_nan = is_float(field.type) && nan == reader::NanPolicy::skip &&
                        duplicates == reader::DuplicatePolicy::refuse;
  return {keep_nan ? Aggregation::first : Aggregation::sum, field.type, field.type,
          field.name == "count"};
}

void say_index_state(reader::IndexState state, const std::string& label, Observer& observer) {
  if (state == reader::IndexState::sound) return;
  observer.note(fmt::format("{}: indexes/bin1_offset is {} and was rebuilt from bin1_id", label,
                            state == reader::IndexState::missing ? "missing" : "wrong"));
}

PassOutcome run_pass(const PassRequest& request, Observer& observer) {
  try {
    return Pass(request, false, observer).run();
  } catch (const NeedsSorting& found) {
    observer.note(found.text + ": rows are sorted on the way");
  }
  return Pass(request, true, observer).run();
}

}  // namespace ziggurat::engine
