// The text of a .chrom.sizes file: a name and a length in bp on each line, a tab between.
// Thread rules: free functions of their arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "genome/bins.hpp"

namespace ziggurat::genome {

// Chromosomes in the order of their lines; further columns and empty lines are passed over.
// `source` names the text in messages. Throws Error{usage} naming the line that has no name or no
// length of at least 1, that repeats a name, or when there is no chromosome at all.
[[nodiscard]] std::vector<Chromosome> parse_chrom_sizes(std::string_view text,
                                                        const std::string& source);

}  // namespace ziggurat::genome
