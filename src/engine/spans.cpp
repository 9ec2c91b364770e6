#include "engine/spans.hpp"

#include <algorithm>
#include <numeric>

namespace ziggurat::engine {

namespace {

// Rows between two places where every level begins a new coarse row. Once it is longer than any
// chromosome only their ends are left, so larger numbers need not be told apart.
std::int64_t common_multiple(const std::vector<std::int64_t>& factors, std::int64_t longest) {
  std::int64_t multiple = 1;
  for (const std::int64_t factor : factors) {
    if (factor > longest) return longest;
    multiple = multiple / std::gcd(multiple, factor) * factor;
    if (multiple >= longest) return longest;
  }
  return multiple;
}

}  // namespace

int worthwhile_readers(std::uint64_t n_pixels, int processes) {
  const std::uint64_t spans = n_pixels / static_cast<std::uint64_t>(kSpanPixels) + 1;
  return static_cast<int>(std::min<std::uint64_t>(static_cast<std::uint64_t>(processes), spans));
}

std::vector<reader::RowSpan> cut_spans(const genome::BinTable& bins,
                                       std::span<const std::int64_t> row_offsets,
                                       const std::vector<std::int64_t>& factors,
                                       std::int64_t pixels) {
  std::int64_t longest = 1;
  for (std::int64_t c = 0; c < bins.n_chroms(); ++c) {
    longest = std::max(longest, bins.chrom_offset(c + 1) - bins.chrom_offset(c));
  }
  const std::int64_t step = common_multiple(factors, longest);
  std::vector<reader::RowSpan> spans;
  std::int64_t first = 0;
  const auto pixels_before = [&](std::int64_t row) {
    return row_offsets[static_cast<std::size_t>(row)];
  };
  const auto cut = [&](std::int64_t row) {
    spans.push_back({static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(row)});
    first = row;
  };
  for (std::int64_t c = 0; c < bins.n_chroms(); ++c) {
    const std::int64_t end = bins.chrom_offset(c + 1);
    for (std::int64_t row = bins.chrom_offset(c); row < end;) {
      row = std::min(row + step, end);
      if (pixels_before(row) - pixels_before(first) >= pixels) cut(row);
    }
  }
  if (first < bins.n_bins()) cut(bins.n_bins());
  return spans;
}

}  // namespace ziggurat::engine
