// Where two tables of bins differ, said for people.
// Thread rules: free functions of their arguments.
#pragma once

#include <optional>
#include <string>

#include "genome/bins.hpp"

namespace ziggurat::genome {

// The first difference of widths, chromosomes and bins, as a sentence that begins with its subject
// and speaks of one and the other; nothing when the tables are equal. Cost: a look at every bin
// when neither is uniform.
[[nodiscard]] std::optional<std::string> first_difference(const BinTable& a, const BinTable& b);

}  // namespace ziggurat::genome
