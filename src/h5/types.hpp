// The stored types that maps are made of.
// Thread rules: one thread at a time, as all of HDF5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/number_type.hpp"
#include "h5/handle.hpp"

namespace ziggurat::h5 {

// Little-endian number.
[[nodiscard]] Datatype number_type(NumberType type);
// Text of exactly `width` bytes, padded with zero bytes.
[[nodiscard]] Datatype fixed_text_type(std::size_t width, bool utf8);
// Variable-length UTF-8 text.
[[nodiscard]] Datatype text_type();
// h5py's booleans: an enumeration over int8.
[[nodiscard]] Datatype bool_type();
// Enumeration over int32 with these members, in this order.
[[nodiscard]] Datatype enumeration_type(
    const std::vector<std::pair<std::string, std::int32_t>>& members);

// Names and values of an enumeration over integers.
[[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> enumeration_members(
    const Datatype& type);

// Bytes an element takes.
[[nodiscard]] std::size_t size_of(const Datatype& type);
[[nodiscard]] bool is_enumeration(const Datatype& type);

}  // namespace ziggurat::h5
