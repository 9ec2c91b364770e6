#include "balance/marginals.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "balance/count_codes.hpp"
#include "balance/pass_plan.hpp"

namespace ziggurat::balance {
namespace {

constexpr std::int64_t kRowsPerTask = 512;
constexpr std::int64_t kBinsPerTask = 16384;

// Where the pixels of each row and stripe of a segment begin.
class Crossings {
 public:
  Crossings(const PassChunk& chunk, std::size_t segment)
      : first_row_(chunk.segments[segment].first_row),
        stride_(chunk.stripes() == 1 ? 1 : chunk.stripes() + 1),
        starts_(chunk.stripes() == 1 ? chunk.segments[segment].row_starts.data()
                                     : chunk.crossings[segment].data()) {}

  // For stripe == stripes() the end of the row.
  std::uint32_t operator()(std::int64_t row, std::size_t stripe) const {
    return starts_[static_cast<std::size_t>(row - first_row_) * stride_ + stripe];
  }

 private:
  std::int64_t first_row_;
  std::size_t stride_;
  const std::uint32_t* starts_;
};

// The three loops over pixels. Values maps an index in the segment to what is summed.
template <typename Values>
class Loops {
 public:
  Loops(const Values& values, const Segment& segment, const double* factors, PassBuffers& buffers)
      : values_(values),
        columns_(segment.columns.data()),
        factors_(factors),
        row_sums_(buffers.row_sums.data()),
        column_sums_(buffers.column_sums.data()) {}

  void add_to_both(std::int64_t row, std::uint32_t begin, std::uint32_t end) const {
    const double factor = factors_[row];
    double sum = row_sums_[row];
    for (std::uint32_t i = begin; i < end; ++i) {
      const double x = (factor * factors_[columns_[i]]) * values_(i);
      sum += x;
      column_sums_[columns_[i]] += x;
    }
    row_sums_[row] = sum;
  }

  void add_to_columns(std::int64_t row, std::uint32_t begin, std::uint32_t end) const {
    const double factor = factors_[row];
    for (std::uint32_t i = begin; i < end; ++i) {
      column_sums_[columns_[i]] += (factor * factors_[columns_[i]]) * values_(i);
    }
  }

  void add_to_row(std::int64_t row, std::uint32_t begin, std::uint32_t end) const {
    const double factor = factors_[row];
    double sum = row_sums_[row];
    for (std::uint32_t i = begin; i < end; ++i) {
      sum += (factor * factors_[columns_[i]]) * values_(i);
    }
    row_sums_[row] = sum;
  }

 private:
  const Values& values_;
  const std::uint32_t* columns_;
  const double* factors_;
  double* row_sums_;
  double* column_sums_;
};

template <typename Counts>
class NonZero {
 public:
  explicit NonZero(const Counts& counts) : counts_(counts) {}
  double operator()(std::uint32_t i) const { return counts_(i) != 0 ? 1.0 : 0.0; }

 private:
  const Counts& counts_;
};

// One chunk at work: the tasks of the two steps.
class ChunkRun {
 public:
  ChunkRun(const PassChunk& chunk, Symmetry symmetry, const Eigen::ArrayXd& factors,
           Summand summand, PassBuffers& buffers)
      : chunk_(chunk),
        rows_begin_in_own_stripe_(symmetry == Symmetry::upper || chunk.stripes() == 1),
        factors_(factors),
        summand_(summand),
        buffers_(buffers) {}

  void clear(std::int64_t first, std::int64_t end) const {
    buffers_.row_sums.segment(first, end - first).setZero();
    buffers_.column_sums.segment(first, end - first).setZero();
  }

  void add_stripe(std::size_t stripe) const {
    const std::int64_t first = chunk_.stripe_starts[stripe];
    const std::int64_t end = chunk_.stripe_starts[stripe + 1];
    clear(first, end);
    // Rows of the stripe's own bins; none where that is no place for a row to begin.
    const std::int64_t own_first = rows_begin_in_own_stripe_ ? first : chunk_.end_row;
    for (std::size_t s = 0; s < chunk_.segments.size(); ++s) {
      const Segment& segment = chunk_.segments[s];
      const Crossings crossing(chunk_, s);
      with_loops(segment, [&](const auto& loops) {
        std::int64_t row = segment.first_row;
        for (; row < std::min(own_first, segment.end_row()); ++row) {
          loops.add_to_columns(row, crossing(row, stripe), crossing(row, stripe + 1));
        }
        for (; row < std::min(end, segment.end_row()); ++row) {
          loops.add_to_both(row, crossing(row, stripe), crossing(row, stripe + 1));
        }
      });
    }
  }

  // What add_stripe left out of the sums of rows [first, end).
  void add_rows(std::int64_t first, std::int64_t end) const {
    for (std::size_t s = 0; s < chunk_.segments.size(); ++s) {
      const Segment& segment = chunk_.segments[s];
      const std::int64_t begin = std::max(first, segment.first_row);
      const std::int64_t stop = std::min(end, segment.end_row());
      if (begin >= stop) continue;
      const Crossings crossing(chunk_, s);
      with_loops(segment, [&](const auto& loops) {
        std::size_t stripe = first_stripe(begin);
        for (std::int64_t row = begin; row < stop; ++row) {
          if (rows_begin_in_own_stripe_) {
            while (row >= chunk_.stripe_starts[stripe]) ++stripe;
          }
          loops.add_to_row(row, crossing(row, stripe), crossing(row, chunk_.stripes()));
        }
      });
    }
  }

 private:
  // The first stripe whose pixels add_stripe did not add to the sum of this row.
  [[nodiscard]] std::size_t first_stripe(std::int64_t row) const {
    if (!rows_begin_in_own_stripe_) return 0;
    const auto& starts = chunk_.stripe_starts;
    return static_cast<std::size_t>(
        std::distance(starts.begin(), std::upper_bound(starts.begin(), starts.end(), row)));
  }

  template <typename Function>
  void with_loops(const Segment& segment, const Function& function) const {
    visit_counts(segment, [&](const auto& counts) {
      if (summand_ == Summand::count) {
        function(Loops(counts, segment, factors_.data(), buffers_));
      } else {
        const NonZero values(counts);
        function(Loops(values, segment, factors_.data(), buffers_));
      }
    });
  }

  const PassChunk& chunk_;
  const bool rows_begin_in_own_stripe_;
  const Eigen::ArrayXd& factors_;
  const Summand summand_;
  PassBuffers& buffers_;
};

// Calls function(first, end) on parts of [first, end); in turn when it is one part anyway.
template <typename Function>
void for_parts(std::int64_t first, std::int64_t end, std::int64_t part, const Function& function) {
  if (end - first <= part) return function(first, end);
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(first, end, part),
                    [&](const auto& range) { function(range.begin(), range.end()); });
}

void run_chunk(const PassChunk& chunk, const ChunkRun& run) {
  if (chunk.stripes() == 1) return run.add_stripe(0);
  tbb::parallel_for(std::size_t{0}, chunk.stripes(),
                    [&](std::size_t stripe) { run.add_stripe(stripe); });
  for_parts(chunk.first_row, chunk.end_row, kRowsPerTask,
            [&](std::int64_t first, std::int64_t end) { run.add_rows(first, end); });
}

}  // namespace

MarginalPass::MarginalPass(const StoreLayout& layout, std::span<const Segment> segments,
                           Borders borders)
    : symmetry_(layout.symmetry), chunks_(plan_chunks(segments, borders)) {}

void MarginalPass::run(const Eigen::ArrayXd& factors, Summand summand, std::int64_t first_bin,
                       std::int64_t end_bin, PassBuffers& buffers, Eigen::ArrayXd& sums) const {
  sums.segment(first_bin, end_bin - first_bin).setZero();
  for (const PassChunk& chunk : chunks_) {
    run_chunk(chunk, ChunkRun(chunk, symmetry_, factors, summand, buffers));
    for_parts(chunk.stripe_starts.front(), chunk.stripe_starts.back(), kBinsPerTask,
              [&](std::int64_t first, std::int64_t end) {
                sums.segment(first, end - first) += buffers.row_sums.segment(first, end - first) +
                                                    buffers.column_sums.segment(first, end - first);
              });
  }
}

}  // namespace ziggurat::balance
