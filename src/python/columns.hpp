// Columns of tables as Python has them: numbers as NumPy arrays, texts as lists.
#pragma once

#include "python/arrays.hpp"
#include "python/text.hpp"
#include "ziggurat/table_column.hpp"

namespace ziggurat::python {

inline nanobind::any column_of(TableColumn column) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&column)) {
    return nanobind::borrow<nanobind::any>(texts_of(*texts));
  }
  return std::visit(
      [](auto& values) -> nanobind::any {
        using Values = std::decay_t<decltype(values)>;
        if constexpr (std::is_same_v<Values, std::vector<std::string>>) {
          return nanobind::borrow<nanobind::any>(nanobind::none());  // texts are done above
        } else {
          return array_of(std::move(values));
        }
      },
      column);
}

}  // namespace ziggurat::python
