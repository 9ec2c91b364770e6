#include "engine/pass.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
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

// Puts a request to stop off, so that the span under way can end and be saved: a moment, and not
// the wait for a reader that hangs.
class PatientObserver : public Observer {
 public:
  PatientObserver(Observer& observer, std::chrono::milliseconds patience)
      : observer_(observer), patience_(patience) {}

  void note(const std::string& text) override { observer_.note(text); }
  void progress(const Progress& moment) override { observer_.progress(moment); }
  bool checkpoint_wanted() override { return observer_.checkpoint_wanted(); }
  bool cancelled() override {
    return stopping() && std::chrono::steady_clock::now() - *asked_ >= patience_;
  }

  // Asked without patience.
  bool stopping() {
    if (!asked_ && observer_.cancelled()) asked_ = std::chrono::steady_clock::now();
    return asked_.has_value();
  }

 private:
  Observer& observer_;
  std::chrono::milliseconds patience_;
  std::optional<std::chrono::steady_clock::time_point> asked_;
};

// How far a pass has come.
struct PassPosition {
  std::uint64_t spans = 0;
  std::uint64_t pixels = 0;
};

// Sends blocks to the writers of their levels and adds up what the source held.
class PassSink : public BlockSink {
 public:
  // `span_end` is called after each span.
  PassSink(std::vector<std::unique_ptr<LevelWriter>>& levels, LevelWriter* kept_base,
           const cool::Description& source, Observer& observer, std::function<void()> span_end)
      : levels_(levels),
        base_writer_(kept_base),
        source_(source),
        observer_(observer),
        span_end_(std::move(span_end)) {}

  void add(const reader::Block& block, const reader::BlockView& view) override {
    if (block.level >= levels_.size())
      fail(ErrorCode::worker, "a reader sent level {}", block.level);
    levels_[block.level]->add(block, view);
  }

  void add_stored(const reader::StoredPiece& piece, std::span<const std::byte> bytes) override {
    if (base_writer_ == nullptr) fail(ErrorCode::worker, "a reader sent chunks nobody asked for");
    base_writer_->add_stored(piece, bytes);
  }

  void span_done(const reader::SpanTally& tally, std::uint64_t /*done*/) override {
    totals_.integers.merge(tally.integers);
    totals_.reals.merge(tally.reals);
    ++position_.spans;
    position_.pixels += tally.n_pixels;
    observer_.progress({"coarsening", source_.label, position_.pixels, source_.n_pixels});
    span_end_();
  }

  [[nodiscard]] const CountTotals& totals() const { return totals_; }
  [[nodiscard]] const PassPosition& position() const { return position_; }

  void save(wire::Encoder& out) const {
    out.put(position_);
    totals_.save(out);
  }
  void restore(wire::Decoder& in) {
    position_ = in.get<PassPosition>();
    totals_.restore(in);
  }

 private:
  std::vector<std::unique_ptr<LevelWriter>>& levels_;
  LevelWriter* base_writer_;
  const cool::Description& source_;
  Observer& observer_;
  std::function<void()> span_end_;
  CountTotals totals_;
  PassPosition position_;
};

constexpr std::chrono::milliseconds kStopPatience{1000};

class Pass {
 public:
  Pass(const PassRequest& request, bool sort_rows, Observer& observer)
      : request_(request),
        source_(*request.description),
        observer_(observer,
                  request.keeper != nullptr ? kStopPatience : std::chrono::milliseconds(0)),
        sort_rows_(sort_rows),
        keep_chunks_(request.base_file && can_keep_chunks(source_) && !sort_rows &&
                     request.duplicates == reader::DuplicatePolicy::refuse),
        levels_(all_levels()),
        tables_(source_.bins, pooled(levels_)) {}

  // `saved`: a state to go on from; empty: none.
  PassOutcome run(std::span<const std::byte> saved) {
    const reader::Job job = make_job();
    const int n_readers = worthwhile_readers(source_.n_pixels, request_.settings.processes);
    ReaderPool readers(request_.settings.reader_program, n_readers, job, tables_, observer_);
    say_index_state(readers.prove_rows(), source_.label, observer_);
    std::vector<reader::RowSpan> spans =
        cut_spans(source_.bins, tables_.row_offsets(), base_factors(), kSpanPixels);
    // Gone before the writers, whatever happens: its threads work on chunks of their level files.
    EncoderPool pool(request_.settings.processes, request_.settings.compression_level);
    make_writers(pool);
    PassSink sink(writers_, base_writer_.get(), source_, observer_, [&] { end_span(pool, sink); });
    if (!saved.empty()) restore(saved, spans, sink);
    const std::uint64_t pixels_before = sink.position().pixels;
    readers.read(spans, sink);
    readers.stop();
    say_odd_counts(sink.totals());
    if (request_.keeper != nullptr) make_files(sink);
    PassOutcome outcome = finish(sink.totals());
    outcome.pixels_read = sink.position().pixels - pixels_before;
    return outcome;
  }

 private:
  void end_span(EncoderPool& pool, const PassSink& sink) {
    if (request_.keeper == nullptr) return;
    const bool stop = observer_.stopping();
    const bool wanted = observer_.checkpoint_wanted();
    if (!stop && !wanted && !request_.keeper->is_due()) return;
    pool.drain();
    save(sink);
    if (stop) fail(ErrorCode::cancelled, "stopped");
  }

  void save(const PassSink& sink) {
    wire::Encoder out;
    out.put(std::uint8_t{sort_rows_});
    sink.save(out);
    for_each_writer([&](LevelWriter& writer) { writer.save(out); });
    request_.keeper->save(out.payload());
  }

  // Takes the spans that are done off the list.
  void restore(std::span<const std::byte> saved, std::vector<reader::RowSpan>& spans,
               PassSink& sink) {
    wire::Decoder in(saved);
    static_cast<void>(in.get<std::uint8_t>());  // whether rows are sorted; see run_pass
    sink.restore(in);
    for_each_writer([&](LevelWriter& writer) { writer.restore(in); });
    in.expect_end();
    const PassPosition& position = sink.position();
    if (position.spans > spans.size()) {
      fail(ErrorCode::internal, "{}: a checkpoint of other spans", source_.label);
    }
    spans.erase(spans.begin(), spans.begin() + static_cast<std::ptrdiff_t>(position.spans));
    observer_.note(fmt::format("{}: {} of {} pixels were read before and are not read again",
                               source_.label, position.pixels, source_.n_pixels));
  }

  // Past here all chunks are in the log, and are saved; the level files are made from it.
  void make_files(const PassSink& sink) {
    for_each_writer([](LevelWriter& writer) { writer.close_chunk(); });
    save(sink);
    std::vector<LevelWriter*> writers;
    for_each_writer([&](LevelWriter& writer) {
      writer.begin_file();
      writers.push_back(&writer);
    });
    request_.keeper->visit_log([&](const ChunkRecord& record, std::span<const std::byte> bytes) {
      if (observer_.stopping()) fail(ErrorCode::cancelled, "stopped");
      writers.at(record.level)->play(record, bytes);
    });
  }

  // In the order of their numbers in the log.
  template <typename Visit>
  void for_each_writer(const Visit& visit) {
    if (base_writer_) visit(*base_writer_);
    for (const auto& writer : writers_) visit(*writer);
  }

  [[nodiscard]] LogPlace next_place() {
    if (request_.keeper == nullptr) return {};
    return {&request_.keeper->log(), n_places_++};
  }

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
          &source_, pool, next_place());
    }
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      writers_.push_back(std::make_unique<LevelWriter>(
          levels_[i].file,
          cool::LevelLayout{tables_.bins(i), source_.mode, levels_[i].fields, level}, nullptr, pool,
          next_place()));
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
    outcome.n_bins = writer.layout().bins.n_bins();
    outcome.n_pixels = writer.n_pixels();
    outcome.count_type = writer.layout().fields.front().type;
    outcome.sum = writer.sum();
    for (const std::string& note : writer.notes()) {
      observer_.note(fmt::format("level of {} bins: {}", outcome.n_bins, note));
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
  PatientObserver observer_;
  bool sort_rows_;
  bool keep_chunks_;
  std::vector<PassLevel> levels_;
  SharedTables tables_;
  std::unique_ptr<LevelWriter> base_writer_;
  std::vector<std::unique_ptr<LevelWriter>> writers_;
  std::uint32_t n_places_ = 0;
};

// What an earlier run left of this pass; empty when it has to begin at the beginning.
std::vector<std::byte> saved_state(const PassRequest& request, Observer& observer) {
  if (request.keeper == nullptr) return {};
  try {
    return request.keeper->load().value_or(std::vector<std::byte>());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::format) throw;
    observer.note(fmt::format("{}: this part of the work is done again", error.what()));
  }
  request.keeper->forget();
  return {};
}

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
  const std::vector<std::byte> saved = saved_state(request, observer);
  const bool was_sorting = !saved.empty() && saved.front() != std::byte{0};
  if (!was_sorting) {
    try {
      return Pass(request, false, observer).run(saved);
    } catch (const NeedsSorting& found) {
      observer.note(found.text + ": rows are sorted on the way");
    }
    if (request.keeper != nullptr) request.keeper->forget();
    return Pass(request, true, observer).run({});
  }
  return Pass(request, true, observer).run(saved);
}

}  // namespace ziggurat::engine
