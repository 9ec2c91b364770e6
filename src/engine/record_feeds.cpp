#include "engine/record_feeds.hpp"

#include <bit>
#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "pixels/reduce.hpp"

namespace ziggurat::engine {

namespace {

constexpr std::size_t kBatchPixels = std::size_t{1} << 16;

void add_cell(coarsen::PixelBatch& batch, std::uint32_t row, std::uint32_t column) {
  if (batch.runs.empty() || batch.runs.back().row != row) batch.runs.push_back({row, 0});
  ++batch.runs.back().n;
  batch.columns.push_back(column);
}

void add_value(const RecordField& field, const std::uint64_t* record, pixels::Column& column) {
  const std::uint64_t word = field.word > 0 ? record[field.word] : 1;
  std::visit(
      [&](auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if (std::is_integral_v<Value> || field.word == 0) {
          values.push_back(static_cast<Value>(static_cast<std::int64_t>(word)));
        } else {
          values.push_back(static_cast<Value>(std::bit_cast<double>(word)));
        }
      },
      column);
}

}  // namespace

CountFeed::CountFeed(contacts::RunMerge& records, RecordFeedLayout layout, NumberType type,
                     Observer& observer)
    : records_(records),
      layout_(std::move(layout)),
      type_(type),
      observer_(observer),
      record_(records_.next()) {}

bool CountFeed::next(coarsen::PixelBatch& batch) {
  if (observer_.cancelled()) fail(ErrorCode::cancelled, "stopped");
  batch.clear();
  batch.values.clear();
  batch.compact = type_ == NumberType::i32;
  if (!batch.compact) batch.values.push_back(pixels::make_column(pixels::kind_of(type_)));
  const contacts::KeyLayout& keys = layout_.keys;
  while (record_ != nullptr && batch.size() < kBatchPixels) {
    const std::uint64_t key = *record_;
    std::uint64_t count = 0;
    for (; record_ != nullptr && keys.pixel(*record_) == keys.pixel(key);
         record_ = records_.next()) {
      count += keys.count(*record_);
    }
    put(batch, key, count);
    done_ += count;
  }
  observer_.progress({"writing", layout_.output, done_, layout_.total, "contacts"});
  return batch.size() > 0;
}

void CountFeed::put(coarsen::PixelBatch& batch, std::uint64_t key, std::uint64_t count) const {
  if (batch.compact && count > std::numeric_limits<std::int32_t>::max()) batch.widen();
  add_cell(batch, layout_.keys.row(key), layout_.keys.column(key));
  if (batch.compact) {
    batch.counts.push_back(static_cast<std::int32_t>(count));
    return;
  }
  std::visit(
      [&](auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        values.push_back(static_cast<Value>(count));
      },
      batch.values.front());
}

ValueFeed::ValueFeed(contacts::RunMerge& records, RecordFeedLayout layout,
                     std::vector<RecordField> fields, bool refuse_repeats, Observer& observer)
    : records_(records),
      layout_(std::move(layout)),
      fields_(std::move(fields)),
      refuse_repeats_(refuse_repeats),
      observer_(observer),
      ids_(static_cast<std::size_t>(layout_.n_bins)) {
  std::iota(ids_.begin(), ids_.end(), 0U);
  std::vector<coarsen::FieldRule> rules;
  for (const RecordField& field : fields_) rules.push_back(field.rule);
  aggregator_ = coarsen::make_aggregator(ids_, static_cast<std::uint32_t>(ids_.size()), rules);
}

bool ValueFeed::next(coarsen::PixelBatch& batch) {
  if (observer_.cancelled()) fail(ErrorCode::cancelled, "stopped");
  prepare(batch, true);
  while (batch.size() == 0 && !ended_) {
    prepare(rows_, false);
    gather();
    if (rows_.size() > 0) {
      aggregator_->consume(rows_, batch);
    } else {
      aggregator_->finish(batch);
      ended_ = true;
    }
  }
  observer_.progress({"writing", layout_.output, done_, layout_.total, "contacts"});
  return batch.size() > 0;
}

// Empty, with columns of the right kinds.
void ValueFeed::prepare(coarsen::PixelBatch& batch, bool combined) const {
  batch.clear();
  batch.compact = false;
  batch.values.clear();
  for (const RecordField& field : fields_) {
    const pixels::ColumnKind kind = pixels::kind_of(field.rule.source);
    batch.values.push_back(
        pixels::make_column(combined ? pixels::result_kind(field.rule.aggregation, kind) : kind));
  }
}

void ValueFeed::gather() {
  const contacts::KeyLayout& keys = layout_.keys;
  while (rows_.size() < kBatchPixels) {
    const std::uint64_t* record = records_.next();
    if (record == nullptr) return;
    const std::uint32_t row = keys.row(*record);
    const std::uint32_t column = keys.column(*record);
    if (refuse_repeats_ && last_pixel_ == keys.pixel(*record)) {
      fail(ErrorCode::format, "{}: pixel (bin1 {}, bin2 {}) is given more than once", layout_.label,
           row, column);
    }
    last_pixel_ = keys.pixel(*record);
    add_cell(rows_, row, column);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      add_value(fields_[f], record, rows_.values[f]);
    }
    ++done_;
  }
}

}  // namespace ziggurat::engine
