#include "report/track.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

using namespace ziggurat;
using namespace ziggurat::report;

namespace {

// Chromosomes of 6 and 3.6 Mb get 600 and 360 of the 960 columns: 10 kb each.
const std::vector<Chromosome> kChromosomes{{"one", 6'000'000}, {"two", 3'600'000}, {"tiny", 1000}};
const std::vector<std::int64_t> kOffsets{0, 6, 10, 11};  // bins of 1 Mb
const double kNaN = std::nan("");

}  // namespace

TEST_CASE("coverage is spread over the columns of a bin, for each Mb") {
  TrackBuilder builder(kChromosomes, {0, 1});
  builder.add_coverage(kOffsets, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99});
  const GenomeTrack track = builder.take();
  REQUIRE(track.spans.size() == 2);
  CHECK(track.spans[1].name == "two");
  CHECK(track.spans[1].first_cell == 600);
  CHECK(track.spans[1].n_cells == 360);
  REQUIRE(track.coverage.size() == 960);
  CHECK(track.coverage[0] == Approx(1));
  CHECK(track.coverage[250] == Approx(3));
  CHECK(track.coverage[599] == Approx(6));
  // Of the second chromosome four bins share 3.6 Mb.
  CHECK(track.coverage[600] == Approx(7 / 0.9));
  CHECK(std::accumulate(track.coverage.begin(), track.coverage.end(), 0.0) / 100 == Approx(55));
}

TEST_CASE("bins without weight, by rule") {
  TrackBuilder builder(kChromosomes, {0, 1});
  std::vector<double> weights(11, 1);
  std::vector<LeftOutBy> rules(11, LeftOutBy::other);
  weights[1] = weights[2] = weights[9] = kNaN;
  rules[1] = LeftOutBy::min_nnz;
  rules[2] = LeftOutBy::mad_max;
  rules[3] = LeftOutBy::mad_max;  // of a bin that has a weight: says nothing
  builder.add_masked(kOffsets, weights, rules);
  builder.add_masked(kOffsets, {}, {});
  const GenomeTrack track = builder.take();
  REQUIRE(track.masked.size() == 2);
  const auto& [few, low_sum, low, other] = track.masked[0];
  CHECK(few[99] == 0);
  CHECK(few[100] == Approx(1));
  CHECK(few[199] == Approx(1));
  CHECK(few[200] == 0);
  CHECK(low[200] == Approx(1));
  CHECK(low[300] == 0);
  CHECK(std::accumulate(low_sum.begin(), low_sum.end(), 0.0) == 0);
  CHECK(other[959] == Approx(1));
  CHECK(std::accumulate(other.begin(), other.end(), 0.0) == Approx(90));
  CHECK(track.masked[1].front().empty());
}

TEST_CASE("a column of several bins holds the share of them") {
  const std::vector<Chromosome> one{{"one", 960'000}};  // a column for each kb
  TrackBuilder builder(one, {0});
  std::vector<double> weights(3840, 1);  // four bins a column
  weights[5] = weights[6] = kNaN;
  builder.add_masked(std::vector<std::int64_t>{0, 3840}, weights,
                     std::vector<LeftOutBy>(3840, LeftOutBy::min_nnz));
  const GenomeTrack track = builder.take();
  CHECK(track.masked[0][0][0] == 0);
  CHECK(track.masked[0][0][1] == Approx(0.5));
}
