// Readers inflate and prove; this thread packs what they send, in table order, into one store.
// Pixels come as they are in the file unless rows must be sorted or duplicates added up; then each
// reader pools its rows one by one, as for a base level that cannot be kept. That rows are not
// sorted is found out on the way, and the pass begins anew.
#include "engine/balance_input.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/granted_memory.hpp"
#include "engine/pass.hpp"
#include "engine/reader_pool.hpp"
#include "engine/shared_tables.hpp"
#include "engine/spans.hpp"

namespace ziggurat::engine {

namespace {

class StoreSink : public BlockSink {
 public:
  StoreSink(balance::StoreBuilder& builder, const PixelSource& source, Observer& observer)
      : builder_(builder), source_(source), observer_(observer) {}

  void add(const reader::Block& block, const reader::BlockView& view) override {
    if (block.level != 0 || block.forms.size() != 1) {
      fail(ErrorCode::worker, "a reader sent pixels nobody asked for");
    }
    const StageScope stage(Stage::pack);
    count({.items = 1, .pixels = block.n_pixels});
    check_ids(view);
    switch (block.forms.front()) {
      case reader::ValueForm::i32:
        return append<std::int32_t>(view);
      case reader::ValueForm::i64:
        return append<std::int64_t>(view);
      case reader::ValueForm::f32:
        return append<float>(view);
      case reader::ValueForm::f64:
        return append<double>(view);
    }
  }

  void add_stored(const reader::StoredPiece&, std::span<const std::byte>) override {
    fail(ErrorCode::worker, "a reader sent chunks nobody asked for");
  }

  void span_done(const reader::SpanTally&, std::uint64_t done) override {
    observer_.progress({"reading", source_.label, done, source_.description->n_pixels});
  }

 private:
  // The iteration takes ids for indexes; a reader that was led astray must not lead us.
  void check_ids(const reader::BlockView& view) {
    const auto n_bins = static_cast<std::uint64_t>(source_.description->bins.n_bins());
    std::uint32_t largest = 0;
    for (const std::uint32_t column : view.columns) largest = std::max(largest, column);
    bool sound = view.columns.empty() || largest < n_bins;
    for (const RowRun run : view.runs) {
      sound = sound && run.row >= last_row_ && run.row < n_bins;
      last_row_ = run.row;
    }
    if (!sound) fail(ErrorCode::worker, "a reader sent pixels outside of the map");
  }

  template <typename Count>
  void append(const reader::BlockView& view) {
    const std::span<const std::byte> bytes = view.values.front();
    const std::span<const Count> counts(reinterpret_cast<const Count*>(bytes.data()),
                                        view.columns.size());
    std::size_t at = 0;
    for (const RowRun run : view.runs) {
      builder_.append_row(std::int64_t{run.row}, view.columns.subspan(at, run.n),
                          counts.subspan(at, run.n));
      at += run.n;
    }
  }

  balance::StoreBuilder& builder_;
  const PixelSource& source_;
  Observer& observer_;
  std::uint64_t last_row_ = 0;
};

reader::Job make_job(const PixelSource& source, const SharedTables& tables, bool sort_rows) {
  const cool::Description& map = *source.description;
  reader::Job job;
  job.file = source.uri.file;
  job.group = source.uri.group;
  job.fields = {map.fields.front().name};
  job.n_pixels = map.n_pixels;
  job.n_bins = static_cast<std::uint64_t>(map.bins.n_bins());
  job.mode = map.mode;
  job.send_source = tables.levels().empty();
  job.sort_rows = sort_rows;
  job.duplicates = source.duplicates;
  job.nan = source.nan;
  job.slot_bytes = source.settings.slot_bytes;
  job.table_bytes = tables.memory().bytes().size();
  job.levels = tables.levels();
  for (reader::JobLevel& level : job.levels) {
    level.fields = {identity_rule(map.fields.front(), source.duplicates, source.nan)};
  }
  return job;
}

std::unique_ptr<balance::Arena> make_arena(const PixelSource& source) {
  std::int64_t limit = source.memory_limit;
  // What else is granted is for readers and tables.
  if (limit == 0) limit = granted_memory().value_or(0) / 2;
  if (limit == 0) return std::make_unique<balance::Arena>();
  return std::make_unique<balance::Arena>(limit, source.scratch_folder);
}

LoadedPixels load(const PixelSource& source, const balance::StoreLayout& layout, bool sort_rows,
                  Observer& observer) {
  const cool::Description& map = *source.description;
  const bool pool_rows = sort_rows || source.duplicates == reader::DuplicatePolicy::sum;
  const std::vector<PooledLevel> identity{{coarsen::kBase, 1}};
  const SharedTables tables(map.bins, pool_rows ? identity : std::vector<PooledLevel>{});
  const reader::Job job = make_job(source, tables, sort_rows);
  ReaderPool readers(source.settings.reader_program,
                     worthwhile_readers(map.n_pixels, source.settings.processes), job, tables,
                     observer);
  say_index_state(readers.prove_rows(), source.label, observer);
  LoadedPixels loaded;
  loaded.arena = make_arena(source);
  loaded.store = std::make_unique<balance::PixelStore>(layout, *loaded.arena);
  balance::StoreBuilder builder(loaded.store->layout(), *loaded.arena);
  StoreSink sink(builder, source, observer);
  readers.read(cut_spans(map.bins, tables.row_offsets(), {1}, kSpanPixels), sink);
  readers.stop();
  loaded.store->append(builder.finish());
  return loaded;
}

}  // namespace

LoadedPixels load_pixels(const PixelSource& source, const balance::StoreLayout& layout,
                         Observer& observer) {
  try {
    return load(source, layout, false, observer);
  } catch (const NeedsSorting& found) {
    observer.note(found.text + ": rows are sorted on the way");
  }
  return load(source, layout, true, observer);
}

}  // namespace ziggurat::engine
