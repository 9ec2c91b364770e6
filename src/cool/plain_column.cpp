#include "cool/plain_column.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "h5/object.hpp"
#include "h5/types.hpp"

namespace ziggurat::cool {

namespace {

// What h5py and its kin store truth values as.
bool is_truth(const std::vector<std::pair<std::string, std::int64_t>>& members) {
  return members.size() == 2 && std::all_of(members.begin(), members.end(), [](const auto& member) {
           return (member.first == "FALSE" && member.second == 0) ||
                  (member.first == "TRUE" && member.second == 1);
         });
}

TableColumn read_enumeration(const h5::Column& column) {
  const auto members = h5::enumeration_members(column.type);
  const std::vector<std::int64_t> codes = h5::read_integers(column);
  if (is_truth(members)) {
    std::vector<std::uint8_t> flags;
    for (const std::int64_t code : codes) flags.push_back(code != 0 ? 1 : 0);
    return flags;
  }
  std::map<std::int64_t, std::string> names;
  for (const auto& [name, code] : members) names[code] = name;
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const auto name = names.find(codes[row]);
    if (name == names.end()) {
      fail(ErrorCode::format, "{} row {}: code {} has no name", column.label, row, codes[row]);
    }
    texts.push_back(name->second);
  }
  return texts;
}

template <typename Number>
TableColumn read_all(const h5::Column& column) {
  std::vector<Number> values(column.storage.length);
  h5::read_numbers(column, 0, column.storage.length, values.data());
  return values;
}

}  // namespace

std::vector<std::string> plain_column_names(hid_t group, const std::string& table,
                                            const std::vector<std::string>& known) {
  const h5::Group rows = h5::open_group(group, table, table);
  std::vector<std::string> names = h5::child_names(rows.id(), table);
  std::erase_if(names, [&](const std::string& name) {
    return std::find(known.begin(), known.end(), name) != known.end() ||
           !h5::is_dataset(rows.id(), name);
  });
  return names;
}

TableColumn read_plain_column(hid_t group, const std::string& table, const std::string& name,
                              std::uint64_t n_rows, const std::string& label) {
  const std::string path = table + "/" + name;
  if (name.find('/') != std::string::npos || !h5::is_dataset(group, path)) {
    fail(ErrorCode::usage, "{}: the table {} has no column '{}'", label, table, name);
  }
  const h5::Column column = h5::open_column(group, path, label);
  if (column.storage.length != n_rows) {
    fail(ErrorCode::format, "{} has {} rows, the table has {}", column.label, column.storage.length,
         n_rows);
  }
  h5::check_plausible(column, n_rows);
  if (h5::is_enumeration(column.type)) return read_enumeration(column);
  if (!column.number) return h5::read_strings(column);
  if (*column.number == NumberType::f64) return read_all<double>(column);
  if (is_float(*column.number)) return read_all<float>(column);
  if (*column.number == NumberType::u64) return read_all<std::uint64_t>(column);
  return read_all<std::int64_t>(column);
}

}  // namespace ziggurat::cool
