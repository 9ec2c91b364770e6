// The attributes of a collection and of a multi-resolution file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cool/level_file.hpp"

namespace ziggurat::cool {

// All descriptive attributes of a collection, in cooler's types. A base level keeps what its source
// had and gets what that lacked; numbers that describe the tables are always the true ones.
void write_collection_attributes(hid_t collection, const LevelLayout& layout,
                                 const LevelSummary& summary);

// The two root attributes that mark a finished .mcool.
void write_mcool_attributes(hid_t root);

// Now as cooler writes it (local time, ISO). With SOURCE_DATE_EPOCH in the environment, that moment
// in UTC, so that equal inputs give equal bytes. Throws Error{usage} when it is no number.
[[nodiscard]] std::string creation_date();

// The date of what is derived from a map, which is that map's own: equal inputs then give equal
// bytes. SOURCE_DATE_EPOCH comes first. A map without a date has that of its file, UTC.
[[nodiscard]] std::string derived_creation_date(const std::vector<h5::NamedValue>& source,
                                                std::int64_t file_modified_ns);

}  // namespace ziggurat::cool
