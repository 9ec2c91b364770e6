#include "report/expected.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace ziggurat;
using namespace ziggurat::report;

TEST_CASE("what is expected of cells of several bins is added up over their pairs") {
  const std::vector<double> by_distance{100, 40, 15, 7, 3, 2, 1.5, 1.25};
  for (const BinRange columns : {BinRange{10, 17}, BinRange{13, 18}, BinRange{10, 11}}) {
    for (const std::int64_t k : {1, 2, 3}) {
      const CellAxis over{{11, 16}, k};
      const CellAxis along{columns, k};
      const std::int64_t n_columns = (columns.end - columns.first + k - 1) / k;
      std::vector<double> slow(static_cast<std::size_t>((5 + k - 1) / k * n_columns), 0);
      for (std::int64_t i = 11; i < 16; ++i) {
        for (std::int64_t j = columns.first; j < columns.end; ++j) {
          slow[static_cast<std::size_t>((i - 11) / k * n_columns + (j - columns.first) / k)] +=
              by_distance[static_cast<std::size_t>(std::abs(j - i))];
        }
      }
      const std::vector<double> cells = expected_of_cells(by_distance, over, along);
      REQUIRE(cells.size() == slow.size());
      for (std::size_t i = 0; i < slow.size(); ++i) CHECK(cells[i] == Approx(slow[i]));
    }
  }
}
