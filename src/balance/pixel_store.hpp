// One level's pixels in the form that the iteration reads: compact, in table order, in segments.
//
// Problem: a balance run reads every pixel some 30 times, so the cost of a pass is what matters,
// and the table (20 bytes a pixel) is too large to keep as it is.
// Method: 32-bit columns and counts in the narrowest exact code of the segment: 5 bytes a pixel
// where nearly all counts are below 255 (the usual case), 6 up to 65534, 8 where all values are
// exact as float, else 12. The few values that do not fit a narrow code are escapes in a side list.
// Row pointers take 4 bytes a row and segment. A segment is about a million pixels, built through
// a staging buffer, so neither the number of pixels nor their largest value need be known ahead.
// Invariants: pixels stay in table order; a segment never crosses one of the borders at which the
// sums of a pass are cut (see marginals.hpp), though a row may be split over two segments.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "balance/arena.hpp"

namespace ziggurat::balance {

// Which pixels take part: all, those within a chromosome, those between chromosomes.
enum class Contacts { all, cis, trans };

// Whether a stored pixel stands for its mirror image too.
enum class Symmetry { upper, square };

struct StoreLayout {
  std::vector<std::int64_t> chrom_offsets;  // first bin of each chromosome, then number of bins
  Contacts contacts = Contacts::all;
  Symmetry symmetry = Symmetry::upper;
  std::int64_t ignore_diags = 2;           // pixels with |column - row| below this are left out
  std::int64_t chunk_pixels = 10'000'000;  // cooler's chunk size, 1 or more; see cut_pixels

  // Table rows between the borders at which the sums of a pass are cut: chunk_pixels, or less, so
  // that there are chunks enough to keep threads busy, yet so many pixels a bin in each that adding
  // up the chunks' sums is a small part of the work. It depends on the map alone, so results do
  // too.
  [[nodiscard]] std::int64_t cut_pixels() const {
    return std::min(chunk_pixels, std::max<std::int64_t>(1 << 20, 4 * bins()));
  }

  [[nodiscard]] std::int64_t bins() const { return chrom_offsets.back(); }
  [[nodiscard]] std::int64_t chromosomes() const {
    return static_cast<std::int64_t>(chrom_offsets.size()) - 1;
  }
};

// A value that its segment's code cannot hold, at an index within the segment.
struct Escape {
  std::uint32_t index;
  double value;
};

enum class CountCode { u8, u16, f32, f64 };

// Consecutive pixels of the table, less those left out. Arrays belong to an arena.
struct Segment {
  std::int64_t first_row = 0;
  std::int64_t chromosome = 0;    // of first_row; of all rows when contacts are cis
  std::int64_t genome_chunk = 0;  // which run of chunk_pixels table rows it lies in,
  std::int64_t chrom_chunk = 0;   // and which of those that are counted from the chromosome's start
  std::span<std::uint32_t> row_starts;  // rows + 1 indices into columns
  std::span<std::uint32_t> columns;     // ascending within a row
  CountCode code = CountCode::u8;
  std::span<std::byte> counts;  // columns.size() codes
  std::vector<Escape> escapes;  // by index

  [[nodiscard]] std::int64_t rows() const {
    return static_cast<std::int64_t>(row_starts.size()) - 1;
  }
  [[nodiscard]] std::int64_t end_row() const { return first_row + rows(); }
};

// Makes the segments of one run of whole table rows. Several builders, one for each of successive
// runs, may work at the same time on one arena; their results are appended in order.
class StoreBuilder {
 public:
  // Where the run begins: its first bin, the table position of its first pixel, and the table
  // position of the first pixel of that bin's chromosome.
  struct Start {
    std::int64_t row = 0;
    std::int64_t pixel = 0;
    std::int64_t chrom_pixel = 0;
  };

  // Requires: layout and arena outlive the builder; the arena also what is made of its segments.
  StoreBuilder(const StoreLayout& layout, Arena& arena, Start start);
  StoreBuilder(const StoreLayout& layout, Arena& arena) : StoreBuilder(layout, arena, Start{}) {}

  // The next pixels of the table, all of one row: rows never descend, and rows without pixels need
  // not be named. Count is std::int64_t, std::int32_t, float or double. Columns that do not ascend
  // are sorted. Requires: columns below bins().
  // Throws: what Arena::allocate throws.
  template <typename Count>
  void append_row(std::int64_t row, std::span<const std::uint32_t> columns,
                  std::span<const Count> counts);

  // The segments so far; the builder is spent.
  [[nodiscard]] std::vector<Segment> finish();

 private:
  template <typename Count>
  void stage(std::int64_t row, std::span<const std::uint32_t> columns,
             std::span<const Count> counts);
  template <typename Count>
  void append_sorted(std::int64_t row, std::span<const std::uint32_t> columns,
                     std::span<const Count> counts);
  void enter_row(std::int64_t row);
  [[nodiscard]] std::int64_t pixels_to_border() const;
  void seal();

  const StoreLayout& layout_;
  Arena& arena_;
  const std::int64_t cut_pixels_;
  std::int64_t pixel_;        // table position of the next pixel
  std::int64_t chrom_pixel_;  // table position at which the chromosome began
  std::int64_t chromosome_;
  Segment open_;  // its position only; the arrays follow when it is sealed
  std::vector<std::uint32_t> row_starts_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> counts_;
  std::vector<Segment> sealed_;
};

// Thread rules: any number of threads may read; append and drop want the store to themselves.
class PixelStore {
 public:
  // Requires: arena outlives the store.
  PixelStore(StoreLayout layout, Arena& arena) : layout_(std::move(layout)), arena_(arena) {}

  [[nodiscard]] const StoreLayout& layout() const { return layout_; }
  [[nodiscard]] Arena& arena() const { return arena_; }
  [[nodiscard]] std::span<const Segment> segments() const { return segments_; }
  [[nodiscard]] std::int64_t pixels() const;

  // Adds what a builder made; runs are appended in table order.
  void append(std::vector<Segment> segments);

  // Forgets pixels whose row or column is masked, and when contacts are trans those within a
  // chromosome. Sums over the rest are the same to the bit: a masked bin's factor is 0, and adding
  // 0.0 changes nothing. Only a NaN or an infinity times 0 does, so those pixels stay.
  // Memory is not given back. Requires: one entry a bin.
  void drop(const std::vector<bool>& masked);

 private:
  StoreLayout layout_;
  Arena& arena_;
  std::vector<Segment> segments_;
};

}  // namespace ziggurat::balance
