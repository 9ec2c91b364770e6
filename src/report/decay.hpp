// Contacts by distance: how fast they thin out along the chromosomes.
//
// Distances are gathered into classes of equal width on a logarithmic scale, ten for each factor of
// ten, the same at every level. A density is contacts over the area of the pairs of bins looked at,
// so that levels of one map agree wherever their bins are small against the distance.
// Thread rules: free functions of their arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ziggurat/report.hpp"

namespace ziggurat::report {

// `by_distance`: contacts by distance in bins. The diagonal and the one
// beside it are left out: their contacts are mostly over less than a bin's width.
[[nodiscard]] std::vector<DecayPoint> decay_of(std::span<const double> by_distance,
                                               std::span<const std::int64_t> offsets,
                                               std::int64_t bin_size, bool is_symmetric);

// Contacts of different chromosomes for each Mb x Mb between them; 0 with one chromosome.
[[nodiscard]] double trans_density(double trans, std::span<const Chromosome> chromosomes,
                                   bool is_symmetric);

// The exponent of the distance by least squares over the points between a 400th and a 25th of the
// longest chromosome, or over all of them where there are fewer than four there. Nothing with fewer
// than three.
[[nodiscard]] std::optional<double> decay_slope(std::span<const DecayPoint> points,
                                                std::span<const Chromosome> chromosomes);

// The largest difference between neighbouring levels, as a share of the finer, where both can be
// compared: at four bins of the coarser and more, and with 1,000 contacts or more.
[[nodiscard]] std::optional<double> decay_disagreement(std::span<const LevelNumbers> levels);

}  // namespace ziggurat::report
