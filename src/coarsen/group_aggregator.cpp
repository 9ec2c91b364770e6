// The pixels of the open coarse row are kept, sorted by coarse column without changing the order of
// equals, and each group is reduced field by field. Memory: the input pixels of one coarse row.
// Cost: a sort, several times that of the dense sums; it serves the rare requests.
#include "coarsen/group_aggregator.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "coarsen/sum_aggregator.hpp"
#include "pixels/decode.hpp"
#include "pixels/reduce.hpp"

namespace ziggurat::coarsen {

namespace {

pixels::Column permuted(const pixels::Column& column, const std::vector<std::size_t>& order) {
  return std::visit(
      [&](const auto& values) -> pixels::Column {
        std::decay_t<decltype(values)> sorted;
        sorted.reserve(order.size());
        for (const std::size_t i : order) sorted.push_back(values[i]);
        return sorted;
      },
      column);
}

// What is read back after storing `column` as `target`: children must start from the stored values.
// Integers stay exact, since a level whose sums do not fit is stored in a wider type.
pixels::Column as_stored(pixels::Column column, NumberType target) {
  const bool integers = pixels::kind_of(column) == pixels::ColumnKind::integer && !is_float(target);
  if (integers) return column;
  std::vector<std::byte> bytes;
  pixels::encode_values(column, 0, pixels::size(column), target, bytes);
  pixels::Column stored = pixels::make_column(pixels::kind_of(target));
  pixels::decode_values(bytes, target, stored);
  return stored;
}

double total_of(const pixels::Column& column) {
  double total = 0;
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) {
          if (value == value) total += static_cast<double>(value);
        }
      },
      column);
  return total;
}

class GroupAggregator : public RowAggregator {
 public:
  GroupAggregator(std::span<const std::uint32_t> ids, const std::vector<FieldRule>& rules)
      : ids_(ids), rules_(rules) {
    for (const FieldRule& rule : rules_) {
      fields_.push_back(pixels::make_column(pixels::kind_of(rule.source)));
    }
  }

  void consume(const PixelBatch& in, PixelBatch& out) override {
    PixelBatch wide;
    if (in.compact) {
      wide = in;
      wide.widen();
    }
    const PixelBatch& batch = in.compact ? wide : in;
    std::size_t at = 0;
    for (const RowRun run : batch.runs) {
      const std::uint32_t row = ids_[run.row];
      if (row != open_row_) finish(out);
      open_row_ = row;
      add(batch, at, run.n);
      at += run.n;
    }
  }

  void finish(PixelBatch& out) override {
    if (columns_.empty()) return;
    prepare(out);
    const std::vector<std::size_t> order = sorted_order();
    const std::vector<std::int64_t> bounds = append_columns(order, out);
    for (std::size_t f = 0; f < rules_.size(); ++f) append_field(f, order, bounds, out);
    columns_.clear();
    for (pixels::Column& field : fields_) pixels::clear(field);
  }

 private:
  void add(const PixelBatch& batch, std::size_t first, std::size_t n) {
    for (std::size_t i = first; i < first + n; ++i) columns_.push_back(ids_[batch.columns[i]]);
    const auto from = static_cast<std::int64_t>(first);
    const auto to = static_cast<std::int64_t>(first + n);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      pixels::append(fields_[f], batch.values[f], from, to);
    }
  }

  void prepare(PixelBatch& out) const {
    if (!out.compact) return;
    out.compact = false;
    out.values.clear();
    for (const FieldRule& rule : rules_) {
      out.values.push_back(pixels::make_column(pixels::kind_of(rule.target)));
    }
  }

  std::vector<std::size_t> sorted_order() const {
    std::vector<std::size_t> order(columns_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return columns_[a] < columns_[b]; });
    return order;
  }

  // Appends the distinct columns and returns where each group of equals begins, and the end.
  std::vector<std::int64_t> append_columns(const std::vector<std::size_t>& order,
                                           PixelBatch& out) const {
    std::vector<std::int64_t> bounds;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && columns_[order[i]] == columns_[order[i - 1]]) continue;
      bounds.push_back(static_cast<std::int64_t>(i));
      out.columns.push_back(columns_[order[i]]);
    }
    out.runs.push_back({open_row_, static_cast<std::uint32_t>(bounds.size())});
    bounds.push_back(static_cast<std::int64_t>(order.size()));
    return bounds;
  }

  void append_field(std::size_t f, const std::vector<std::size_t>& order,
                    const std::vector<std::int64_t>& bounds, PixelBatch& out) const {
    const FieldRule& rule = rules_[f];
    pixels::Column reduced =
        pixels::make_column(pixels::result_kind(rule.aggregation, pixels::kind_of(rule.source)));
    try {
      pixels::reduce_groups(rule.aggregation, permuted(fields_[f], order), bounds, reduced);
    } catch (const Error& error) {
      const auto group = static_cast<std::size_t>(pixels::size(reduced));
      if (error.code() != ErrorCode::format || group + 1 >= bounds.size()) throw;
      fail(ErrorCode::format, "coarse pixel ({}, {}): {}", open_row_,
           columns_[order[static_cast<std::size_t>(bounds[group])]], error.what());
    }
    const bool is_exact =
        pixels::kind_of(reduced) == pixels::ColumnKind::integer && !is_float(rule.target);
    if (rule.is_count && !is_exact) {
      out.exact_total = out.exact_total.value_or(0.0) + total_of(reduced);
    }
    pixels::append(out.values[f], as_stored(std::move(reduced), rule.target));
  }

  std::span<const std::uint32_t> ids_;
  std::vector<FieldRule> rules_;
  std::uint32_t open_row_ = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> columns_;  // coarse columns of the open row's pixels, table order
  std::vector<pixels::Column> fields_;  // and their values
};

}  // namespace

std::unique_ptr<RowAggregator> make_group_aggregator(std::span<const std::uint32_t> ids,
                                                     const std::vector<FieldRule>& rules) {
  return std::make_unique<GroupAggregator>(ids, rules);
}

std::unique_ptr<RowAggregator> make_aggregator(std::span<const std::uint32_t> ids,
                                               std::uint32_t n_coarse_bins,
                                               const std::vector<FieldRule>& rules) {
  const bool one_sum =
      rules.size() == 1 && rules.front().aggregation == Aggregation::sum &&
      rules.front().target != NumberType::f16 &&
      pixels::kind_of(rules.front().source) == pixels::kind_of(rules.front().target);
  if (one_sum)
    return make_sum_aggregator(ids, n_coarse_bins, pixels::kind_of(rules.front().source));
  return make_group_aggregator(ids, rules);
}

}  // namespace ziggurat::coarsen
