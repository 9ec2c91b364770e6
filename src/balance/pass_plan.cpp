#include "balance/pass_plan.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>

namespace ziggurat::balance {
namespace {

// Below this a pass over the chunk takes some 50 us, which tasks cannot shorten.
constexpr std::int64_t kSerialPixels = 1 << 15;
// More stripes balance better, but put more pixels outside of their own stripe.
constexpr std::int64_t kStripesPerThread = 2;
// A row's part in a stripe is a loop of its own: it should find some pixels there.
constexpr std::int64_t kPixelsPerCrossing = 4;
// Every which pixel is looked at to balance the stripes.
constexpr std::size_t kSampleStep = 8;

std::int64_t pixels_of(std::span<const Segment> segments) {
  std::int64_t n = 0;
  for (const Segment& s : segments) n += static_cast<std::int64_t>(s.columns.size());
  return n;
}

std::int64_t stripes_for(std::int64_t pixels, std::int64_t rows) {
  const std::int64_t threads = tbb::this_task_arena::max_concurrency();
  if (threads == 1 || pixels < kSerialPixels) return 1;
  return std::clamp<std::int64_t>(pixels / (kPixelsPerCrossing * rows), 1,
                                  kStripesPerThread * threads);
}

// Sets the bins that bound rows and columns as the only stripe.
void bound(PassChunk& chunk) {
  std::int64_t lowest = chunk.first_row;
  std::int64_t end = chunk.end_row;
  for (const Segment& s : chunk.segments) {
    for (std::size_t r = 0; r + 1 < s.row_starts.size(); ++r) {
      if (s.row_starts[r] == s.row_starts[r + 1]) continue;
      lowest = std::min<std::int64_t>(lowest, s.columns[s.row_starts[r]]);
      end = std::max<std::int64_t>(end, std::int64_t{s.columns[s.row_starts[r + 1] - 1]} + 1);
    }
  }
  chunk.stripe_starts = {lowest, end};
}

// Cuts the only stripe into n of about equally many pixels.
void split(PassChunk& chunk, std::int64_t n) {
  const std::int64_t first = chunk.stripe_starts.front();
  const std::int64_t end = chunk.stripe_starts.back();
  std::vector<std::int64_t> sampled(static_cast<std::size_t>(end - first));
  std::int64_t total = 0;
  for (const Segment& s : chunk.segments) {
    for (std::size_t i = 0; i < s.columns.size(); i += kSampleStep, ++total) {
      ++sampled[static_cast<std::size_t>(s.columns[i] - first)];
    }
  }
  chunk.stripe_starts = {first};
  std::int64_t seen = 0;
  for (std::int64_t bin = first; bin < end - 1; ++bin) {
    seen += sampled[static_cast<std::size_t>(bin - first)];
    const auto made = static_cast<std::int64_t>(chunk.stripe_starts.size());
    if (made < n && seen * n >= total * made) chunk.stripe_starts.push_back(bin + 1);
  }
  chunk.stripe_starts.push_back(end);
}

std::vector<std::uint32_t> crossings_of(const Segment& s,
                                        const std::vector<std::int64_t>& stripe_starts) {
  std::vector<std::uint32_t> crossings;
  crossings.reserve(static_cast<std::size_t>(s.rows()) * stripe_starts.size());
  for (std::size_t r = 0; r + 1 < s.row_starts.size(); ++r) {
    auto from = s.columns.begin() + s.row_starts[r];
    const auto end = s.columns.begin() + s.row_starts[r + 1];
    for (const std::int64_t start : stripe_starts) {
      from = std::lower_bound(from, end, start);
      crossings.push_back(static_cast<std::uint32_t>(std::distance(s.columns.begin(), from)));
    }
  }
  return crossings;
}

PassChunk plan_chunk(std::span<const Segment> segments) {
  PassChunk chunk;
  chunk.segments = segments;
  chunk.first_row = segments.front().first_row;
  chunk.end_row = segments.back().end_row();
  bound(chunk);
  const std::int64_t n = stripes_for(pixels_of(segments), chunk.end_row - chunk.first_row);
  if (n == 1) return chunk;
  split(chunk, n);
  chunk.crossings.resize(segments.size());
  tbb::parallel_for(std::size_t{0}, segments.size(), [&](std::size_t i) {
    chunk.crossings[i] = crossings_of(segments[i], chunk.stripe_starts);
  });
  return chunk;
}

}  // namespace

std::vector<PassChunk> plan_chunks(std::span<const Segment> segments, Borders borders) {
  const auto key = [borders](const Segment& s) {
    return borders == Borders::genome ? std::tuple(std::int64_t{0}, s.genome_chunk)
                                      : std::tuple(s.chromosome, s.chrom_chunk);
  };
  std::vector<PassChunk> chunks;
  while (!segments.empty()) {
    const auto end = std::find_if(segments.begin(), segments.end(), [&](const Segment& s) {
      return key(s) != key(segments.front());
    });
    const auto n = static_cast<std::size_t>(std::distance(segments.begin(), end));
    chunks.push_back(plan_chunk(segments.first(n)));
    segments = segments.subspan(n);
  }
  return chunks;
}

}  // namespace ziggurat::balance
