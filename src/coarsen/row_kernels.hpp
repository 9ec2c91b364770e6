// The two loops that empty a PositiveRow. Internal to coarsen.
//
// Each exists twice, portable and AVX2, with the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/isa.hpp"

namespace ziggurat::coarsen {

constexpr std::size_t kLine = 16;     // cells that have one mark
constexpr std::size_t kGroup = 64;    // marks that are looked at together
constexpr std::uint8_t kMark = 0xff;  // 0: not marked
constexpr std::size_t kSlack = 8;     // elements that may be written beyond the result

// Appends the places of the marks in these groups to `found`, in ascending order for ascending
// groups, and takes the marks away. Returns how many they were.
std::size_t take_marks(Isa isa, std::uint8_t* marks, std::span<const std::uint32_t> groups,
                       std::uint32_t* found);

// Writes place and value of the cells of these lines that are not zero, and empties the lines.
// Returns how many they were.
std::size_t take_cells(Isa isa, std::uint32_t* cells, std::span<const std::uint32_t> lines,
                       std::uint32_t* places, std::int32_t* values);

}  // namespace ziggurat::coarsen
