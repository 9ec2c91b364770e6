#include "coarsen/sum_aggregator.hpp"

#include <limits>
#include <optional>

#include "base/check.hpp"
#include "coarsen/column_marks.hpp"
#include "coarsen/merged_row.hpp"
#include "coarsen/positive_row.hpp"
#include "coarsen/row_kernels.hpp"
#include "pixels/kahan.hpp"

namespace ziggurat::coarsen {

namespace {

// What is the same for every kind of sum: which row is open and how rows end.
template <typename Derived>
class OpenRowAggregator : public RowAggregator {
 public:
  explicit OpenRowAggregator(std::span<const std::uint32_t> ids) : ids_(ids) {}

  void consume(const PixelBatch& in, PixelBatch& out) override {
    std::size_t at = 0;
    for (const RowRun run : in.runs) {
      const std::uint32_t row = ids_[run.row];
      if (row != open_row_) finish(out);
      open_row_ = row;
      fine_row_ = run.row;
      n_added_ += run.n;
      self().add(in, at, run.n);
      at += run.n;
    }
  }

  void finish(PixelBatch& out) override {
    if (n_added_ > 0) {
      const std::size_t before = out.size();
      out.columns.resize(before + n_added_ + kSlack);
      const std::size_t n = self().emit(out, before);
      out.columns.resize(before + n);
      out.runs.push_back({open_row_, static_cast<std::uint32_t>(n)});
    }
    n_added_ = 0;
  }

 protected:
  std::span<const std::uint32_t> ids_;
  std::uint32_t open_row_ = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t fine_row_ = 0;  // the row of what is added
  std::size_t n_added_ = 0;     // input pixels in the open row: bounds the output pixels

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

// Whether rows become one in twos. Where none do, rows of several maps are added up instead, and
// how many those are is not known.
bool are_pairs(std::span<const std::uint32_t> ids) {
  bool is_any = ids.size() > 1 && ids[0] == ids[1];
  for (std::size_t i = 2; i < ids.size(); ++i) {
    if (ids[i] == ids[i - 2]) return false;
    is_any |= ids[i] == ids[i - 1];
  }
  return is_any;
}

// A row is summed in 32 bits, by merging where that is faster, until it gets counts for which these
// do not serve; then what it has is moved to 64 bits.
class IntegerSums : public OpenRowAggregator<IntegerSums> {
 public:
  IntegerSums(std::span<const std::uint32_t> ids, std::uint32_t n_coarse_bins)
      : OpenRowAggregator(ids),
        n_coarse_bins_(n_coarse_bins),
        are_pairs_(are_pairs(ids)),
        narrow_(n_coarse_bins) {}

  void add(const PixelBatch& in, std::size_t first, std::size_t n) {
    const std::span<const std::uint32_t> columns(in.columns.data() + first, n);
    if (!in.compact) {
      const auto& counts = std::get<std::vector<std::int64_t>>(in.values.front());
      add_wide(columns, counts.data() + first);
      return;
    }
    const std::span<const std::int32_t> counts(in.counts.data() + first, n);
    if (is_wide_ || !add_narrow(columns, counts)) add_wide(columns, counts.data());
  }

  // Appends the open row in ascending columns; its sums go out in 32 bits while they all fit.
  std::size_t emit(PixelBatch& out, std::size_t before) {
    if (is_wide_) return emit_wide(out, before);
    if (out.compact) {
      out.counts.resize(out.columns.size());
      const std::size_t n = drain(out.columns.data() + before, out.counts.data() + before);
      out.counts.resize(before + n);
      return n;
    }
    row_counts_.resize(n_added_ + kSlack);
    const std::size_t n = drain(out.columns.data() + before, row_counts_.data());
    auto& counts = std::get<std::vector<std::int64_t>>(out.values.front());
    counts.insert(counts.end(), row_counts_.data(), row_counts_.data() + n);
    return n;
  }

 private:
  // How a row is summed is decided by its first pixels, and so by the map alone.
  bool add_narrow(std::span<const std::uint32_t> columns, std::span<const std::int32_t> counts) {
    const bool is_first = merged_.empty() && narrow_.empty();
    const bool merge =
        is_first ? are_pairs_ && MergedRow::is_sparse(counts.size(), n_coarse_bins_ - open_row_)
                 : !merged_.empty();
    return merge ? merged_.add(fine_row_, columns, counts, ids_.data())
                 : narrow_.add(columns, counts, ids_.data());
  }

  std::size_t drain(std::uint32_t* columns, std::int32_t* counts) {
    return merged_.empty() ? narrow_.drain(columns, counts) : merged_.drain(columns, counts);
  }

  template <typename Count>
  void add_wide(std::span<const std::uint32_t> columns, const Count* counts) {
    if (!is_wide_) widen_row();
    for (std::size_t i = 0; i < columns.size(); ++i) add_to(ids_[columns[i]], counts[i]);
  }

  void add_to(std::uint32_t column, std::int64_t count) {
    if (__builtin_add_overflow(sums_[column], count, &sums_[column])) {
      fail(ErrorCode::format, "the sum of counts in coarse pixel ({}, {}) is beyond int64",
           open_row_, column);
    }
    marks_->mark(column);
  }

  void widen_row() {
    if (!marks_) {
      marks_.emplace(n_coarse_bins_);
      sums_.resize(n_coarse_bins_);
    }
    is_wide_ = true;
    Buffer<std::uint32_t> columns(n_added_ + kSlack);
    row_counts_.resize(n_added_ + kSlack);
    const std::size_t n = drain(columns.data(), row_counts_.data());
    for (std::size_t i = 0; i < n; ++i) add_to(columns[i], row_counts_[i]);
  }

  std::size_t emit_wide(PixelBatch& out, std::size_t before) {
    is_wide_ = false;
    row_sums_.resize(n_added_);
    std::size_t n = 0;
    std::uint32_t* columns = out.columns.data() + before;
    marks_->drain([&](std::uint32_t column) {
      columns[n] = column;
      row_sums_[n] = sums_[column];
      sums_[column] = 0;
      ++n;
    });
    if (out.compact && !append_narrow(out, before, n)) out.widen();
    if (!out.compact) {
      auto& counts = std::get<std::vector<std::int64_t>>(out.values.front());
      counts.insert(counts.end(), row_sums_.data(), row_sums_.data() + n);
    }
    return n;
  }

  bool append_narrow(PixelBatch& out, std::size_t before, std::size_t n) {
    out.counts.resize(before + n);
    std::int32_t* counts = out.counts.data() + before;
    std::int64_t lost = 0;
    for (std::size_t i = 0; i < n; ++i) {
      counts[i] = static_cast<std::int32_t>(row_sums_[i]);
      lost |= row_sums_[i] ^ counts[i];
    }
    if (lost != 0) out.counts.resize(before);
    return lost == 0;
  }

  std::uint32_t n_coarse_bins_;
  bool are_pairs_;
  MergedRow merged_;  // the open row is here or in narrow_
  PositiveRow narrow_;
  bool is_wide_ = false;  // or in sums_, of those columns that are marked
  std::optional<ColumnMarks> marks_;
  std::vector<std::int64_t> sums_;
  Buffer<std::int32_t> row_counts_;
  Buffer<std::int64_t> row_sums_;
};

// Kahan sums in T itself, terms in table order, NaN left out: the numbers cooler gets.
template <typename T>
class FloatSums : public OpenRowAggregator<FloatSums<T>> {
 public:
  FloatSums(std::span<const std::uint32_t> ids, std::uint32_t n_coarse_bins)
      : OpenRowAggregator<FloatSums<T>>(ids), marks_(n_coarse_bins), sums_(n_coarse_bins) {}

  void add(const PixelBatch& in, std::size_t first, std::size_t n) {
    const auto& values = std::get<std::vector<T>>(in.values.front());
    for (std::size_t i = first; i < first + n; ++i) {
      const std::uint32_t column = this->ids_[in.columns[i]];
      if (values[i] == values[i]) sums_[column].add(values[i]);
      marks_.mark(column);
    }
  }

  std::size_t emit(PixelBatch& out, std::size_t before) {
    if (out.compact) {
      out.compact = false;
      out.values.assign(1, std::vector<T>{});
    }
    auto& values = std::get<std::vector<T>>(out.values.front());
    std::size_t n = 0;
    marks_.drain([&](std::uint32_t column) {
      out.columns[before + n++] = column;
      values.push_back(sums_[column].sum);
      sums_[column] = {};
    });
    return n;
  }

 private:
  ColumnMarks marks_;
  std::vector<pixels::KahanSum<T>> sums_;
};

}  // namespace

std::unique_ptr<RowAggregator> make_sum_aggregator(std::span<const std::uint32_t> ids,
                                                   std::uint32_t n_coarse_bins,
                                                   pixels::ColumnKind kind) {
  switch (kind) {
    case pixels::ColumnKind::integer:
      return std::make_unique<IntegerSums>(ids, n_coarse_bins);
    case pixels::ColumnKind::single_precision:
      return std::make_unique<FloatSums<float>>(ids, n_coarse_bins);
    case pixels::ColumnKind::double_precision:
      break;
  }
  return std::make_unique<FloatSums<double>>(ids, n_coarse_bins);
}

}  // namespace ziggurat::coarsen
