#include "report/picture_grid.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace ziggurat;
using namespace ziggurat::report;

namespace {
const std::vector<Chromosome> kChromosomes{{"a", 30}, {"skipped", 10}, {"b", 20}};
const std::vector<std::int64_t> kOffsets{0, 3, 4, 6};  // bins of 10
const double kNaN = std::nan("");
}  // namespace

TEST_CASE("a cell holds bins of one chromosome, and what adds up in them") {
  // Cells of two bins: {0, 1}, {2}, {4, 5}; bin 3 is not shown.
  PictureGrid grid({0, {0, 2}, 2}, kChromosomes, kOffsets, {}, true);
  grid.add(0, 0, 5, kNaN);
  grid.add(0, 1, 2, kNaN);
  grid.add(1, 2, 3, kNaN);
  grid.add(0, 4, 7, kNaN);
  grid.add(1, 5, 1, kNaN);
  grid.add(3, 4, 100, kNaN);
  const MapPicture picture = grid.take(10);
  CHECK(picture.n_cells == 3);
  CHECK(picture.spans[1].name == "b");
  CHECK(picture.spans[1].first_cell == 2);
  CHECK(picture.raw == std::vector<float>{7, 3, 8, 3, 0, 0, 8, 0, 0});
  CHECK(picture.balanced.empty());
}

TEST_CASE("balanced, a cell is the mean over the pairs of bins that have weights") {
  const std::vector<double> weights{1, 1, kNaN, 1, 1, kNaN};
  PictureGrid grid({0, {0, 2}, 2}, kChromosomes, kOffsets, weights, true);
  grid.add(0, 0, 6, 6);
  grid.add(0, 1, 3, 3);
  grid.add(0, 4, 8, 8);
  grid.add(0, 2, 4, kNaN);
  const MapPicture picture = grid.take(10);
  // The diagonal cell of two bins stands for three pairs; with the second chromosome, where one bin
  // has a weight, for two.
  CHECK(picture.balanced[0] == 3);
  CHECK(std::isnan(picture.balanced[1]));
  CHECK(picture.balanced[2] == 4);
  CHECK(picture.balanced[6] == 4);
  CHECK(picture.balanced[8] == 0);
}

TEST_CASE("a square map is not mirrored") {
  PictureGrid grid({0, {0}, 1}, kChromosomes, kOffsets, {}, false);
  grid.add(0, 1, 5, kNaN);
  CHECK(grid.take(10).raw == std::vector<float>{0, 5, 0, 0, 0, 0, 0, 0, 0});
}
