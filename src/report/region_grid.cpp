#include "report/region_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "genome/uri.hpp"
#include "report/expected.hpp"
#include "ziggurat/inspect.hpp"

namespace ziggurat::report {

namespace {

std::int64_t length_of(BinRange range) { return range.end - range.first; }

// The finest level with no more bins along either axis than `side`; else the coarsest.
ContactMap fitting_level(const PlotRequest& request, Observer& observer) {
  const genome::Uri where = genome::parse_uri(request.source);
  if (where.group != "/") return ContactMap(request.source, request.reader_program);
  const auto groups = list_maps(where.file, request.reader_program, &observer);
  std::optional<ContactMap> coarsest;
  std::optional<ContactMap> finest;
  for (const std::string& group : groups) {
    ContactMap map(genome::to_string({where.file, group}), request.reader_program);
    const std::int64_t n_bins = std::max(
        length_of(map.bins_of(request.region)),
        length_of(map.bins_of(request.columns.empty() ? request.region : request.columns)));
    if (!coarsest || map.n_bins() < coarsest->n_bins()) coarsest = map;
    if (n_bins <= request.side && (!finest || map.n_bins() > finest->n_bins())) finest = map;
  }
  if (!coarsest) fail(ErrorCode::input, "{} holds no map", where.file);
  return finest ? *finest : *coarsest;
}

GridAxis axis_of(const ContactMap& map, BinRange range, std::int64_t bins_per_cell) {
  if (length_of(range) < 1) fail(ErrorCode::usage, "{}: the region holds no bin", map.uri());
  const BinIntervals bins = map.bins(range);
  GridAxis axis;
  axis.chromosome = map.chromosomes()[static_cast<std::size_t>(bins.chromosomes.front())].name;
  axis.start = static_cast<double>(bins.starts.front());
  axis.end = static_cast<double>(bins.ends.back());
  axis.n_cells = (length_of(range) + bins_per_cell - 1) / bins_per_cell;
  return axis;
}

// Bins of each cell that have a weight.
std::vector<double> weighted(const std::vector<double>& weights, BinRange range,
                             const GridAxis& axis, std::int64_t bins_per_cell) {
  std::vector<double> n(static_cast<std::size_t>(axis.n_cells), 0);
  for (std::int64_t bin = range.first; bin < range.end; ++bin) {
    const bool has = weights.empty() || std::isfinite(weights[static_cast<std::size_t>(bin)]);
    if (has) n[static_cast<std::size_t>((bin - range.first) / bins_per_cell)] += 1;
  }
  return n;
}

// Raw, sums are divided by sums; balanced, means by means over all pairs of bins of the cell.
void divide_by_expected(const ContactMap& map, const PlotRequest& request, const PixelQuery& query,
                        std::int64_t bins_per_cell, const std::vector<double>& weights,
                        std::vector<double>& cells, Observer& observer) {
  const auto& offsets = map.chromosome_offsets();
  const auto chromosome_of = [&](BinRange range) {
    return std::upper_bound(offsets.begin(), offsets.end(), range.first) - offsets.begin() - 1;
  };
  const auto chromosome = chromosome_of(query.rows);
  if (chromosome_of(query.columns) != chromosome) {
    fail(ErrorCode::usage, "observed over expected is for two regions of one chromosome");
  }
  const auto c = static_cast<std::size_t>(chromosome);
  const auto by_distance =
      expected_by_distance(map, {offsets[c], offsets[c + 1]}, request.weights, weights, observer);
  const CellAxis rows{query.rows, bins_per_cell};
  const CellAxis columns{query.columns, bins_per_cell};
  const auto expected = expected_of_cells(by_distance, rows, columns);
  // The same of a map that is 1 everywhere: the pairs of bins of each cell.
  const auto pairs = expected_of_cells(std::vector<double>(by_distance.size(), 1.0), rows, columns);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double wanted = request.weights.empty() ? expected[i] : expected[i] / pairs[i];
    cells[i] = wanted > 0 ? cells[i] / wanted : std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

RegionGrid read_region(const PlotRequest& request, Observer& observer) {
  const ContactMap map = fitting_level(request, observer);
  PixelQuery query;
  query.rows = map.bins_of(request.region);
  query.columns = request.columns.empty() ? query.rows : map.bins_of(request.columns);
  query.triangle = Triangle::full;
  query.weights = request.weights;
  const bool balanced = !request.weights.empty();
  const auto& known = map.bin_columns();
  if (balanced && std::find(known.begin(), known.end(), request.weights) == known.end()) {
    fail(ErrorCode::usage, "{}: there is no column of weights '{}'", map.uri(), request.weights);
  }
  RegionGrid grid;
  grid.bin_size = map.bin_size();
  const std::int64_t longest = std::max(length_of(query.rows), length_of(query.columns));
  const std::int64_t k = std::max<std::int64_t>(1, (longest + request.side - 1) / request.side);
  grid.bins_per_cell = k;
  grid.rows = axis_of(map, query.rows, k);
  grid.columns = axis_of(map, query.columns, k);
  std::vector<double> sums(static_cast<std::size_t>(grid.rows.n_cells * grid.columns.n_cells), 0);
  PixelStream stream = map.pixels(query, &observer);
  Pixels block;
  while (stream.next(block)) {
    std::visit(
        [&](const auto& values) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            const auto value = static_cast<double>(values[i]);
            if (std::isnan(value)) continue;
            const std::int64_t row = (block.bin1[i] - query.rows.first) / k;
            const std::int64_t column = (block.bin2[i] - query.columns.first) / k;
            sums[static_cast<std::size_t>(row * grid.columns.n_cells + column)] += value;
          }
        },
        block.values);
  }
  if (!balanced) {
    if (request.is_oe) divide_by_expected(map, request, query, k, {}, sums, observer);
  } else {
    const std::vector<double> weights = map.weights(request.weights);
    const auto of_rows = weighted(weights, query.rows, grid.rows, k);
    const auto of_columns = weighted(weights, query.columns, grid.columns, k);
    for (std::size_t i = 0; i < of_rows.size(); ++i) {
      for (std::size_t j = 0; j < of_columns.size(); ++j) {
        const double pairs = of_rows[i] * of_columns[j];
        double& sum = sums[i * of_columns.size() + j];
        sum = pairs > 0 ? sum / pairs : std::numeric_limits<double>::quiet_NaN();
      }
    }
    if (request.is_oe) divide_by_expected(map, request, query, k, weights, sums, observer);
  }
  grid.values.assign(sums.begin(), sums.end());
  return grid;
}

}  // namespace ziggurat::report
