#include "coarsen/sum_aggregator.hpp"

#include <limits>
#include <optional>

#include "base/check.hpp"
#include "coarsen/column_marks.hpp"
#include "pixels/kahan.hpp"

namespace ziggurat::coarsen {

namespace {

// What is the same for every kind of sum: which row is open and how rows end.
template <typename Derived>
class OpenRowAggregator : public RowAggregator {
 public:
  OpenRowAggregator(std::span<const std::uint32_t> ids, std::uint32_t n_coarse_bins)
      : ids_(ids), marks_(n_coarse_bins) {}

  void consume(const PixelBatch& in, PixelBatch& out) override {
    std::size_t at = 0;
    for (const RowRun run : in.runs) {
      const std::uint32_t row = ids_[run.row];
      if (row != open_row_) finish(out);
      open_row_ = row;
      n_added_ += run.n;
      self().add(in, at, run.n);
      at += run.n;
    }
  }

  void finish(PixelBatch& out) override {
    if (n_added_ > 0) {
      const std::size_t before = out.size();
      out.columns.resize(before + n_added_);
      const std::size_t n = self().emit(out, before);
      out.columns.resize(before + n);
      out.runs.push_back({open_row_, static_cast<std::uint32_t>(n)});
    }
    n_added_ = 0;
  }

 protected:
  std::span<const std::uint32_t> ids_;
  ColumnMarks marks_;
  std::uint32_t open_row_ = std::numeric_limits<std::uint32_t>::max();
  std::size_t n_added_ = 0;  // input pixels in the open row: bounds the output pixels

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

class IntegerSums : public OpenRowAggregator<IntegerSums> {
 public:
  IntegerSums(std::span<const std::uint32_t> ids, std::uint32_t n_coarse_bins)
      : OpenRowAggregator(ids, n_coarse_bins), sums_(n_coarse_bins) {}

  void add(const PixelBatch& in, std::size_t first, std::size_t n) {
    if (in.compact) {
      add_narrow(in.columns.data() + first, in.counts.data() + first, n);
    } else {
      const auto& counts = std::get<std::vector<std::int64_t>>(in.values.front());
      add_wide(in.columns.data() + first, counts.data() + first, n);
    }
  }

  // Appends the open row in ascending columns; its sums go out in 32 bits while they all fit.
  std::size_t emit(PixelBatch& out, std::size_t before) {
    row_.resize(n_added_);
    std::size_t n = 0;
    std::uint32_t* columns = out.columns.data() + before;
    marks_.drain([&](std::uint32_t column) {
      columns[n] = column;
      row_[n] = sums_[column];
      sums_[column] = 0;
      ++n;
    });
    if (out.compact && !append_narrow(out, before, n)) out.widen();
    if (!out.compact) {
      auto& counts = std::get<std::vector<std::int64_t>>(out.values.front());
      counts.insert(counts.end(), row_.begin(), row_.begin() + static_cast<std::ptrdiff_t>(n));
    }
    return n;
  }

 private:
  // 32-bit terms cannot carry a 64-bit sum over its end: that would take 2^32 pixels in one.
  void add_narrow(const std::uint32_t* columns, const std::int32_t* counts, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t column = ids_[columns[i]];
      sums_[column] += counts[i];
      marks_.mark(column);
    }
  }

  void add_wide(const std::uint32_t* columns, const std::int64_t* counts, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t column = ids_[columns[i]];
      if (__builtin_add_overflow(sums_[column], counts[i], &sums_[column])) {
        fail(ErrorCode::format, "the sum of counts in coarse pixel ({}, {}) is beyond int64",
             open_row_, column);
      }
      marks_.mark(column);
    }
  }

  bool append_narrow(PixelBatch& out, std::size_t before, std::size_t n) {
    out.counts.resize(before + n);
    std::int32_t* counts = out.counts.data() + before;
    std::int64_t lost = 0;
    for (std::size_t i = 0; i < n; ++i) {
      counts[i] = static_cast<std::int32_t>(row_[i]);
      lost |= row_[i] ^ counts[i];
    }
    if (lost != 0) out.counts.resize(before);
    return lost == 0;
  }

  std::vector<std::int64_t> sums_;
  Buffer<std::int64_t> row_;
};

// Kahan sums in T itself, terms in table order, NaN left out: the numbers cooler gets.
template <typename T>
class FloatSums : public OpenRowAggregator<FloatSums<T>> {
 public:
  FloatSums(std::span<const std::uint32_t> ids, std::uint32_t n_coarse_bins)
      : OpenRowAggregator<FloatSums<T>>(ids, n_coarse_bins), sums_(n_coarse_bins) {}

  void add(const PixelBatch& in, std::size_t first, std::size_t n) {
    const auto& values = std::get<std::vector<T>>(in.values.front());
    for (std::size_t i = first; i < first + n; ++i) {
      const std::uint32_t column = this->ids_[in.columns[i]];
      if (values[i] == values[i]) sums_[column].add(values[i]);
      this->marks_.mark(column);
    }
  }

  std::size_t emit(PixelBatch& out, std::size_t before) {
    if (out.compact) {
      out.compact = false;
      out.values.assign(1, std::vector<T>{});
    }
    auto& values = std::get<std::vector<T>>(out.values.front());
    std::size_t n = 0;
    this->marks_.drain([&](std::uint32_t column) {
      out.columns[before + n++] = column;
      values.push_back(sums_[column].sum);
      sums_[column] = {};
    });
    return n;
  }

 private:
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
