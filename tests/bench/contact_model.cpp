// The model behind synthetic maps, and how a sparse random row is drawn from it.
//
// Problem: benchmarks need maps whose compressed size, sparsity and row shapes are those of real
// mammalian maps at 5 and 10 kb, of any size, from a seed.
//
// Expected contacts of bins i <= j, S being the depth:
//
//   cis    S b_i b_j p(s) T(i,j) exp(kc(s) e_i e_j)        trans  S t b_i b_j exp(kt e_i e_j)
//
// p(s): piecewise power law of distance, fitted to published maps. T: nested domains of about
// 600 and 180 kb. e: A/B compartments of about 1.5 Mb. b: lognormal coverage, part of it smooth
// along the genome, with a tail of poorly mappable bins; 0 in holes and in scattered bins. Counts
// are Poisson, so that nearly all trans pixels are 1. Meant for bins of 1 kb to 100 kb; far above
// that the short-range part of p(s) is too weak (coarsen a finer map instead).
//
// Method: within 2 Mb every pair is drawn. Farther out, and in trans, most pairs are empty: a
// Poisson number of candidates is spread over a block of bins under an upper bound of the rate,
// and each is kept with probability rate / bound (thinning). A block whose bound is not small is
// drawn pair by pair instead. Cost: proportional to the pixels drawn, plus the near pairs.
//
// Invariant: a row uses its own random stream, so its pixels depend on seed, depth and row alone.
#include "contact_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace ziggurat::bench {
namespace {

constexpr double kCisCompartment = 0.5;
constexpr double kTransCompartment = 0.4;
constexpr double kDomainGain = 1.7;
constexpr double kSubdomainGain = 1.35;
constexpr std::int64_t kGuideSteps = 1 << 20;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// Relative density of contacts at a distance in base pairs; 1 at 10 kb.
double decay_at(double distance) {
  struct Piece {
    double end;
    double slope;
  };
  constexpr double kStart = 1e4;
  constexpr std::array<Piece, 7> kPieces = {{{1e5, -0.96},
                                             {8e5, -1.04},
                                             {3.2e6, -1.48},
                                             {8e6, -0.88},
                                             {25e6, -0.65},
                                             {50e6, -0.87},
                                             {1e12, -1.2}}};
  if (distance < kStart) return std::pow(distance / kStart, kPieces[0].slope);
  double value = 1;
  double reached = kStart;
  for (const Piece& piece : kPieces) {
    const double end = std::min(distance, piece.end);
    if (end > reached) {
      value *= std::pow(end / reached, piece.slope);
      reached = end;
    }
    if (distance <= piece.end) break;
  }
  return value;
}

// Adds candidates that were kept: sorted, one pixel for each run of equal columns.
void add_candidates(std::vector<std::int32_t>& candidates, Contacts& out) {
  std::sort(candidates.begin(), candidates.end());
  for (auto run = candidates.begin(); run != candidates.end();) {
    const auto end = std::upper_bound(run, candidates.end(), *run);
    out.add(*run, end - run);
    run = end;
  }
  candidates.clear();
}

}  // namespace

void Contacts::add(std::int64_t column, std::int64_t count) {
  if (count == 0) return;
  columns.push_back(static_cast<std::int32_t>(column));
  counts.push_back(static_cast<std::int32_t>(
      std::min<std::int64_t>(count, std::numeric_limits<std::int32_t>::max())));
}

// Where the walk along a chromosome stands: bins left of each feature, and smooth states.
struct ContactModel::Walk {
  std::int64_t compartment_left = 0;
  std::int64_t domain_left = 0;
  std::int64_t subdomain_left = 0;
  std::int64_t poor_bp_left = 0;
  double compartment_sign = 1;
  double compartment_strength = 1;
  double smooth_bias = 0;
  std::int32_t domain = 0;
  std::int32_t subdomain = 0;
};

ContactModel::ContactModel(std::vector<Chromosome> chromosomes, std::int64_t resolution,
                           double trans_share, std::uint64_t seed)
    : chromosomes_(std::move(chromosomes)),
      resolution_(resolution),
      seed_(seed),
      offsets_{0},
      near_bins_(std::max<std::int64_t>(4, 2000000 / resolution)),
      block_bins_(std::max<std::int64_t>(8, 320000 / resolution)) {
  for (const Chromosome& chromosome : chromosomes_) {
    offsets_.push_back(offsets_.back() + (chromosome.length + resolution - 1) / resolution);
  }
  if (bins() < 2) throw std::runtime_error("fewer than two bins");
  make_tracks();
  make_decay();
  make_sampling_tables();
  trans_factor_ = trans_factor(trans_share);
}

std::int64_t ContactModel::live_bins() const {
  return std::count_if(coverage_.begin(), coverage_.end(), [](float value) { return value > 0; });
}

void ContactModel::make_tracks() {
  chromosome_of_.resize(at(bins()));
  coverage_.resize(at(bins()));
  compartment_.resize(at(bins()));
  domain_.resize(at(bins()));
  subdomain_.resize(at(bins()));
  RandomStream random(seed_ * 7919 + 17);
  Walk walk;
  for (std::size_t chromosome = 0; chromosome < chromosomes_.size(); ++chromosome) {
    walk = Walk{.domain = walk.domain, .subdomain = walk.subdomain};
    walk.compartment_sign = random.uniform() < 0.5 ? 1 : -1;
    walk.smooth_bias = random.normal();
    for (std::int64_t bin = offsets_[chromosome]; bin < offsets_[chromosome + 1]; ++bin) {
      chromosome_of_[at(bin)] = static_cast<std::int32_t>(chromosome);
      make_step(walk, random, bin, chromosome);
    }
  }
  for (const float value : compartment_) {
    largest_compartment_ = std::max<double>(largest_compartment_, std::fabs(value));
  }
}

// Compartment, domains and coverage of one bin. The order of the draws is part of the result.
void ContactModel::make_step(Walk& walk, RandomStream& random, std::int64_t bin,
                             std::size_t chromosome) {
  const auto resolution = static_cast<double>(resolution_);
  if (walk.compartment_left-- <= 0) {
    walk.compartment_left =
        static_cast<std::int64_t>(1.5e6 / resolution * (0.2 + 0.8 * random.exponential()));
    walk.compartment_sign = -walk.compartment_sign;
    walk.compartment_strength = 0.5 + 0.5 * random.uniform();
  }
  const double target = walk.compartment_sign * walk.compartment_strength;
  const bool first = bin == offsets_[chromosome];
  const double before = first ? target : static_cast<double>(compartment_[at(bin - 1)]);
  compartment_[at(bin)] =
      static_cast<float>(before + (target - before) * std::min(1.0, resolution / 1.5e5));

  if (walk.domain_left-- <= 0) {
    const double length = 6e5 / resolution * std::exp(0.55 * random.normal());
    walk.domain_left = std::min(near_bins_ - 1, static_cast<std::int64_t>(length));
    ++walk.domain;
    walk.subdomain_left = 0;
  }
  if (walk.subdomain_left-- <= 0) {
    const double length = 1.8e5 / resolution * std::exp(0.5 * random.normal());
    walk.subdomain_left = static_cast<std::int64_t>(length);
    ++walk.subdomain;
  }
  domain_[at(bin)] = walk.domain;
  subdomain_[at(bin)] = walk.subdomain;
  coverage_[at(bin)] = static_cast<float>(draw_coverage(walk, random, bin, chromosome));
}

double ContactModel::draw_coverage(Walk& walk, RandomStream& random, std::int64_t bin,
                                   std::size_t chromosome) {
  const auto resolution = static_cast<double>(resolution_);
  const double finer = std::sqrt(1e4 / resolution);
  const double memory = std::exp(-resolution / 3e5);
  const double own_bias = std::clamp(0.2 * finer, 0.05, 0.35);
  walk.smooth_bias = memory * walk.smooth_bias + std::sqrt(1 - memory * memory) * random.normal();
  const Chromosome& home = chromosomes_[chromosome];
  double value = std::exp(0.22 * walk.smooth_bias + own_bias * random.normal() +
                          0.12 * static_cast<double>(compartment_[at(bin)])) *
                 home.dose;

  if (walk.poor_bp_left > 0) {  // segmental duplications: a run of poorly mappable bins
    walk.poor_bp_left -= resolution_;
    value *= 0.05 + 0.4 * random.uniform();
  } else if (random.uniform() < resolution / 1.2e6) {
    walk.poor_bp_left = static_cast<std::int64_t>(3e4 * random.exponential());
  }
  if (random.uniform() < 0.010 * finer) value = 0;  // a scattered unmappable bin
  const std::int64_t start = (bin - offsets_[chromosome]) * resolution_;
  const bool telomere = start < 10000 && home.length > 1000000;
  if (telomere) value = 0;
  const std::int64_t middle = start + resolution_ / 2;
  for (const Interval& hole : home.holes) {
    const bool inside = middle >= hole.start && middle < hole.end;
    // A few reads stray into every hole.
    if (inside && random.uniform() > 0.004) value = 0;
  }
  const std::int64_t length = std::min(resolution_, home.length - start);
  return value * (static_cast<double>(length) / resolution);
}

void ContactModel::make_decay() {
  std::int64_t longest = 0;
  for (std::size_t chromosome = 0; chromosome < chromosomes_.size(); ++chromosome) {
    longest = std::max(longest, offsets_[chromosome + 1] - offsets_[chromosome]);
  }
  const auto resolution = static_cast<double>(resolution_);
  decay_.resize(at(longest + 1));
  for (std::int64_t distance = 1; distance <= longest; ++distance) {
    decay_[at(distance)] = decay_at(static_cast<double>(distance) * resolution) *
                           (resolution / 1e4) * (resolution / 1e4);
  }
  decay_[0] = decay_[1];
}

void ContactModel::make_sampling_tables() {
  cumulative_.resize(at(bins() + 1));
  for (std::int64_t bin = 0; bin < bins(); ++bin) {
    cumulative_[at(bin + 1)] = cumulative_[at(bin)] + static_cast<double>(coverage_[at(bin)]);
  }
  guide_.resize(kGuideSteps + 1);
  std::int64_t bin = 0;
  for (std::int64_t step = 0; step <= kGuideSteps; ++step) {
    const double reached =
        cumulative_.back() * static_cast<double>(step) / static_cast<double>(kGuideSteps);
    while (bin < bins() - 1 && cumulative_[at(bin + 1)] <= reached) ++bin;
    guide_[at(step)] = static_cast<std::int32_t>(bin);
  }
  block_coverage_.resize(at(bins() / block_bins_ + 2));
  for (bin = 0; bin < bins(); ++bin) {
    float& largest = block_coverage_[at(bin / block_bins_)];
    largest = std::max(largest, coverage_[at(bin)]);
  }
}

// The t that gives the wanted share, from a sample of rows; compartments average to about 1.
double ContactModel::trans_factor(double trans_share) const {
  double cis = 0;
  double trans = 0;
  for (std::int64_t row = 0; row < bins(); row += std::max<std::int64_t>(1, bins() / 2000)) {
    const std::size_t i = at(row);
    if (coverage_[i] <= 0) continue;
    const std::int64_t end = end_of_chromosome(row);
    for (std::size_t j = i; j < at(end); ++j) {
      cis += static_cast<double>(coverage_[i]) * static_cast<double>(coverage_[j]) * decay_[j - i] *
             (domain_[i] == domain_[j] ? kDomainGain : 1) *
             (subdomain_[i] == subdomain_[j] ? kSubdomainGain : 1);
    }
    trans += static_cast<double>(coverage_[i]) * (cumulative_.back() - cumulative_[at(end)]);
  }
  return trans > 0 ? trans_share / (1 - trans_share) * cis / trans : 0;
}

std::int64_t ContactModel::end_of_chromosome(std::int64_t bin) const {
  return offsets_[static_cast<std::size_t>(chromosome_of_[at(bin)]) + 1];
}

void ContactModel::row(std::int64_t row, double depth, Contacts& out) const {
  const auto coverage = static_cast<double>(coverage_[at(row)]);
  if (coverage <= 0) return;
  RandomStream random(seed_ * 0x9e3779b97f4a7c15U +
                      static_cast<std::uint64_t>(row) * 0xd1342543de82ef95U + 1);
  near_row(row, depth * coverage, random, out);
  far_row(row, depth * coverage, random, out);
  trans_row(row, depth * coverage, random, out);
}

void ContactModel::near_row(std::int64_t row, double scale, RandomStream& random,
                            Contacts& out) const {
  const std::size_t i = at(row);
  const std::size_t end = at(std::min(end_of_chromosome(row), row + near_bins_ + 1));
  for (std::size_t j = i; j < end; ++j) {
    double mean = scale * static_cast<double>(coverage_[j]) * decay_[j - i];
    if (mean <= 0) continue;
    if (domain_[j] == domain_[i]) {
      mean *= kDomainGain;
      if (subdomain_[j] == subdomain_[i]) mean *= kSubdomainGain;
    }
    // exp to second order: this is the hottest line, and the exponent stays below 1/2.
    const double strength =
        kCisCompartment * static_cast<double>(j - i) / static_cast<double>(near_bins_);
    const double exponent =
        strength * static_cast<double>(compartment_[i]) * static_cast<double>(compartment_[j]);
    mean *= 1 + exponent + 0.5 * exponent * exponent;
    if (mean >= 0.05) {
      out.add(static_cast<std::int64_t>(j), random.poisson(mean));
      continue;
    }
    // P(any) and P(two or more) to second order.
    const double drawn = random.uniform();
    const double two = 0.5 * mean * mean;
    if (drawn < mean - two) out.add(static_cast<std::int64_t>(j), drawn < two ? 2 : 1);
  }
}

void ContactModel::far_row(std::int64_t row, double scale, RandomStream& random,
                           Contacts& out) const {
  const std::int64_t end = end_of_chromosome(row);
  const double own = static_cast<double>(compartment_[at(row)]);
  const double bound = std::exp(kCisCompartment * largest_compartment_ * largest_compartment_);
  const auto mean = [&](std::int64_t column) {
    return scale * static_cast<double>(coverage_[at(column)]) * decay_[at(column - row)] *
           std::exp(kCisCompartment * own * static_cast<double>(compartment_[at(column)]));
  };
  std::vector<std::int32_t> kept;
  std::int64_t block_end = 0;
  for (std::int64_t block = row + near_bins_ + 1; block < end; block = block_end) {
    block_end = std::min(end, (block / block_bins_ + 1) * block_bins_);
    const double most = scale * static_cast<double>(block_coverage_[at(block / block_bins_)]) *
                        decay_[at(block - row)] * bound;
    if (most <= 0) continue;
    if (most > 0.5) {
      add_candidates(kept, out);
      for (std::int64_t column = block; column < block_end; ++column) {
        out.add(column, random.poisson(mean(column)));
      }
      continue;
    }
    const auto width = static_cast<double>(block_end - block);
    for (std::int64_t left = random.poisson(most * width); left > 0; --left) {
      const std::int64_t column = block + static_cast<std::int64_t>(random.uniform() * width);
      const double rate = mean(column);
      if (random.uniform() * most < rate) kept.push_back(static_cast<std::int32_t>(column));
    }
  }
  add_candidates(kept, out);
}

void ContactModel::trans_row(std::int64_t row, double scale, RandomStream& random,
                             Contacts& out) const {
  const std::int64_t first = end_of_chromosome(row);
  const double rest = cumulative_.back() - cumulative_[at(first)];
  if (rest <= 0 || trans_factor_ <= 0) return;
  const double own = static_cast<double>(compartment_[at(row)]);
  const double bound = std::exp(kTransCompartment * largest_compartment_ * largest_compartment_);
  const double candidates = scale * trans_factor_ * rest * bound;
  const auto affinity = [&](std::int64_t column) {
    return std::exp(kTransCompartment * own * static_cast<double>(compartment_[at(column)]));
  };
  if (candidates > 0.5 * static_cast<double>(bins() - first)) {
    for (std::int64_t column = first; column < bins(); ++column) {
      out.add(column,
              random.poisson(scale * trans_factor_ * static_cast<double>(coverage_[at(column)]) *
                             affinity(column)));
    }
    return;
  }
  std::vector<std::int32_t> kept;
  for (std::int64_t left = random.poisson(candidates); left > 0; --left) {
    const double drawn = cumulative_[at(first)] + random.uniform() * rest;
    const std::int64_t column = bin_at_coverage(drawn, first);
    if (column < first || coverage_[at(column)] <= 0) continue;
    if (random.uniform() * bound < affinity(column)) {
      kept.push_back(static_cast<std::int32_t>(column));
    }
  }
  add_candidates(kept, out);
}

// The bin within which the cumulative coverage is reached, not before first by rounding.
std::int64_t ContactModel::bin_at_coverage(double cumulative, std::int64_t first) const {
  const double step = cumulative / cumulative_.back() * static_cast<double>(kGuideSteps);
  std::int64_t bin = guide_[at(std::min(kGuideSteps, static_cast<std::int64_t>(step)))];
  while (bin < bins() - 1 && cumulative_[at(bin + 1)] <= cumulative) ++bin;
  while (bin > first && cumulative_[at(bin)] > cumulative) --bin;
  return bin;
}

}  // namespace ziggurat::bench
