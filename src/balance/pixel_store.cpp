#include "balance/pixel_store.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "balance/count_codes.hpp"
#include "base/check.hpp"

namespace ziggurat::balance {
namespace {

// Large enough that a segment's fixed cost vanishes, small enough that staging stays at 12 MB.
constexpr std::size_t kSegmentPixels = std::size_t{1} << 20U;

// An escape costs a binary search, some 50 ns: one in 512 adds 0.1 ns a pixel to a pass.
constexpr std::size_t kPixelsPerEscape = 512;

// Whole numbers of this size and less are unchanged by the addition, all others are rounded to
// whole ones: unlike std::trunc it is one instruction of every processor, on several values at
// once.
constexpr double kRounder = 0x1p52;

// Written without branches, so that loops over it work on several values at once.
template <typename Code>
bool fits(double value) {
  const bool in_range = (value >= 0) & (value < static_cast<double>(kEscapeCode<Code>));
  return in_range & ((value + kRounder) - kRounder == value);
}

template <>
bool fits<float>(double value) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return std::abs(value) <= kLargest && value == static_cast<double>(static_cast<float>(value));
}

template <typename Code>
std::size_t misfits(std::span<const double> values) {
  std::size_t n = 0;
  for (const double value : values) n += fits<Code>(value) ? 0 : 1;
  return n;
}

CountCode narrowest_code(std::span<const double> values) {
  const std::size_t allowed = values.size() / kPixelsPerEscape;
  if (misfits<std::uint8_t>(values) <= allowed) return CountCode::u8;
  if (misfits<std::uint16_t>(values) <= allowed) return CountCode::u16;
  if (misfits<float>(values) == 0) return CountCode::f32;
  return CountCode::f64;
}

// Codes of values that all fit.
template <typename Code>
void convert(std::span<const double> values, std::span<Code> codes) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    codes[i] = static_cast<Code>(static_cast<std::int32_t>(values[i]));
  }
}

// Blocks without an escape, which nearly all are, take the loop without a branch.
template <typename Code>
void encode_narrow(std::span<const double> values, Arena& arena, Segment& segment) {
  constexpr std::size_t kBlock = 256;
  const std::span<Code> codes = arena.allocate<Code>(values.size());
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const std::size_t end = std::min(first + kBlock, values.size());
    const std::span<const double> block = values.subspan(first, end - first);
    if (misfits<Code>(block) == 0) {
      convert<Code>(block, codes.subspan(first, block.size()));
      continue;
    }
    for (std::size_t i = first; i < end; ++i) {
      const bool fit = fits<Code>(values[i]);
      codes[i] = fit ? static_cast<Code>(values[i]) : kEscapeCode<Code>;
      if (!fit) segment.escapes.push_back({static_cast<std::uint32_t>(i), values[i]});
    }
  }
  segment.counts = std::as_writable_bytes(codes);
}

template <typename Float>
void encode_wide(std::span<const double> values, Arena& arena, Segment& segment) {
  const std::span<Float> codes = arena.allocate<Float>(values.size());
  std::transform(values.begin(), values.end(), codes.begin(),
                 [](double v) { return static_cast<Float>(v); });
  segment.counts = std::as_writable_bytes(codes);
}

void encode_counts(std::span<const double> values, Arena& arena, Segment& segment) {
  segment.code = narrowest_code(values);
  switch (segment.code) {
    case CountCode::u8:
      return encode_narrow<std::uint8_t>(values, arena, segment);
    case CountCode::u16:
      return encode_narrow<std::uint16_t>(values, arena, segment);
    case CountCode::f32:
      return encode_wide<float>(values, arena, segment);
    case CountCode::f64:
      return encode_wide<double>(values, arena, segment);
  }
}

bool ascends(std::span<const std::uint32_t> columns) {
  bool ascending = true;
  for (std::size_t i = 1; i < columns.size(); ++i) ascending &= columns[i - 1] <= columns[i];
  return ascending;
}

std::span<std::uint32_t> copy_to(Arena& arena, const std::vector<std::uint32_t>& values) {
  const std::span<std::uint32_t> copy = arena.allocate<std::uint32_t>(values.size());
  std::copy(values.begin(), values.end(), copy.begin());
  return copy;
}

std::int64_t chromosome_of(const std::vector<std::int64_t>& offsets, std::int64_t bin) {
  return std::distance(offsets.begin(), std::upper_bound(offsets.begin(), offsets.end(), bin)) - 1;
}

// Index of the first of ascending columns that is not below bound.
std::size_t first_from(std::span<const std::uint32_t> columns, std::int64_t bound) {
  const auto below = [](std::uint32_t column, std::int64_t b) { return std::int64_t{column} < b; };
  return static_cast<std::size_t>(std::distance(
      columns.begin(), std::lower_bound(columns.begin(), columns.end(), bound, below)));
}

// Keeps, in place, the pixels of a segment for which keep(row, column, index) holds. The counts
// that keep reads at an index are still there: what is written lies at that index or before.
template <typename Code, typename Keep>
void compact(Segment& segment, const Keep& keep) {
  Code* codes = reinterpret_cast<Code*>(segment.counts.data());
  std::uint32_t kept = 0;
  std::uint32_t begin = 0;
  std::vector<Escape> escapes;
  auto escape = segment.escapes.begin();
  for (std::size_t r = 0; r + 1 < segment.row_starts.size(); ++r) {
    const std::int64_t row = segment.first_row + static_cast<std::int64_t>(r);
    const std::uint32_t end = segment.row_starts[r + 1];
    for (std::uint32_t i = begin; i < end; ++i) {
      const bool escaped = escape != segment.escapes.end() && escape->index == i;
      if (keep(row, segment.columns[i], i)) {
        if (escaped) escapes.push_back({kept, escape->value});
        segment.columns[kept] = segment.columns[i];
        codes[kept] = codes[i];
        ++kept;
      }
      if (escaped) ++escape;
    }
    segment.row_starts[r + 1] = kept;
    begin = end;
  }
  segment.columns = segment.columns.first(kept);
  segment.counts = segment.counts.first(kept * sizeof(Code));
  segment.escapes = std::move(escapes);
}

// The pixels to keep: those of bins that are not masked or not finite, and between chromosomes
// when only those count.
class Survivors {
 public:
  Survivors(const StoreLayout& layout, const std::vector<std::uint8_t>& masked, std::int64_t chrom)
      : offsets_(layout.chrom_offsets),
        trans_only_(layout.contacts == Contacts::trans),
        masked_(masked),
        chrom_(chrom) {}

  // Rows must not descend from one call to the next.
  template <typename Counts>
  bool has(std::int64_t row, std::uint32_t column, std::uint32_t index, const Counts& counts) {
    if (trans_only_ && column < end_of_chromosome(row) && column >= start_of_chromosome()) {
      return false;
    }
    const bool left_out = (masked_[static_cast<std::size_t>(row)] | masked_[column]) != 0;
    return !left_out || !std::isfinite(counts(index));
  }

 private:
  std::int64_t end_of_chromosome(std::int64_t row) {
    while (row >= offsets_[static_cast<std::size_t>(chrom_) + 1]) ++chrom_;
    return offsets_[static_cast<std::size_t>(chrom_) + 1];
  }
  std::int64_t start_of_chromosome() const { return offsets_[static_cast<std::size_t>(chrom_)]; }

  const std::vector<std::int64_t>& offsets_;
  const bool trans_only_;
  const std::vector<std::uint8_t>& masked_;
  std::int64_t chrom_;
};

}  // namespace

StoreBuilder::StoreBuilder(const StoreLayout& layout, Arena& arena, Start start)
    : layout_(layout),
      arena_(arena),
      cut_pixels_(layout.cut_pixels()),
      pixel_(start.pixel),
      chrom_pixel_(start.chrom_pixel),
      chromosome_(std::max<std::int64_t>(chromosome_of(layout.chrom_offsets, start.row), 0)) {}

void StoreBuilder::enter_row(std::int64_t row) {
  const std::int64_t before = chromosome_;
  while (row >= layout_.chrom_offsets[static_cast<std::size_t>(chromosome_) + 1]) ++chromosome_;
  if (chromosome_ == before) return;
  chrom_pixel_ = pixel_;
  if (layout_.contacts == Contacts::cis) seal();
}

std::int64_t StoreBuilder::pixels_to_border() const {
  const std::int64_t to_genome_border = cut_pixels_ - pixel_ % cut_pixels_;
  if (layout_.contacts != Contacts::cis) return to_genome_border;
  return std::min(to_genome_border, cut_pixels_ - (pixel_ - chrom_pixel_) % cut_pixels_);
}

template <typename Count>
void StoreBuilder::append_row(std::int64_t row, std::span<const std::uint32_t> columns,
                              std::span<const Count> counts) {
  if (ascends(columns)) return append_sorted(row, columns, counts);
  std::vector<std::size_t> order(columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [columns](std::size_t a, std::size_t b) { return columns[a] < columns[b]; });
  std::vector<std::uint32_t> sorted_columns;
  std::vector<Count> sorted_counts;
  for (const std::size_t i : order) {
    sorted_columns.push_back(columns[i]);
    sorted_counts.push_back(counts[i]);
  }
  append_sorted<Count>(row, sorted_columns, sorted_counts);
}

template <typename Count>
void StoreBuilder::append_sorted(std::int64_t row, std::span<const std::uint32_t> columns,
                                 std::span<const Count> counts) {
  enter_row(row);
  while (!columns.empty()) {
    const std::int64_t to_border = pixels_to_border();
    const std::size_t n = std::min(columns.size(), static_cast<std::size_t>(to_border));
    stage(row, columns.first(n), counts.first(n));
    pixel_ += static_cast<std::int64_t>(n);
    columns = columns.subspan(n);
    counts = counts.subspan(n);
    if (std::cmp_equal(n, to_border)) seal();
  }
  if (columns_.size() >= kSegmentPixels) seal();
}

template <typename Count>
void StoreBuilder::stage(std::int64_t row, std::span<const std::uint32_t> columns,
                         std::span<const Count> counts) {
  if (row_starts_.empty()) {
    open_.first_row = row;
    open_.chromosome = chromosome_;
    open_.genome_chunk = pixel_ / cut_pixels_;
    open_.chrom_chunk = (pixel_ - chrom_pixel_) / cut_pixels_;
  }
  row_starts_.resize(static_cast<std::size_t>(row - open_.first_row) + 1,
                     static_cast<std::uint32_t>(columns_.size()));
  std::size_t begin = 0;
  std::size_t end = columns.size();
  if (layout_.contacts == Contacts::cis) {
    begin = first_from(columns, layout_.chrom_offsets[static_cast<std::size_t>(chromosome_)]);
    end = first_from(columns, layout_.chrom_offsets[static_cast<std::size_t>(chromosome_) + 1]);
  }
  const auto keep = [&](std::size_t from, std::size_t to) {
    if (from >= to) return;
    const std::span<const std::uint32_t> kept = columns.subspan(from, to - from);
    columns_.insert(columns_.end(), kept.begin(), kept.end());
    const std::span<const Count> values = counts.subspan(from, to - from);
    const std::size_t n_staged = counts_.size();
    counts_.resize(n_staged + values.size());
    std::transform(values.begin(), values.end(),
                   counts_.begin() + static_cast<std::ptrdiff_t>(n_staged),
                   [](Count value) { return static_cast<double>(value); });
  };
  // Columns ascend, so the ignored diagonals are one gap in them.
  const std::int64_t ignored = std::max<std::int64_t>(layout_.ignore_diags, 0);
  const std::size_t gap_begin = first_from(columns, row - ignored + 1);
  const std::size_t gap_end = first_from(columns, row + ignored);
  keep(begin, ignored > 0 ? std::min(end, gap_begin) : end);
  if (ignored > 0) keep(std::max(begin, gap_end), end);
}

void StoreBuilder::seal() {
  if (!columns_.empty()) {
    row_starts_.push_back(static_cast<std::uint32_t>(columns_.size()));
    Segment segment = open_;
    segment.row_starts = copy_to(arena_, row_starts_);
    segment.columns = copy_to(arena_, columns_);
    encode_counts(counts_, arena_, segment);
    sealed_.push_back(std::move(segment));
  }
  row_starts_.clear();
  columns_.clear();
  counts_.clear();
}

std::vector<Segment> StoreBuilder::finish() {
  seal();
  return std::move(sealed_);
}

template void StoreBuilder::append_row(std::int64_t, std::span<const std::uint32_t>,
                                       std::span<const std::int32_t>);
template void StoreBuilder::append_row(std::int64_t, std::span<const std::uint32_t>,
                                       std::span<const std::int64_t>);
template void StoreBuilder::append_row(std::int64_t, std::span<const std::uint32_t>,
                                       std::span<const float>);
template void StoreBuilder::append_row(std::int64_t, std::span<const std::uint32_t>,
                                       std::span<const double>);

std::int64_t PixelStore::pixels() const {
  std::int64_t n = 0;
  for (const Segment& segment : segments_) n += narrow<std::int64_t>(segment.columns.size());
  return n;
}

void PixelStore::append(std::vector<Segment> segments) {
  std::move(segments.begin(), segments.end(), std::back_inserter(segments_));
}

void PixelStore::drop(const std::vector<bool>& masked) {
  // A byte a bin: the bits of a vector<bool> would be the larger part of the work.
  const std::vector<std::uint8_t> marks(masked.begin(), masked.end());
  tbb::parallel_for(std::size_t{0}, segments_.size(), [&](std::size_t s) {
    Segment& segment = segments_[s];
    const Segment before = segment;
    Survivors survivors(layout_, marks, segment.chromosome);
    visit_counts(before, [&]<typename Counts>(const Counts& counts) {
      compact<typename Counts::Code>(
          segment, [&](std::int64_t row, std::uint32_t column, std::uint32_t index) {
            return survivors.has(row, column, index, counts);
          });
    });
  });
}

}  // namespace ziggurat::balance
