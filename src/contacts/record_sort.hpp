// Sorting records in memory.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "contacts/keys.hpp"

namespace ziggurat::contacts {

// Sorts records of `words` words each by the pixels of their first; records of one pixel keep their
// order. `scratch` is as long as `records`. The result is where the return value says, one of both.
// Cost: a pass over the records for every 8 bits of a pixel, less those in which all agree.
// Requires: words >= 1; records.size() is a multiple of it.
[[nodiscard]] std::span<std::uint64_t> sort_records(std::span<std::uint64_t> records,
                                                    std::span<std::uint64_t> scratch,
                                                    std::size_t words, const KeyLayout& keys);

// Adds up what sorted one-word records say of one pixel, in place. Returns the records left.
[[nodiscard]] std::size_t add_up_counts(std::span<std::uint64_t> records, const KeyLayout& keys);

}  // namespace ziggurat::contacts
