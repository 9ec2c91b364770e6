#include "report/track.hpp"

#include <algorithm>
#include <cmath>

namespace ziggurat::report {

namespace {

constexpr double kColumns = 960;
constexpr double kMb = 1e6;

}  // namespace

TrackBuilder::TrackBuilder(std::span<const Chromosome> chromosomes, std::vector<std::int32_t> drawn)
    : drawn_(std::move(drawn)) {
  double length = 0;
  for (const std::int32_t c : drawn_) {
    length += static_cast<double>(chromosomes[static_cast<std::size_t>(c)].length);
  }
  std::int64_t first = 0;
  for (const std::int32_t c : drawn_) {
    const Chromosome& chromosome = chromosomes[static_cast<std::size_t>(c)];
    const double share = static_cast<double>(chromosome.length) / std::max(length, 1.0);
    const std::int64_t n = std::max<std::int64_t>(1, std::llround(kColumns * share));
    track_.spans.push_back({chromosome.name, first, n, chromosome.length});
    first += n;
  }
  track_.coverage.assign(static_cast<std::size_t>(first), 0);
}

template <typename Use>
void TrackBuilder::for_each_part(std::span<const std::int64_t> offsets, Use use) const {
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    const auto c = static_cast<std::size_t>(drawn_[i]);
    const PictureSpan& span = track_.spans[i];
    const std::int64_t n_bins = offsets[c + 1] - offsets[c];
    const double columns_each = static_cast<double>(span.n_cells) / static_cast<double>(n_bins);
    for (std::int64_t bin = 0; bin < n_bins; ++bin) {
      const double begin = static_cast<double>(bin) * columns_each;
      const double end = begin + columns_each;
      auto column = static_cast<std::int64_t>(begin);
      for (; column < span.n_cells && static_cast<double>(column) < end; ++column) {
        const double from = std::max(begin, static_cast<double>(column));
        const double to = std::min(end, static_cast<double>(column + 1));
        if (to <= from) continue;
        use(static_cast<std::size_t>(offsets[c] + bin),
            static_cast<std::size_t>(span.first_cell + column), (to - from) / columns_each);
      }
    }
  }
}

void TrackBuilder::add_coverage(std::span<const std::int64_t> offsets,
                                std::span<const double> coverage) {
  for_each_part(offsets, [&](std::size_t bin, std::size_t column, double share) {
    track_.coverage[column] += coverage[bin] * share;
  });
  for (const PictureSpan& span : track_.spans) {
    const double mb_each =
        static_cast<double>(span.length) / static_cast<double>(span.n_cells) / kMb;
    for (std::int64_t i = 0; i < span.n_cells; ++i) {
      track_.coverage[static_cast<std::size_t>(span.first_cell + i)] /= mb_each;
    }
  }
}

void TrackBuilder::add_masked(std::span<const std::int64_t> offsets,
                              std::span<const double> weights, std::span<const LeftOutBy> rules) {
  auto& rows = track_.masked.emplace_back();
  if (weights.empty()) return;
  const std::size_t n_columns = track_.coverage.size();
  for (std::vector<double>& row : rows) row.assign(n_columns, 0);
  std::vector<double> looked_at(n_columns, 0);
  for_each_part(offsets, [&](std::size_t bin, std::size_t column, double share) {
    looked_at[column] += share;
    if (std::isnan(weights[bin])) rows.at(static_cast<std::size_t>(rules[bin]))[column] += share;
  });
  for (std::vector<double>& row : rows) {
    for (std::size_t i = 0; i < n_columns; ++i) {
      if (looked_at[i] > 0) row[i] /= looked_at[i];
    }
  }
}

}  // namespace ziggurat::report
