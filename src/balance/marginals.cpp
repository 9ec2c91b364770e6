#include "balance/marginals.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>

#include "balance/count_codes.hpp"

namespace ziggurat::balance {
namespace {

// Two for each thread, so that a slow chunk does not make the others wait, up to a number that
// bounds the memory: 32 buffers of a map with 3 million bins take 0.8 GB.
constexpr int kMostBuffers = 32;
constexpr std::int64_t kBinsPerTask = 16384;

PassChunk describe(std::span<const Segment> segments) {
  PassChunk chunk{segments, segments.front().first_row, segments.back().end_row(), 0, 0};
  chunk.first_bin = chunk.first_row;
  chunk.end_bin = chunk.end_row;
  for (const Segment& s : segments) {
    for (std::size_t r = 0; r + 1 < s.row_starts.size(); ++r) {
      if (s.row_starts[r] == s.row_starts[r + 1]) continue;
      const std::int64_t last = s.columns[s.row_starts[r + 1] - 1];
      chunk.first_bin = std::min<std::int64_t>(chunk.first_bin, s.columns[s.row_starts[r]]);
      chunk.end_bin = std::max(chunk.end_bin, last + 1);
    }
  }
  return chunk;
}

template <typename Counts>
class NonZero {
 public:
  explicit NonZero(const Counts& counts) : counts_(counts) {}
  double operator()(std::uint32_t i) const { return counts_(i) != 0 ? 1.0 : 0.0; }

 private:
  const Counts& counts_;
};

// The loop over pixels. row_sums begins with the segment's first row; a row that began in the
// segment before goes on where that left off.
template <typename Values>
void add_segment(const Segment& segment, const Values& values, const double* factors,
                 double* row_sums, double* column_sums) {
  const std::uint32_t* columns = segment.columns.data();
  for (std::size_t r = 0; r + 1 < segment.row_starts.size(); ++r) {
    const double factor = factors[segment.first_row + static_cast<std::int64_t>(r)];
    double row_sum = row_sums[r];
    const std::uint32_t end = segment.row_starts[r + 1];
    for (std::uint32_t i = segment.row_starts[r]; i < end; ++i) {
      const double x = (factor * factors[columns[i]]) * values(i);
      row_sum += x;
      column_sums[columns[i]] += x;
    }
    row_sums[r] = row_sum;
  }
}

void compute(const PassChunk& chunk, const Eigen::ArrayXd& factors, Summand summand,
             PassBuffer& buffer) {
  buffer.row_sums.assign(static_cast<std::size_t>(chunk.end_row - chunk.first_row), 0.0);
  buffer.column_sums.resize(static_cast<std::size_t>(factors.size()));
  std::fill(buffer.column_sums.begin() + chunk.first_bin,
            buffer.column_sums.begin() + chunk.end_bin, 0.0);
  for (const Segment& segment : chunk.segments) {
    double* row_sums = buffer.row_sums.data() + (segment.first_row - chunk.first_row);
    double* column_sums = buffer.column_sums.data();
    visit_counts(segment, [&](const auto& counts) {
      if (summand == Summand::count) {
        add_segment(segment, counts, factors.data(), row_sums, column_sums);
      } else {
        add_segment(segment, NonZero(counts), factors.data(), row_sums, column_sums);
      }
    });
  }
}

// Adds what a chunk has for bins [first, end). Outside of its rows the sum over rows is 0.
void add_bins(const PassChunk& chunk, const PassBuffer& buffer, std::int64_t first,
              std::int64_t end, Eigen::ArrayXd& sums) {
  const std::int64_t stop = std::min(end, chunk.end_bin);
  for (std::int64_t b = std::max(first, chunk.first_bin); b < stop; ++b) {
    const double column_sum = buffer.column_sums[static_cast<std::size_t>(b)];
    const bool has_row = b >= chunk.first_row && b < chunk.end_row;
    sums[b] += has_row ? buffer.row_sums[static_cast<std::size_t>(b - chunk.first_row)] + column_sum
                       : column_sum;
  }
}

// Calls function on each index below n; as tasks when there are several.
template <typename Function>
void for_each_index(std::size_t n, const Function& function) {
  if (n == 1) return function(std::size_t{0});
  tbb::parallel_for(std::size_t{0}, n, function);
}

// Calls function(first, end) on parts of a range of bins; as tasks when it is a long one.
template <typename Function>
void for_parts(std::int64_t first, std::int64_t end, const Function& function) {
  if (end - first <= kBinsPerTask) return function(first, end);
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(first, end, kBinsPerTask),
                    [&](const auto& range) { function(range.begin(), range.end()); });
}

}  // namespace

PassBuffers::PassBuffers() {
  const int threads = tbb::this_task_arena::max_concurrency();
  buffers_.resize(static_cast<std::size_t>(threads == 1 ? 1 : std::min(2 * threads, kMostBuffers)));
}

MarginalPass::MarginalPass(std::span<const Segment> segments, Borders borders) {
  const auto key = [borders](const Segment& s) {
    return borders == Borders::genome ? std::tuple(std::int64_t{0}, s.genome_chunk)
                                      : std::tuple(s.chromosome, s.chrom_chunk);
  };
  while (!segments.empty()) {
    const auto end = std::find_if(segments.begin(), segments.end(), [&](const Segment& s) {
      return key(s) != key(segments.front());
    });
    const auto n = static_cast<std::size_t>(std::distance(segments.begin(), end));
    chunks_.push_back(describe(segments.first(n)));
    segments = segments.subspan(n);
  }
}

void MarginalPass::run(const Eigen::ArrayXd& factors, Summand summand, std::int64_t first_bin,
                       std::int64_t end_bin, PassBuffers& buffers, Eigen::ArrayXd& sums) const {
  sums.segment(first_bin, end_bin - first_bin).setZero();
  const std::span<PassBuffer> all = buffers.all();
  for (std::span<const PassChunk> rest = chunks_; !rest.empty();) {
    const std::span<const PassChunk> wave = rest.first(std::min(rest.size(), all.size()));
    for_each_index(wave.size(), [&](std::size_t i) { compute(wave[i], factors, summand, all[i]); });
    for_parts(first_bin, end_bin, [&](std::int64_t first, std::int64_t end) {
      for (std::size_t i = 0; i < wave.size(); ++i) add_bins(wave[i], all[i], first, end, sums);
    });
    rest = rest.subspan(wave.size());
  }
}

}  // namespace ziggurat::balance
