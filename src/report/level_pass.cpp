#include "report/level_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "balance/filters.hpp"
#include "base/check.hpp"

namespace ziggurat::report {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

const WeightNumbers* shown(const SourceLevel& level) {
  for (const WeightNumbers& weights : level.said.weights) {
    if (weights.name == level.shown_weights) return &weights;
  }
  return nullptr;
}

// As factors, whichever way the column has them.
std::vector<double> factors(const ContactMap& map, const WeightNumbers* column) {
  if (column == nullptr) return {};
  std::vector<double> weights = map.weights(column->name);
  for (double& weight : weights) {
    if (column->divisive) weight = 1 / weight;
    if (!std::isfinite(weight)) weight = kNone;
  }
  return weights;
}

class LevelPass {
 public:
  LevelPass(const Source& source, const SourceLevel& level, const std::vector<PicturePlan>& plans,
            std::vector<double> weights)
      : source_(source), level_(level) {
    sums_.weights = std::move(weights);
    const auto n_bins = narrow<std::size_t>(level.n_bins);
    const std::size_t n_chromosomes = source.chromosomes.size();
    sums_.coverage.assign(n_bins, 0);
    if (!sums_.weights.empty()) {
      sums_.balanced.assign(n_bins, 0);
      nonzero_.assign(n_bins, 0);
      counted_.assign(n_bins, 0);
    }
    sums_.cis_of.assign(n_chromosomes, 0);
    sums_.trans_of.assign(n_chromosomes, 0);
    std::int64_t longest = 0;
    for (std::size_t c = 0; c < n_chromosomes; ++c) {
      longest = std::max(longest, level.offsets[c + 1] - level.offsets[c]);
    }
    sums_.by_distance.assign(narrow<std::size_t>(longest), 0);
    diagonal_of_.assign(n_chromosomes, 0);
    picture_of_.assign(n_chromosomes, -1);
    for (const PicturePlan& plan : plans) {
      grids_.emplace_back(plan, source.chromosomes, level.offsets, sums_.weights,
                          source.is_symmetric);
      const int index = static_cast<int>(grids_.size()) - 1;
      if (plan.chromosomes.size() > 1) {
        genome_ = index;
      } else {
        picture_of_[static_cast<std::size_t>(plan.chromosomes.front())] = index;
      }
    }
    column_ = shown(level);
    if (const WeightNumbers* column = column_) {
      ignored_ = column->ignored_diagonals.value_or(0);
      only_cis_ = column->cis_only.value_or(false);
    }
  }

  void add(const Pixels& block) {
    std::visit(
        [&](const auto& values) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            add(block.bin1[i], block.bin2[i], static_cast<double>(values[i]));
          }
        },
        block.values);
  }

  LevelSums take() {
    for (PictureGrid& grid : grids_) sums_.pictures.push_back(grid.take(level_.bin_size));
    for (std::size_t c = 0; c < sums_.cis_of.size(); ++c) {
      double touching = 0;
      for (std::int64_t bin = level_.offsets[c]; bin < level_.offsets[c + 1]; ++bin) {
        touching += sums_.coverage[static_cast<std::size_t>(bin)];
      }
      // A contact between two bins of the chromosome was counted for both.
      const double twice = source_.is_symmetric ? sums_.cis_of[c] - diagonal_of_[c] : 0;
      sums_.trans_of[c] = touching - sums_.cis_of[c] - twice;
    }
    if (column_ != nullptr) find_rules();
    return std::move(sums_);
  }

 private:
  void add(std::int64_t bin1, std::int64_t bin2, double count) {
    while (bin1 >= level_.offsets[chromosome_ + 1]) ++chromosome_;
    const bool mirrored = source_.is_symmetric && bin1 != bin2;
    const bool is_cis =
        bin2 >= level_.offsets[chromosome_] && bin2 < level_.offsets[chromosome_ + 1];
    const auto i = static_cast<std::size_t>(bin1);
    const auto j = static_cast<std::size_t>(bin2);
    const std::int64_t distance = std::abs(bin2 - bin1);
    sums_.contacts += count;
    sums_.coverage[i] += count;
    if (mirrored) sums_.coverage[j] += count;
    if (is_cis) {
      sums_.cis += count;
      sums_.cis_of[chromosome_] += count;
      sums_.by_distance[static_cast<std::size_t>(distance)] += count;
      if (bin1 == bin2) diagonal_of_[chromosome_] += count;
    }
    double balanced = kNone;
    if (!sums_.weights.empty()) {
      balanced = count * sums_.weights[i] * sums_.weights[j];
      const bool counts = is_cis ? distance >= ignored_ : !only_cis_;
      if (counts) add_marginals(i, j, count);
      if (counts && !std::isnan(balanced)) {
        // The marginals that balancing evens out count the diagonal twice, as their authors do.
        sums_.balanced[i] += balanced;
        if (source_.is_symmetric) sums_.balanced[j] += balanced;
      }
    }
    if (genome_ >= 0) grids_[static_cast<std::size_t>(genome_)].add(bin1, bin2, count, balanced);
    const int picture = picture_of_[chromosome_];
    if (is_cis && picture >= 0) {
      grids_[static_cast<std::size_t>(picture)].add(bin1, bin2, count, balanced);
    }
  }

  // Those that balancing judges bins by: of a square map too, a pixel counts for row and column.
  void add_marginals(std::size_t i, std::size_t j, double count) {
    if (count == 0 || std::isnan(count)) return;
    nonzero_[i] += 1;
    nonzero_[j] += 1;
    counted_[i] += count;
    counted_[j] += count;
  }

  void find_rules() {
    sums_.left_out_by.assign(sums_.weights.size(), LeftOutBy::other);
    const WeightNumbers& said = *column_;
    sums_.rules_known = said.min_nnz && said.min_count && said.mad_max && said.ignored_diagonals;
    if (!sums_.rules_known) return;
    const balance::FilterOptions limits{*said.min_nnz, *said.min_count, *said.mad_max, {}};
    const balance::BinMask mask =
        balance::filter_marginals(nonzero_, counted_, level_.offsets, limits);
    std::transform(mask.rule.begin(), mask.rule.end(), sums_.left_out_by.begin(), rule_of);
  }

  static LeftOutBy rule_of(balance::MaskRule rule) {
    switch (rule) {
      case balance::MaskRule::min_nnz:
        return LeftOutBy::min_nnz;
      case balance::MaskRule::min_count:
        return LeftOutBy::min_count;
      case balance::MaskRule::mad_max:
        return LeftOutBy::mad_max;
      case balance::MaskRule::none:
      case balance::MaskRule::blacklist:
        break;
    }
    return LeftOutBy::other;
  }

  const Source& source_;
  const SourceLevel& level_;
  const WeightNumbers* column_ = nullptr;
  std::vector<double> nonzero_;  // pixels that balancing counts, of each bin
  std::vector<double> counted_;  // and the sum of their counts
  LevelSums sums_;
  std::size_t chromosome_ = 0;  // that of the row
  std::int64_t ignored_ = 0;
  bool only_cis_ = false;
  std::vector<double> diagonal_of_;
  std::vector<PictureGrid> grids_;
  int genome_ = -1;              // index in grids_
  std::vector<int> picture_of_;  // the same, by chromosome
};

}  // namespace

LevelSums read_level(const Source& source, const SourceLevel& level,
                     const std::vector<PicturePlan>& plans, const std::string& reader_program,
                     Observer& observer) {
  const ContactMap map(level.uri, reader_program);
  LevelPass pass(source, level, plans, factors(map, shown(level)));
  PixelQuery query;
  query.rows = {0, map.n_bins()};
  query.columns = query.rows;
  PixelStream stream = map.pixels(query, &observer);
  Progress progress{"reading", level.uri, 0, static_cast<std::uint64_t>(map.n_pixels())};
  Pixels block;
  while (stream.next(block)) {
    pass.add(block);
    progress.done += static_cast<std::uint64_t>(block.size());
    observer.progress(progress);
    if (observer.cancelled()) fail(ErrorCode::cancelled, "stopped while reading {}", level.uri);
  }
  return pass.take();
}

}  // namespace ziggurat::report
