// Regions to leave out, given as BED text.
#pragma once

#include <string_view>
#include <vector>

#include "genome/bins.hpp"

namespace ziggurat::balance {

// One entry a bin: true where the bin overlaps a region.
//
// Fields are separated by tabs, or by blanks in a line without tabs: chromosome, start, end (bp,
// half open), the rest is ignored. Blank lines, comments (#) and track and browser lines are
// skipped; the first remaining line is a header, and skipped too, when its second or third field
// is not a number. Lines may end in CR LF, the last one in nothing. Text without any region masks
// nothing. A region may stick out of its chromosome; what is outside masks nothing. An empty
// region masks the bin that it lies inside of, and nothing when it lies on a border.
// source names the text in messages.
// Throws: Error{usage} naming source and line: fewer than three fields, a start or end that is not
// a number (but in a header), end before start, a chromosome that the table does not have.
[[nodiscard]] std::vector<bool> blacklisted_bins(std::string_view bed, const genome::BinTable& bins,
                                                 std::string_view source);

}  // namespace ziggurat::balance
