#include "report/expected.hpp"

#include <algorithm>
#include <cmath>

namespace ziggurat::report {

namespace {

// Sums of the first entries: [k] of the first k.
std::vector<double> running_sums(const std::vector<double>& values) {
  std::vector<double> sums{0};
  for (const double value : values) sums.push_back(sums.back() + value);
  return sums;
}

// Pairs of these bins at each distance, a bin with itself included.
void add_pairs(const std::vector<std::size_t>& bins, std::vector<double>& pairs) {
  for (std::size_t i = 0; i < bins.size(); ++i) {
    for (std::size_t j = i; j < bins.size(); ++j) pairs[bins[j] - bins[i]] += 1;
  }
}

// Pairs at each distance of which both bins count. Few bins are left out of most maps, so those are
// paired: all pairs, less those with one left out, plus those with two that were taken off twice.
std::vector<double> pairs_by_distance(const std::vector<bool>& counts) {
  const std::size_t n = counts.size();
  std::vector<std::size_t> in;
  std::vector<std::size_t> out;
  std::vector<double> is_out;
  for (std::size_t i = 0; i < n; ++i) {
    (counts[i] ? in : out).push_back(i);
    is_out.push_back(counts[i] ? 0 : 1);
  }
  std::vector<double> pairs(n, 0);
  if (in.size() < out.size()) {
    add_pairs(in, pairs);
    return pairs;
  }
  add_pairs(out, pairs);
  const std::vector<double> n_out = running_sums(is_out);
  for (std::size_t d = 0; d < n; ++d) {
    pairs[d] += static_cast<double>(n - d) - n_out[n - d] - (n_out[n] - n_out[d]);
  }
  return pairs;
}

}  // namespace

std::vector<double> expected_by_distance(const ContactMap& map, BinRange chromosome,
                                         const std::string& weight_name,
                                         const std::vector<double>& weights, Observer& observer) {
  const auto n = static_cast<std::size_t>(chromosome.end - chromosome.first);
  std::vector<bool> counts(n, true);
  for (std::size_t i = 0; i < n && !weight_name.empty(); ++i) {
    counts[i] = std::isfinite(weights[static_cast<std::size_t>(chromosome.first) + i]);
  }
  std::vector<double> expected(n, 0);
  PixelQuery query;
  query.rows = chromosome;
  query.columns = chromosome;
  query.weights = weight_name;
  PixelStream stream = map.pixels(query, &observer);
  Pixels block;
  while (stream.next(block)) {
    std::visit(
        [&](const auto& values) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<double>(values[i]);
            const std::int64_t apart = std::abs(block.bin2[i] - block.bin1[i]);
            if (!std::isnan(value)) expected[static_cast<std::size_t>(apart)] += value;
          }
        },
        block.values);
  }
  const std::vector<double> pairs = pairs_by_distance(counts);
  for (std::size_t d = 0; d < n; ++d) {
    // Of a square map both triangles were added up.
    const double both = map.is_symmetric() || d == 0 ? 1 : 2;
    expected[d] = pairs[d] > 0 ? expected[d] / (both * pairs[d]) : 0;
  }
  return expected;
}

std::vector<double> expected_of_cells(const std::vector<double>& expected, const CellAxis& rows,
                                      const CellAxis& columns) {
  const std::vector<double> sums = running_sums(expected);
  const auto up_to = [&](std::int64_t k) { return sums[static_cast<std::size_t>(k)]; };
  const auto n_cells = [](const CellAxis& axis) {
    return (axis.bins.end - axis.bins.first + axis.bins_per_cell - 1) / axis.bins_per_cell;
  };
  const std::int64_t n_columns = n_cells(columns);
  std::vector<double> cells(static_cast<std::size_t>(n_cells(rows) * n_columns), 0);
  for (std::int64_t bin = rows.bins.first; bin < rows.bins.end; ++bin) {
    const std::int64_t row = (bin - rows.bins.first) / rows.bins_per_cell;
    for (std::int64_t column = 0; column < n_columns; ++column) {
      const std::int64_t first = columns.bins.first + column * columns.bins_per_cell;
      const std::int64_t end = std::min(columns.bins.end, first + columns.bins_per_cell);
      double& cell = cells[static_cast<std::size_t>(row * n_columns + column)];
      if (first >= bin) {
        cell += up_to(end - bin) - up_to(first - bin);
      } else if (end <= bin) {
        cell += up_to(bin - first + 1) - up_to(bin - end + 1);
      } else {
        cell += up_to(end - bin) + up_to(bin - first + 1) - up_to(1);
      }
    }
  }
  return cells;
}

}  // namespace ziggurat::report
