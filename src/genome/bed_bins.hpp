// Bins as a BED file lists them: chromosome, start, end, with tabs between.
// Thread rules: a free function of its arguments.
#pragma once

#include <string>
#include <string_view>

#include "genome/bins.hpp"

namespace ziggurat::genome {

// Chromosomes in the order of their first bins, as long as their last bin reaches; further columns,
// empty lines and those that begin with # are passed over. Bins that all have one width but for the
// last of each chromosome make a map of fixed bins.
// `source` names the text in messages. Throws Error{usage} naming the line that is none or whose
// chromosome was left before, or the bin that is out of order.
[[nodiscard]] BinTable parse_bed_bins(std::string_view text, const std::string& source);

}  // namespace ziggurat::genome
