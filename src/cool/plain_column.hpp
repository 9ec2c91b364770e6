// A column of chroms or bins as plain values: what people look at, not what is carried over.
// Thread rules: values; reading uses HDF5: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "h5/handle.hpp"
#include "ziggurat/table_column.hpp"

namespace ziggurat::cool {

// Names of the columns of a table (chroms, bins) of the collection `group` that hold plain values,
// without those in `known`, in name order.
[[nodiscard]] std::vector<std::string> plain_column_names(hid_t group, const std::string& table,
                                                          const std::vector<std::string>& known);

// The column `table`/`name`. `label` names the collection in messages. Throws Error{format} when it
// is none, or has not `n_rows` rows; Error{usage} when there is no such column.
[[nodiscard]] TableColumn read_plain_column(hid_t group, const std::string& table,
                                            const std::string& name, std::uint64_t n_rows,
                                            const std::string& label);

}  // namespace ziggurat::cool
