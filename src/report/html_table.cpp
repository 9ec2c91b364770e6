#include "report/html_table.hpp"

#include <fmt/format.h>

#include "report/words.hpp"

namespace ziggurat::report {

std::string number_key(double value) { return fmt::format("{}", value); }

std::string HtmlTable::html(bool sortable) const {
  std::string out = fmt::format(R"(<table{}><caption class="only-spoken">{}</caption><thead><tr>)",
                                sortable ? R"( class="sortable")" : "", escaped(caption_));
  for (const std::string& heading : headings_) {
    out += fmt::format(R"(<th scope="col">{}</th>)", escaped(heading));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows_) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const TableCell& cell = row[i];
      const std::string key =
          cell.sort_key.empty() ? "" : fmt::format(R"( data-sort="{}")", cell.sort_key);
      out += i == 0 ? fmt::format(R"(<th scope="row"{}>{}</th>)", key, cell.html)
                    : fmt::format("<td{}{}>{}</td>", key, cell.is_bad ? R"( class="bad")" : "",
                                  cell.html);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table>";
}

}  // namespace ziggurat::report
