#include "genome/bin_columns.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/check.hpp"

namespace ziggurat::genome {
namespace {

void check_shapes(const std::vector<Chromosome>& chromosomes,
                  std::span<const std::int64_t> chrom_offsets, std::size_t n_starts,
                  std::size_t n_ends) {
  if (n_starts != n_ends) {
    fail(ErrorCode::format, "bin table: {} starts but {} ends", n_starts, n_ends);
  }
  if (n_starts > static_cast<std::size_t>(kMaxBins)) {
    fail(ErrorCode::usage, "{} bins are more than the {} that bin ids can number", n_starts,
         kMaxBins);
  }
  const bool fits = chrom_offsets.size() == chromosomes.size() + 1 && chrom_offsets[0] == 0 &&
                    std::is_sorted(chrom_offsets.begin(), chrom_offsets.end()) &&
                    std::cmp_equal(chrom_offsets.back(), n_starts);
  if (!fits) {
    fail(ErrorCode::format,
         "bin table: the chromosome offsets do not cover {} bins of {} "
         "chromosomes",
         n_starts, chromosomes.size());
  }
}

void check_label(std::size_t row, std::int64_t width, std::optional<std::int64_t> label) {
  if (label && width != *label) {
    fail(ErrorCode::format, "bin table: row {}: a width of {} bp where the bin size is {} bp", row,
         width, *label);
  }
}

// Rows [first, end) are the bins of chromosome.
void check_and_clip_chromosome(const Chromosome& chromosome, std::size_t first, std::size_t end,
                               std::span<const std::int64_t> starts, std::span<std::int64_t> ends,
                               std::optional<std::int64_t> label) {
  if (chromosome.length < 0) {
    fail(ErrorCode::format, "chromosome {} has a negative length, {} bp", chromosome.name,
         chromosome.length);
  }
  std::int64_t covered_to = 0;
  for (std::size_t row = first; row < end; ++row) {
    if (starts[row] < covered_to) {
      fail(ErrorCode::format,
           "bin table: row {}: start {} lies before {}, where the bin before it "
           "on {} ends",
           row, starts[row], covered_to, chromosome.name);
    }
    if (ends[row] <= starts[row] || starts[row] >= chromosome.length) {
      fail(ErrorCode::format, "bin table: row {}: [{}, {}) is not a bin of {}, which is {} bp long",
           row, starts[row], ends[row], chromosome.name, chromosome.length);
    }
    if (row + 1 < end) check_label(row, ends[row] - starts[row], label);
    covered_to = ends[row];
  }
  if (end > first) ends[end - 1] = std::min(ends[end - 1], chromosome.length);
}

}  // namespace

std::vector<std::int64_t> chrom_offsets_from_ids(std::span<const std::int64_t> chrom_ids,
                                                 std::int64_t n_chroms) {
  std::vector<std::int64_t> offsets;
  offsets.reserve(static_cast<std::size_t>(n_chroms) + 1);
  std::int64_t previous = 0;
  for (std::size_t row = 0; row < chrom_ids.size(); ++row) {
    const std::int64_t chrom = chrom_ids[row];
    if (chrom < 0 || chrom >= n_chroms) {
      fail(ErrorCode::format, "bin table: row {}: chromosome {}, but there are {}", row, chrom,
           n_chroms);
    }
    if (chrom < previous) {
      fail(ErrorCode::format,
           "bin table: row {}: chromosome {} after chromosome {}; the bins are "
           "not in the order of the chromosome table",
           row, chrom, previous);
    }
    while (std::cmp_less_equal(offsets.size(), chrom)) {
      offsets.push_back(static_cast<std::int64_t>(row));
    }
    previous = chrom;
  }
  offsets.resize(static_cast<std::size_t>(n_chroms) + 1,
                 static_cast<std::int64_t>(chrom_ids.size()));
  return offsets;
}

std::optional<std::int64_t> inferred_bin_size(std::span<const std::int64_t> chrom_offsets,
                                              std::span<const std::int64_t> starts,
                                              std::span<const std::int64_t> ends) {
  std::optional<std::int64_t> size;
  for (std::size_t chrom = 0; chrom + 1 < chrom_offsets.size(); ++chrom) {
    const auto end = static_cast<std::size_t>(chrom_offsets[chrom + 1]);
    for (auto row = static_cast<std::size_t>(chrom_offsets[chrom]); row + 1 < end; ++row) {
      const std::int64_t width = ends[row] - starts[row];
      if (size && *size != width) return std::nullopt;
      size = width;
    }
  }
  return size;
}

std::optional<std::int64_t> said_bin_size(const BinTable& bins) {
  if (!bins.bin_size() || bins.is_uniform()) return bins.bin_size();
  for (std::int64_t chrom = 0; chrom < bins.n_chroms(); ++chrom) {
    for (std::int64_t bin = bins.chrom_offset(chrom); bin + 1 < bins.chrom_offset(chrom + 1);
         ++bin) {
      if (bins.end(bin) - bins.start(bin) != bins.bin_size()) return std::nullopt;
    }
  }
  return bins.bin_size();
}

void check_and_clip_bins(const std::vector<Chromosome>& chromosomes,
                         std::span<const std::int64_t> chrom_offsets,
                         std::span<const std::int64_t> starts, std::span<std::int64_t> ends,
                         std::optional<std::int64_t> bin_size_label) {
  check_shapes(chromosomes, chrom_offsets, starts.size(), ends.size());
  if (bin_size_label && *bin_size_label < 1) {
    fail(ErrorCode::format, "bin table: a bin size of {} bp is not positive", *bin_size_label);
  }
  for (std::size_t chrom = 0; chrom < chromosomes.size(); ++chrom) {
    check_and_clip_chromosome(chromosomes[chrom], static_cast<std::size_t>(chrom_offsets[chrom]),
                              static_cast<std::size_t>(chrom_offsets[chrom + 1]), starts, ends,
                              bin_size_label);
  }
}

}  // namespace ziggurat::genome
