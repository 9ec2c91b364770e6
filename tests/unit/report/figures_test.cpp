// Figures made of lines: each value is drawn where its axis says.
#include <catch2/catch.hpp>
#include <cmath>

#include "report/line_figures.hpp"
#include "report/plot_plane.hpp"

using namespace ziggurat;
using namespace ziggurat::report;
using Catch::Contains;

namespace {

MapReport balanced_map() {
  MapReport report;
  report.weights = "weight";
  LevelNumbers& level = report.levels.emplace_back();
  level.bin_size = 10'000;
  WeightNumbers& weights = level.weights.emplace_back();
  weights.name = "weight";
  weights.tolerance = 1e-5;
  weights.variances = {1e3, 1, 1e-3, 1e-6};
  return report;
}

}  // namespace

TEST_CASE("places on a plane") {
  PlotPlane plane{10, 20, 300, 100, 1, 1000, 0.1, 10};
  CHECK(plane.x(1) == 10);
  CHECK(plane.x(10) == Approx(110));
  CHECK(plane.y(10) == Approx(20));
  CHECK(plane.y(1) == Approx(70));
  plane.x_is_log = false;
  plane.x_low = 0;
  CHECK(plane.x(500) == Approx(160));
}

TEST_CASE("the variance is drawn round by round, down to the tolerance") {
  // Rounds 0 to 5 over 560 units from 64; variances 3e-6 / 9 to 3e3 over 280 units from 12.
  const std::string figure = variance_figure(balanced_map());
  const double span = std::log(3e3 / (1e-6 / 3));
  const auto y = [&](double variance) {
    return 12 + 280 - 280 * std::log(variance / (1e-6 / 3)) / span;
  };
  char path[200];
  std::snprintf(path, sizeof path, "d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f %.1f\"", 176.0, y(1e3),
                288.0, y(1), 400.0, y(1e-3), 512.0, y(1e-6));
  CHECK_THAT(figure, Contains(path));
  std::snprintf(path, sizeof path, "M64.0 %.1fh560.0", y(1e-5));
  CHECK_THAT(figure, Contains(path));
  CHECK_THAT(figure, Contains("balanced below 10⁻⁵") && Contains(">10 kb<"));
}

TEST_CASE("accelerated rounds stop at a hundredth of the tolerance") {
  MapReport report = balanced_map();
  report.levels[0].weights[0].accelerated = true;
  CHECK_THAT(variance_figure(report), Contains("balanced below 10⁻⁷"));
}

TEST_CASE("what is not known is not drawn") {
  MapReport report = balanced_map();
  report.levels[0].weights[0].variances.clear();
  CHECK(variance_figure(report).empty());
  report.levels[0].weights[0].variances = {0};
  CHECK_FALSE(variance_figure(report).empty());  // the tolerance is known
  report.levels[0].weights.clear();
  CHECK(variance_figure(report).empty());
}

TEST_CASE("a lane has the colour of the rule that left most out, and the shade of all") {
  MapReport report;
  report.levels.emplace_back().bin_size = 1000;
  report.track.spans = {{"chr1", 0, 4, 4000}};
  report.track.coverage = {1, 2, 3, 4};
  auto& rows = report.track.masked.emplace_back();
  for (auto& row : rows) row.assign(4, 0);
  rows[0] = {0.2, 0.2, 0, 0};
  rows[2] = {0.3, 0.3, 0, 0.75};
  const std::string figure = track_figure(report);
  // Half of the first two columns is left out, more by the third rule; three quarters of the last.
  CHECK_THAT(figure, Contains(R"(class="masked rule-2" style="--shade:0.50" d="M64.0 )"));
  CHECK_THAT(figure, Contains(R"(class="masked rule-2" style="--shade:0.75" d="M758.5 )"));
  CHECK_THAT(figure, Contains("few pixels (min-nnz)") && Contains("low coverage (mad-max)"));
  CHECK_THAT(figure, !Contains("min-count"));
}
