// A table as HTML: a heading a column, a row heading a row, and what to sort by where that is not
// the text.
// Thread rules: one thread at a time.
#pragma once

#include <string>
#include <vector>

namespace ziggurat::report {

// A number as a key to sort by.
[[nodiscard]] std::string number_key(double value);

struct TableCell {
  std::string html;
  std::string sort_key = {};  // a number; empty: the text
  bool is_bad = false;
};

class HtmlTable {
 public:
  HtmlTable(std::string caption, std::vector<std::string> headings)
      : caption_(std::move(caption)), headings_(std::move(headings)) {}

  // As many cells as there are headings; the first is the heading of the row.
  void add_row(std::vector<TableCell> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string html(bool sortable = true) const;

 private:
  std::string caption_;  // for those who do not see where the table stands
  std::vector<std::string> headings_;
  std::vector<std::vector<TableCell>> rows_;
};

}  // namespace ziggurat::report
