// Values of a column of a table, or of an attribute, by type.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace ziggurat {

// Integers (uint64 only where they are stored as such), floating point (float16 as float), truth
// values as 0 and 1, and texts, which the members of other enumerations are too.
using TableColumn =
    std::variant<std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<float>,
                 std::vector<double>, std::vector<std::uint8_t>, std::vector<std::string>>;

}  // namespace ziggurat
