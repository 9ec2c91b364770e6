// Bin columns as files store them: finding the chromosome offsets, the bin size, and the faults.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "genome/bins.hpp"

namespace ziggurat::genome {

// The first row of each chromosome and then the number of rows, from the chromosome id of each
// row. Chromosomes without rows get an empty range.
// Throws: Error{format} naming the first row whose id is out of [0, n_chroms) or smaller than the
// row before (chromosomes interleaved, or not in the order of the chromosome table).
[[nodiscard]] std::vector<std::int64_t> chrom_offsets_from_ids(
    std::span<const std::int64_t> chrom_ids, std::int64_t n_chroms);

// The width that all bins but the last of each chromosome share; nothing when they differ or
// when no chromosome has two bins. Requires: offsets that fit the columns.
[[nodiscard]] std::optional<std::int64_t> inferred_bin_size(
    std::span<const std::int64_t> chrom_offsets, std::span<const std::int64_t> starts,
    std::span<const std::int64_t> ends);

// The width that a file says beside this table: its label, unless bins were pooled over a gap, so
// that one that is not the last of its chromosome is of another width. Readers find places by the
// width that is said. Cost: none for a uniform table, else a pass over the bins.
[[nodiscard]] std::optional<std::int64_t> said_bin_size(const BinTable& bins);

// Throws what BinTable::explicit_bins documents, and cuts last bins at their chromosome's length.
void check_and_clip_bins(const std::vector<Chromosome>& chromosomes,
                         std::span<const std::int64_t> chrom_offsets,
                         std::span<const std::int64_t> starts, std::span<std::int64_t> ends,
                         std::optional<std::int64_t> bin_size_label);

}  // namespace ziggurat::genome
