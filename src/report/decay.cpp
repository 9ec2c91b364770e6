#include "report/decay.hpp"

#include <algorithm>
#include <cmath>

namespace ziggurat::report {

namespace {

constexpr double kClassesEachDecade = 10;
constexpr double kMb = 1e6;
// Bins that touch have mostly contacts over much less than a bin's width.
constexpr std::size_t kNearest = 2;
// Shares of the longest chromosome: of man about 0.6 to 10 Mb, of yeast 4 to 60 kb.
constexpr double kSlopeFrom = 1.0 / 400;
constexpr double kSlopeTo = 1.0 / 25;
constexpr std::size_t kFewestForSlope = 4;
constexpr double kComparableBins = 4;
constexpr double kComparableContacts = 1000;

int class_of(double distance) {
  return static_cast<int>(std::floor(kClassesEachDecade * std::log10(distance)));
}

// Pairs of bins of one chromosome at each distance, in bins.
std::vector<double> pairs_by_distance(std::size_t n_distances,
                                      std::span<const std::int64_t> offsets) {
  std::vector<double> pairs(n_distances, 0);
  for (std::size_t c = 0; c + 1 < offsets.size(); ++c) {
    const std::int64_t n = offsets[c + 1] - offsets[c];
    for (std::int64_t d = 0; d < n; ++d)
      pairs[static_cast<std::size_t>(d)] += static_cast<double>(n - d);
  }
  return pairs;
}

// On the line between the points around `distance`, both axes logarithmic.
std::optional<double> density_at(std::span<const DecayPoint> points, double distance) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const DecayPoint& left = points[i - 1];
    const DecayPoint& right = points[i];
    if (distance < left.distance || distance > right.distance) continue;
    if (left.contacts < kComparableContacts || right.contacts < kComparableContacts) return {};
    const double share =
        std::log(distance / left.distance) / std::log(right.distance / left.distance);
    return left.density * std::pow(right.density / left.density, share);
  }
  return std::nullopt;
}

std::optional<double> slope_of(std::span<const DecayPoint> points) {
  if (points.size() < kFewestForSlope - 1) return std::nullopt;
  double n = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (const DecayPoint& point : points) {
    const double a = std::log(point.distance);
    const double b = std::log(point.density);
    n += 1;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  const double spread = n * xx - x * x;
  if (spread <= 0) return std::nullopt;
  return (n * xy - x * y) / spread;
}

}  // namespace

std::vector<DecayPoint> decay_of(std::span<const double> by_distance,
                                 std::span<const std::int64_t> offsets, std::int64_t bin_size,
                                 bool is_symmetric) {
  const std::vector<double> pairs = pairs_by_distance(by_distance.size(), offsets);
  const double width = static_cast<double>(bin_size);
  const double area = width * width / (kMb * kMb) * (is_symmetric ? 1 : 2);
  std::vector<DecayPoint> points;
  for (std::size_t d = kNearest; d < by_distance.size();) {
    const int of_class = class_of(static_cast<double>(d) * width);
    double n_pairs = 0;
    double weighted = 0;
    double contacts = 0;
    for (; d < by_distance.size() && class_of(static_cast<double>(d) * width) == of_class; ++d) {
      n_pairs += pairs[d];
      weighted += pairs[d] * static_cast<double>(d) * width;
      contacts += by_distance[d];
    }
    if (n_pairs > 0 && contacts > 0) {
      points.push_back({weighted / n_pairs, contacts / (n_pairs * area), contacts});
    }
  }
  return points;
}

double trans_density(double trans, std::span<const Chromosome> chromosomes, bool is_symmetric) {
  double all = 0;
  double squares = 0;
  for (const Chromosome& chromosome : chromosomes) {
    const double mb = static_cast<double>(chromosome.length) / kMb;
    all += mb;
    squares += mb * mb;
  }
  const double area = (all * all - squares) / (is_symmetric ? 2 : 1);
  return chromosomes.size() > 1 && area > 0 ? trans / area : 0;
}

std::optional<double> decay_slope(std::span<const DecayPoint> points,
                                  std::span<const Chromosome> chromosomes) {
  std::int64_t longest = 0;
  for (const Chromosome& chromosome : chromosomes) longest = std::max(longest, chromosome.length);
  const double length = static_cast<double>(longest);
  std::vector<DecayPoint> within;
  for (const DecayPoint& point : points) {
    if (point.distance >= kSlopeFrom * length && point.distance <= kSlopeTo * length) {
      within.push_back(point);
    }
  }
  return slope_of(within.size() < kFewestForSlope ? points : within);
}

std::optional<double> decay_disagreement(std::span<const LevelNumbers> levels) {
  std::optional<double> largest;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    if (!levels[i].bin_size) continue;
    const double nearest = kComparableBins * static_cast<double>(*levels[i].bin_size);
    for (const DecayPoint& point : levels[i].decay) {
      if (point.distance < nearest || point.contacts < kComparableContacts) continue;
      const auto finer = density_at(levels[i - 1].decay, point.distance);
      if (!finer) continue;
      largest = std::max(largest.value_or(0), std::abs(point.density / *finer - 1));
    }
  }
  return largest;
}

}  // namespace ziggurat::report
