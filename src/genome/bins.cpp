// Bin tables: two storages behind one face, and pooling neighbouring bins.
//
// A coarse bin is k neighbouring bins of one chromosome, counted from its first. Grouping is by
// position in the table and never by bp, so one rule serves uniform maps, restriction fragments and
// cropped tables, and coarsening by a and then by b is coarsening by a * b.
//
//   bins      |0    |1    |2    |3  |   |4    |5   |       k = 2
//             chr1, 3.5 widths long      chr2, 1.8 widths
//   coarse    |0          |1        |   |2         |       no group reaches over the chromosome
//   edge
//
// A uniform table stays uniform, with k times the width: ceil(ceil(L/w)/k) == ceil(L/(w*k)).
// The last group of a chromosome may be short; the format says it ends at the chromosome's length.
#include "genome/bins.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/check.hpp"
#include "genome/bin_columns.hpp"

namespace ziggurat::genome {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

void check_factor(std::int64_t k) {
  if (k < 1) fail(ErrorCode::usage, "cannot pool {} bins into one: the factor must be positive", k);
}

std::int64_t pooled_width(std::int64_t width, std::int64_t k) {
  const auto product = checked_product(width, k);
  if (!product) fail(ErrorCode::usage, "bins of {} times {} bp are beyond any genome", k, width);
  return *product;
}

// So that places along the whole genome are numbers, too.
void check_total_length(const std::vector<Chromosome>& chromosomes) {
  std::int64_t total = 0;
  for (const Chromosome& chromosome : chromosomes) {
    if (chromosome.length > std::numeric_limits<std::int64_t>::max() - total) {
      fail(ErrorCode::format,
           "chromosome {}: with its {} bp the genome is longer than 64 bits can number",
           chromosome.name, chromosome.length);
    }
    total += chromosome.length;
  }
}

std::vector<std::int64_t> uniform_offsets(const std::vector<Chromosome>& chromosomes,
                                          std::int64_t bin_size) {
  std::vector<std::int64_t> offsets{0};
  for (const Chromosome& chromosome : chromosomes) {
    if (chromosome.length < 0) {
      fail(ErrorCode::usage, "chromosome {} has a negative length, {} bp", chromosome.name,
           chromosome.length);
    }
    // Neither operand exceeds what it may be, so the sum cannot overflow before it is looked at.
    const std::int64_t n_bins = ceil_div(chromosome.length, bin_size);
    if (n_bins > kMaxBins - offsets.back()) {
      fail(ErrorCode::usage, "bins of {} bp make more than the {} bins that bin ids can number",
           bin_size, kMaxBins);
    }
    offsets.push_back(offsets.back() + n_bins);
  }
  return offsets;
}

// Whether starts and ends are those of a chromosome cut into bins of width bp from 0.
bool is_cut_evenly(std::span<const std::int64_t> starts, std::span<const std::int64_t> ends,
                   std::int64_t length, std::int64_t width) {
  if (std::ssize(starts) != ceil_div(length, width)) return false;
  std::int64_t position = 0;
  for (std::size_t row = 0; row < starts.size(); ++row) {
    const std::int64_t end = length - position > width ? position + width : length;
    if (starts[row] != position || ends[row] != end) return false;
    position = end;
  }
  return true;
}

}  // namespace

std::int64_t total_length(const std::vector<Chromosome>& chromosomes) {
  return std::accumulate(
      chromosomes.begin(), chromosomes.end(), std::int64_t{0},
      [](std::int64_t sum, const Chromosome& each) { return sum + each.length; });
}

BinTable BinTable::uniform(std::vector<Chromosome> chromosomes, std::int64_t bin_size) {
  if (bin_size < 1) fail(ErrorCode::usage, "a bin size of {} bp is not positive", bin_size);
  BinTable table;
  table.chrom_offsets_ = uniform_offsets(chromosomes, bin_size);
  check_total_length(chromosomes);
  table.chromosomes_ = std::move(chromosomes);
  table.uniform_width_ = bin_size;
  table.label_ = bin_size;
  return table;
}

BinTable BinTable::explicit_bins(std::vector<Chromosome> chromosomes,
                                 std::vector<std::int64_t> chrom_offsets,
                                 std::vector<std::int64_t> starts, std::vector<std::int64_t> ends,
                                 std::optional<std::int64_t> bin_size_label) {
  check_and_clip_bins(chromosomes, chrom_offsets, starts, ends, bin_size_label);
  check_total_length(chromosomes);
  BinTable table;
  table.chromosomes_ = std::move(chromosomes);
  table.chrom_offsets_ = std::move(chrom_offsets);
  table.starts_ = std::move(starts);
  table.ends_ = std::move(ends);
  table.label_ = bin_size_label;
  table.drop_bins_if_uniform();
  return table;
}

void BinTable::drop_bins_if_uniform() {
  const auto width = label_ ? label_ : inferred_bin_size(chrom_offsets_, starts_, ends_);
  if (!width) return;
  const std::span<const std::int64_t> starts(starts_);
  const std::span<const std::int64_t> ends(ends_);
  for (std::size_t chrom = 0; chrom < chromosomes_.size(); ++chrom) {
    const std::size_t first = at(chrom_offsets_[chrom]);
    const std::size_t count = at(chrom_offsets_[chrom + 1]) - first;
    if (!is_cut_evenly(starts.subspan(first, count), ends.subspan(first, count),
                       chromosomes_[chrom].length, *width)) {
      return;
    }
  }
  uniform_width_ = *width;
  starts_ = {};
  ends_ = {};
}

std::int64_t BinTable::n_chroms() const { return std::ssize(chromosomes_); }

std::int64_t BinTable::total_length() const { return genome::total_length(chromosomes_); }

std::int64_t BinTable::chrom_offset(std::int64_t chrom) const {
  ZIGGURAT_ASSERT(chrom >= 0 && chrom <= n_chroms());
  return chrom_offsets_[at(chrom)];
}

std::int64_t BinTable::chromosome_of(std::int64_t bin) const {
  ZIGGURAT_ASSERT(bin >= 0 && bin < n_bins());
  // The last chromosome that begins at or before bin: one without bins begins where its successor
  // does and is passed over.
  const auto after = std::upper_bound(chrom_offsets_.begin(), chrom_offsets_.end(), bin);
  return std::distance(chrom_offsets_.begin(), after) - 1;
}

std::int64_t BinTable::start(std::int64_t bin) const {
  if (!is_uniform()) return starts_[at(bin)];
  return (bin - chrom_offset(chromosome_of(bin))) * uniform_width_;
}

std::int64_t BinTable::end(std::int64_t bin) const {
  if (!is_uniform()) return ends_[at(bin)];
  const std::int64_t chrom = chromosome_of(bin);
  const std::int64_t length = chromosomes_[at(chrom)].length;
  const std::int64_t start = (bin - chrom_offset(chrom)) * uniform_width_;
  return length - start > uniform_width_ ? start + uniform_width_ : length;
}

std::vector<std::int64_t> BinTable::coarse_offsets(std::int64_t k) const {
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(chrom_offsets_.size());
  for (std::size_t chrom = 0; chrom < chromosomes_.size(); ++chrom) {
    const std::int64_t n_fine = chrom_offsets_[chrom + 1] - chrom_offsets_[chrom];
    offsets.push_back(offsets.back() + ceil_div(n_fine, k));
  }
  return offsets;
}

BinTable BinTable::coarsen(std::int64_t k) const {
  check_factor(k);
  BinTable coarse;
  coarse.chromosomes_ = chromosomes_;
  coarse.chrom_offsets_ = coarse_offsets(k);
  if (label_) coarse.label_ = pooled_width(*label_, k);
  if (is_uniform()) {
    coarse.uniform_width_ = pooled_width(uniform_width_, k);
  } else {
    coarsen_explicit_into(coarse, k);
  }
  return coarse;
}

void BinTable::coarsen_explicit_into(BinTable& coarse, std::int64_t k) const {
  for (std::size_t chrom = 0; chrom < chromosomes_.size(); ++chrom) {
    const std::int64_t chrom_end = chrom_offsets_[chrom + 1];
    for (std::int64_t first = chrom_offsets_[chrom]; first < chrom_end;) {
      const bool full = k <= chrom_end - first;
      coarse.starts_.push_back(starts_[at(first)]);
      coarse.ends_.push_back(full ? ends_[at(first + k - 1)] : chromosomes_[chrom].length);
      first = full ? first + k : chrom_end;
    }
  }
}

std::vector<std::uint32_t> BinTable::coarse_ids(std::int64_t k) const {
  check_factor(k);
  std::vector<std::uint32_t> ids;
  ids.reserve(at(n_bins()));
  std::int64_t id = -1;
  for (std::size_t chrom = 0; chrom < chromosomes_.size(); ++chrom) {
    const std::int64_t first = chrom_offsets_[chrom];
    for (std::int64_t bin = first; bin < chrom_offsets_[chrom + 1]; ++bin) {
      if ((bin - first) % k == 0) ++id;
      ids.push_back(static_cast<std::uint32_t>(id));
    }
  }
  return ids;
}

}  // namespace ziggurat::genome
