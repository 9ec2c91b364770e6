// The chroms and bins groups and indexes/chrom_offset of one collection.
#pragma once

#include <functional>
#include <vector>

#include "cool/description.hpp"
#include "cool/table_writer.hpp"
#include "genome/bins.hpp"

namespace ziggurat::cool {

// Writes chroms/{name,length}, bins/{chrom,start,end} and indexes/chrom_offset below `collection`
// (the groups are made). Positions are int32, or int64 where a chromosome is too long for it.
// bins/chrom is an enumeration of the names where HDF5's object headers have room for them.
void write_bin_tables(hid_t collection, const genome::BinTable& bins, TableWriter& writer);

// Its two columns that hold names: chroms/name, and bins/chrom with the chromosome of each bin as
// its row in chroms. `chrom_of` is asked for bins 0, 1, 2, ...
h5::Dataset write_chrom_names(hid_t chroms, const std::vector<genome::Chromosome>& chromosomes,
                              TableWriter& writer);
h5::Dataset write_chrom_ids(hid_t bins, const std::vector<genome::Chromosome>& chromosomes,
                            std::int64_t n_bins,
                            const std::function<std::int64_t(std::int64_t bin)>& chrom_of,
                            TableWriter& writer);

// Further columns of chroms or bins, with their attributes, as they were read.
void write_side_columns(hid_t group, const std::vector<SideColumn>& columns, TableWriter& writer);

// Whether an enumeration of these names fits an object header message of the old format (64 KiB).
[[nodiscard]] bool fits_enumeration(const std::vector<genome::Chromosome>& chromosomes);

}  // namespace ziggurat::cool
