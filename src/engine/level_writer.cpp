#include "engine/level_writer.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "base/meter.hpp"
#include "cool/schema.hpp"

namespace ziggurat::engine {

// A chunk of every pixel column: filled on the owner's thread, encoded on any, stored by the owner.
class LevelWriter::ChunkTask : public EncodeTask {
 public:
  ChunkTask(LevelWriter& writer, std::uint64_t first) : writer_(writer), first_(first) {
    values_.resize(writer.layout().fields.size());
    const auto length = static_cast<std::size_t>(cool::kChunkLength);
    columns_.reserve(length);
    for (std::size_t f = 0; f < values_.size(); ++f) values_[f].reserve(length * size(type(f)));
  }

  [[nodiscard]] std::size_t size_pixels() const { return columns_.size(); }

  void append_columns(std::span<const std::uint32_t> columns) {
    columns_.insert(columns_.end(), columns.begin(), columns.end());
  }
  void append_run(RowRun run) {
    if (!runs_.empty() && runs_.back().row == run.row) {
      runs_.back().n += run.n;
    } else {
      runs_.push_back(run);
    }
  }
  std::vector<std::byte>& values(std::size_t field) { return values_[field]; }

  void encode(codec::ChunkEncoder& encoder) override {
    count({.items = 1, .pixels = columns_.size()});
    const auto length = static_cast<std::int64_t>(cool::kChunkLength);
    keep(encoder.encode_rows(runs_, length));
    keep(encoder.encode_ids(columns_, length));
    for (std::size_t f = 0; f < values_.size(); ++f) {
      keep(encoder.encode_elements(values_[f], size(type(f)), length));
    }
  }

  void store() override {
    for (std::size_t c = 0; c < encoded_.size(); ++c) {
      count({.items = 1, .bytes_out = encoded_[c].size()});
      writer_.store_chunk(c, first_, columns_.size(), encoded_[c]);
    }
  }

  void save(wire::Encoder& out) const {
    out.put_span(std::span<const RowRun>(runs_));
    out.put_span(std::span<const std::uint32_t>(columns_));
    for (const auto& values : values_) out.put_span(std::span<const std::byte>(values));
  }
  void restore(wire::Decoder& in) {
    runs_ = in.get_vector<RowRun>();
    columns_ = in.get_vector<std::uint32_t>();
    for (auto& values : values_) values = in.get_vector<std::byte>();
  }

 private:
  NumberType type(std::size_t field) const { return writer_.layout().fields[field].type; }
  void keep(std::span<const std::byte> bytes) {
    count({.bytes_out = bytes.size()});
    encoded_.emplace_back(bytes.begin(), bytes.end());
  }

  LevelWriter& writer_;
  std::uint64_t first_;
  std::vector<RowRun> runs_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::vector<std::byte>> values_;
  std::vector<std::vector<std::byte>> encoded_;
};

LevelWriter::LevelWriter(const std::string& path, cool::LevelLayout layout,
                         const cool::Description* kept, EncoderPool& pool, LogPlace place)
    : path_(path),
      first_layout_(layout),
      layout_(std::move(layout)),
      kept_(kept),
      place_(place),
      pool_(pool),
      row_counts_(static_cast<std::size_t>(layout_.bins.n_bins()) + 1) {
  if (place_.log == nullptr) begin_file();
  const auto& fields = layout_.fields;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    if (fields[f].name == "count") count_ = f;
  }
}

LevelWriter::~LevelWriter() = default;

void LevelWriter::count_rows(std::span<const RowRun> runs) {
  for (const RowRun run : runs) {
    if (run.row < last_row_ || run.row >= row_counts_.size() - 1) {
      fail(ErrorCode::worker, "a reader sent row {} after row {} of {}", run.row, last_row_,
           row_counts_.size() - 1);
    }
    last_row_ = run.row;
    row_counts_[run.row + 1] += run.n;
  }
}

void LevelWriter::tally(const reader::Block& block, const reader::BlockView& view) {
  if (!count_) return;
  if (block.exact_total) totals_.exact = totals_.exact.value_or(0.0) + *block.exact_total;
  const std::span<const std::byte> bytes = view.values[*count_];
  const auto as = [&]<typename T>(T) {
    return std::span<const T>(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
  };
  switch (block.forms[*count_]) {
    case reader::ValueForm::i32:
      totals_.integers.add(as(std::int32_t{}));
      break;
    case reader::ValueForm::i64:
      totals_.integers.add(as(std::int64_t{}));
      break;
    case reader::ValueForm::f32:
      totals_.reals.add(as(float{}));
      totals_.singles.add(as(float{}));
      break;
    case reader::ValueForm::f64:
      totals_.reals.add(as(double{}));
      break;
  }
}

void LevelWriter::widen_where_needed(const reader::Block& block, const reader::BlockView& view) {
  for (std::size_t f = 0; f < block.forms.size(); ++f) {
    const cool::FieldLayout field = layout().fields[f];
    const NumberType wide = type_for(block.forms[f], view.values[f], field.type);
    if (wide == field.type) continue;
    // The file's column is rewritten from what is stored, so everything must be stored first; the
    // chunk being filled is not and is converted in memory.
    pool_.drain();
    store_widening(f, wide);
    if (chunk_) chunk_->values(f) = restored(chunk_->values(f), field.type, wide);
    notes_.push_back(fmt::format("{} is stored as {}: sums do not fit {}", field.name, name(wide),
                                 name(field.type)));
  }
}

void LevelWriter::add(const reader::Block& block, const reader::BlockView& view) {
  if (block.forms.size() != layout().fields.size()) {
    fail(ErrorCode::worker, "a reader sent {} value columns where {} belong", block.forms.size(),
         layout().fields.size());
  }
  const StageScope stage(Stage::pack);
  count({.items = 1, .pixels = block.n_pixels});
  count_rows(view.runs);
  tally(block, view);
  widen_where_needed(block, view);
  append(block, view);
}

void LevelWriter::append(const reader::Block& block, const reader::BlockView& view) {
  const auto length = static_cast<std::size_t>(cool::kChunkLength);
  std::size_t run = 0;
  std::uint32_t taken = 0;  // of that run
  for (std::size_t at = 0; at < view.columns.size();) {
    if (!chunk_) begin_chunk();
    const std::size_t n = std::min(length - chunk_->size_pixels(), view.columns.size() - at);
    for (std::size_t left = n; left > 0;) {
      const RowRun whole = view.runs[run];
      const auto part = static_cast<std::uint32_t>(std::min<std::size_t>(left, whole.n - taken));
      if (part > 0) chunk_->append_run({whole.row, part});
      left -= part;
      taken += part;
      if (taken == whole.n) {
        ++run;
        taken = 0;
      }
    }
    chunk_->append_columns(view.columns.subspan(at, n));
    for (std::size_t f = 0; f < block.forms.size(); ++f) {
      append_stored(block.forms[f], view.values[f], at, n, layout().fields[f].type,
                    chunk_->values(f));
    }
    at += n;
    n_pixels_ += n;
    if (chunk_->size_pixels() == length) submit_chunk();
  }
}

void LevelWriter::begin_chunk() { chunk_ = std::make_unique<ChunkTask>(*this, n_pixels_); }

void LevelWriter::submit_chunk() { pool_.submit(std::move(chunk_)); }

void LevelWriter::add_stored(const reader::StoredPiece& piece, std::span<const std::byte> bytes) {
  const StageScope stage(Stage::store);
  if (piece.offset != stored_chunk_.size() || piece.offset + piece.bytes > piece.chunk_bytes ||
      piece.column >= cool::kFirstField + layout().fields.size()) {
    fail(ErrorCode::worker, "a reader sent part of a stored chunk out of order");
  }
  if (piece.bytes == piece.chunk_bytes) {
    return store_kept(piece, bytes);
  }
  stored_chunk_.insert(stored_chunk_.end(), bytes.begin(), bytes.end());
  if (stored_chunk_.size() < piece.chunk_bytes) return;
  store_kept(piece, stored_chunk_);
  stored_chunk_.clear();
}

void LevelWriter::begin_file() { file_.emplace(path_, first_layout_, kept_); }

void LevelWriter::store_chunk(std::size_t column, std::uint64_t first, std::uint64_t n,
                              std::span<const std::byte> bytes) {
  if (file_) return file_->store(column, first, n, 0, bytes);
  ChunkRecord record{ChunkRecord::Kind::chunk, place_.level, narrow<std::uint32_t>(column)};
  record.first = first;
  record.n = n;
  place_.log->append(record, bytes);
}

void LevelWriter::store_kept(const reader::StoredPiece& piece, std::span<const std::byte> chunk) {
  count({.items = 1, .bytes_out = chunk.size()});
  if (file_) return file_->store_kept(piece.column, piece.chunk, piece.mask, chunk);
  ChunkRecord record{ChunkRecord::Kind::kept, place_.level, piece.column, piece.mask};
  record.first = piece.chunk;
  place_.log->append(record, chunk);
}

void LevelWriter::store_widening(std::size_t field, NumberType type) {
  layout_.fields[field].type = type;
  if (file_) return file_->widen(field, type);
  ChunkRecord record{ChunkRecord::Kind::widen, place_.level, narrow<std::uint32_t>(field)};
  record.n = static_cast<std::uint64_t>(type);
  place_.log->append(record, {});
}

void LevelWriter::play(const ChunkRecord& record, std::span<const std::byte> bytes) {
  switch (record.kind) {
    case ChunkRecord::Kind::chunk:
      return file_->store(record.column, record.first, record.n, record.mask, bytes);
    case ChunkRecord::Kind::kept:
      return file_->store_kept(record.column, record.first, record.mask, bytes);
    case ChunkRecord::Kind::widen:
      return file_->widen(record.column, static_cast<NumberType>(record.n));
  }
}

void CountTotals::save(wire::Encoder& out) const {
  out.put(integers);
  out.put(reals);
  const pixels::NumpySum<float>::State state = singles.state();
  out.put(state.closed_blocks);
  out.put_span(std::span<const float>(state.open_block));
  out.put(std::uint8_t{exact.has_value()});
  out.put(exact.value_or(0.0));
}

void CountTotals::restore(wire::Decoder& in) {
  integers = in.get<pixels::IntegerTally>();
  reals = in.get<pixels::FloatTally>();
  const auto closed_blocks = in.get<float>();
  singles.resume({closed_blocks, in.get_vector<float>()});
  const bool is_exact = in.get<std::uint8_t>() != 0;
  const auto total = in.get<double>();
  exact = is_exact ? std::optional(total) : std::nullopt;
}

// Rows are counted up to the last; those after it have no pixels yet.
void LevelWriter::save(wire::Encoder& out) const {
  for (const cool::FieldLayout& field : layout_.fields) out.put(field.type);
  out.put(n_pixels_);
  out.put(last_row_);
  out.put_span(std::span<const std::int64_t>(row_counts_)
                   .first(static_cast<std::size_t>(last_row_) + (row_counts_.size() > 1 ? 2 : 1)));
  totals_.save(out);
  out.put_span(std::span<const std::byte>(stored_chunk_));
  out.put(narrow<std::uint32_t>(notes_.size()));
  for (const std::string& note : notes_) out.put_string(note);
  out.put(std::uint8_t{chunk_ != nullptr});
  out.put(chunk_ ? std::uint64_t{chunk_->size_pixels()} : 0);
  if (chunk_) chunk_->save(out);
}

void LevelWriter::restore(wire::Decoder& in) {
  for (cool::FieldLayout& field : layout_.fields) field.type = in.get<NumberType>();
  n_pixels_ = in.get<std::uint64_t>();
  last_row_ = in.get<std::int64_t>();
  const std::vector<std::int64_t> counts = in.get_vector<std::int64_t>();
  std::copy(counts.begin(), counts.end(), row_counts_.begin());
  totals_.restore(in);
  stored_chunk_ = in.get_vector<std::byte>();
  const auto n_notes = in.get<std::uint32_t>();
  for (std::uint32_t i = 0; i < n_notes; ++i) notes_.push_back(in.get_string());
  const bool has_chunk = in.get<std::uint8_t>() != 0;
  const auto n_in_chunk = in.get<std::uint64_t>();
  if (!has_chunk) return;
  chunk_ = std::make_unique<ChunkTask>(*this, n_pixels_ - n_in_chunk);
  chunk_->restore(in);
}

void LevelWriter::set_source_totals(std::vector<std::int64_t> row_offsets,
                                    const CountTotals& totals) {
  row_counts_ = std::move(row_offsets);
  n_pixels_ = static_cast<std::uint64_t>(row_counts_.back());
  totals_ = totals;
}

std::optional<cool::CountSum> LevelWriter::sum() const {
  if (!count_) return std::nullopt;
  cool::CountSum sum;
  const NumberType type = layout().fields[*count_].type;
  if (totals_.exact) {
    sum.is_float = true;
    sum.real = *totals_.exact;
  } else if (is_float(type)) {
    sum.is_float = true;
    sum.real = type == NumberType::f32 && kept_ == nullptr ? double{totals_.singles.total()}
                                                           : totals_.reals.sum();
  } else {
    sum.is_unsigned = !is_signed(type);
    sum.integer = totals_.integers.checked_sum();
  }
  return sum;
}

void LevelWriter::close_chunk() {
  if (chunk_) submit_chunk();
  pool_.drain();
}

std::optional<h5::BlockSums> LevelWriter::finish(cool::LevelSummary summary) {
  close_chunk();
  const StageScope stage(Stage::tables);
  count({.items = 1});
  if (kept_ == nullptr) {
    std::partial_sum(row_counts_.begin(), row_counts_.end(), row_counts_.begin());
  }
  summary.row_offsets = std::move(row_counts_);
  summary.sum = sum();
  return file_->finish(summary);
}

}  // namespace ziggurat::engine
