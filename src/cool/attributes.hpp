// The attributes of a collection and of a multi-resolution file.
#pragma once

#include <string>

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

}  // namespace ziggurat::cool
