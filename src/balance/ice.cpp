// The rounds. With factors b (the biases), m the marginals of b_i * b_j * count, a round divides
// each b by m / mean(m). Its fixed point has all m equal; scaled by 1 / sqrt(mean) every row of
// the balanced matrix then sums to about 1. The mean and variance that decide, and that the result
// reports, are those of the marginals before the round's update: the weights are one step better.
// Means are over marginals that are not 0, and bins whose marginal is 0 keep their factor, so a
// bin that was not masked but has no contacts ends with the weight 1 / sqrt(mean), not NaN.
// Method and numbers are cooler's, for the sake of equal weights; see marginals.hpp for the order
// of additions. With contacts cis each chromosome is a problem of its own. With contacts trans a
// bin's factor is weighted by n / (bins outside its chromosome), so that bins of long chromosomes,
// which have fewer partners, are not inflated.
// Accelerated, the point is the logarithm of b and the residual of a bin log(mean(m) / m), 0 where
// m is 0: b then moves as in a plain round but for the mixing. The last round is always plain. A
// negative marginal has no logarithm: from there on all rounds are plain.
#include "balance/ice.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "balance/anderson.hpp"
#include "balance/marginals.hpp"
#include "balance/numpy_sums.hpp"
#include "balance/ranges.hpp"
#include "base/check.hpp"

namespace ziggurat::balance {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kBinsPerTask = 16384;

// A variance that grows this many rounds in a row does not come down again: where a solution
// exists it falls in all but the first few.
constexpr int kGrowingRounds = 30;

// Of a factor. Where there is no solution factors run off to 0 and to infinity; within this their
// products with one another and with any count are still numbers.
constexpr double kLargestLog = 150;

struct Outcome {
  double scale = 1;
  double var = kNaN;
  int rounds = 0;
  Stop stop = Stop::max_rounds;
};

// One balancing problem's rounds. Several use the same vectors, each on its range.
class Rounds {
 public:
  Rounds(const MarginalPass& pass, const BinRange& range, const Eigen::ArrayXd& partner_weights,
         const IceOptions& options, PassBuffers& buffers, Eigen::ArrayXd& bias,
         Eigen::ArrayXd& marginals)
      : pass_(pass),
        range_(range),
        partner_weights_(partner_weights),
        options_(options),
        buffers_(buffers),
        bias_(bias),
        marginals_(marginals),
        accelerated_(options.iteration == Iteration::anderson),
        tol_(accelerated_ ? kAcceleratedTol * options.tol : options.tol) {
    if (accelerated_) logs_ = Eigen::ArrayXd::Zero(range.size());
  }

  Outcome run() {
    for (bool last = false; !last && outcome_.rounds < options_.max_rounds;) {
      last = round();
      report();
    }
    if (outcome_.stop == Stop::max_rounds && growing_ >= kGrowingRounds) {
      outcome_.stop = Stop::growing;
    }
    return outcome_;
  }

 private:
  // True when it was the last.
  bool round() {
    compute_marginals();
    ++outcome_.rounds;
    nonzero_.clear();
    for (std::int64_t b = range_.first; b < range_.end; ++b) {
      if (marginals_[b] != 0) nonzero_.push_back(marginals_[b]);
    }
    if (nonzero_.empty()) return nothing_left();
    outcome_.scale = numpy_mean(nonzero_);
    const bool last = judge(numpy_variance(nonzero_, outcome_.scale));
    improve_bias(last || outcome_.rounds == options_.max_rounds);
    return last;
  }

  void improve_bias(bool last) {
    accelerated_ =
        accelerated_ && !last && std::ranges::all_of(nonzero_, [](double m) { return m > 0; });
    if (accelerated_) {
      mix_bias();
    } else {
      divide_bias();
    }
  }

  void compute_marginals() {
    if (partner_weights_.size() == 0) {
      pass_.run(bias_, Summand::count, range_.first, range_.end, buffers_, marginals_);
    } else {
      weighted_ = bias_ * partner_weights_;
      pass_.run(weighted_, Summand::count, range_.first, range_.end, buffers_, marginals_);
    }
  }

  bool nothing_left() {
    bias_.segment(range_.first, range_.size()).setConstant(kNaN);
    outcome_.scale = kNaN;
    outcome_.var = 0;
    outcome_.stop = Stop::nothing_left;
    return true;
  }

  // Calls function(bin) for all bins of the range.
  template <typename Function>
  void for_each_bin(const Function& function) const {
    tbb::parallel_for(tbb::blocked_range<std::int64_t>(range_.first, range_.end, kBinsPerTask),
                      [&](const auto& part) {
                        for (std::int64_t b = part.begin(); b < part.end(); ++b) function(b);
                      });
  }

  void divide_bias() {
    const double mean = outcome_.scale;
    for_each_bin([&](std::int64_t b) {
      const double ratio = marginals_[b] / mean;
      bias_[b] /= ratio == 0 ? 1.0 : ratio;
    });
  }

  void mix_bias() {
    Eigen::ArrayXd residual(range_.size());
    for_each_bin([&](std::int64_t b) {
      const double m = marginals_[b];
      residual[b - range_.first] = m == 0 ? 0.0 : std::log(outcome_.scale / m);
    });
    mixer_.advance(logs_, residual);
    for_each_bin([&](std::int64_t b) {
      double& log = logs_[b - range_.first];
      log = std::clamp(log, -kLargestLog, kLargestLog);
      if (bias_[b] != 0) bias_[b] = std::exp(log);
    });
  }

  bool judge(double var) {
    growing_ = var > outcome_.var ? growing_ + 1 : 0;
    outcome_.var = var;
    const double relative = var / (outcome_.scale * outcome_.scale);
    if (var < tol_ && relative < tol_) {
      outcome_.stop = Stop::converged;
    } else if (std::isnan(var)) {
      outcome_.stop = Stop::not_finite;
    } else if (growing_ >= kGrowingRounds && options_.growth == Growth::stop) {
      outcome_.stop = Stop::growing;
    }
    return outcome_.stop != Stop::max_rounds;
  }

  void report() const {
    if (!options_.keep_going) return;
    if (!options_.keep_going({range_.chromosome, outcome_.rounds, outcome_.var})) {
      fail(ErrorCode::cancelled, "balancing was cancelled in round {}", outcome_.rounds);
    }
  }

  const MarginalPass& pass_;
  const BinRange& range_;
  const Eigen::ArrayXd& partner_weights_;  // empty unless contacts are trans
  const IceOptions& options_;
  PassBuffers& buffers_;
  Eigen::ArrayXd& bias_;
  Eigen::ArrayXd& marginals_;
  bool accelerated_;  // so far
  const double tol_;
  Eigen::ArrayXd logs_;  // of the factors in the range, when accelerated
  AndersonMixer mixer_;
  Eigen::ArrayXd weighted_;
  std::vector<double> nonzero_;
  Outcome outcome_;
  int growing_ = 0;
};

// 1 / (share of bins outside the bin's chromosome).
Eigen::ArrayXd trans_partner_weights(const StoreLayout& layout) {
  Eigen::ArrayXd weights(layout.bins());
  for (std::size_t c = 0; c + 1 < layout.chrom_offsets.size(); ++c) {
    const std::int64_t first = layout.chrom_offsets[c];
    const std::int64_t n = layout.chrom_offsets[c + 1] - first;
    const double inside = static_cast<double>(n) / static_cast<double>(layout.bins());
    weights.segment(first, n).setConstant(1.0 / (1.0 - inside));
  }
  return weights;
}

bool one_chromosome_has_all(const StoreLayout& layout) {
  const auto& offsets = layout.chrom_offsets;
  return std::adjacent_find(offsets.begin(), offsets.end(), [&](auto first, auto end) {
           return end - first == layout.bins();
         }) != offsets.end();
}

void scale_bias(const BinRange& range, double scale, Eigen::ArrayXd& bias) {
  auto part = bias.segment(range.first, range.size());
  part = (part == 0).select(kNaN, part) / std::sqrt(scale);
}

void add_outcome(const Outcome& outcome, BalanceResult& result) {
  result.scale.push_back(outcome.scale);
  result.var.push_back(outcome.var);
  result.rounds.push_back(outcome.rounds);
  result.stop.push_back(outcome.stop);
  result.converged.push_back(outcome.stop == Stop::converged || outcome.stop == Stop::nothing_left);
}

Eigen::ArrayXd initial_bias(const BinMask& mask) {
  Eigen::ArrayXd bias(static_cast<Eigen::Index>(mask.masked.size()));
  for (Eigen::Index b = 0; b < bias.size(); ++b) {
    bias[b] = mask.masked[static_cast<std::size_t>(b)] ? 0.0 : 1.0;
  }
  return bias;
}

}  // namespace

BalanceResult iterative_correction(PixelStore& store, const BinMask& mask,
                                   const IceOptions& options) {
  const StoreLayout& layout = store.layout();
  BalanceResult result;
  result.weights = initial_bias(mask);
  Eigen::ArrayXd partner_weights;
  if (layout.contacts == Contacts::trans) {
    if (one_chromosome_has_all(layout)) {
      // The partner weight would be infinite, and so every factor NaN from the first round on.
      result.weights.setConstant(kNaN);
      add_outcome({kNaN, kNaN, 0, Stop::no_trans}, result);
      return result;
    }
    partner_weights = trans_partner_weights(layout);
  }
  store.drop(mask.masked);
  PassBuffers buffers;
  Eigen::ArrayXd marginals(layout.bins());
  for (const BinRange& range : balanced_ranges(store)) {
    const MarginalPass pass(range.segments, borders_of(layout));
    const Outcome outcome =
        Rounds(pass, range, partner_weights, options, buffers, result.weights, marginals).run();
    scale_bias(range, outcome.scale, result.weights);
    add_outcome(outcome, result);
  }
  return result;
}

std::int64_t diags_for_distance(std::int64_t ignore_diags, std::int64_t ignore_dist_bp,
                                std::int64_t bin_size_bp) {
  const std::int64_t bins =
      ignore_dist_bp / bin_size_bp + (ignore_dist_bp % bin_size_bp > 0 ? 1 : 0);
  return std::max(ignore_diags, bins);
}

}  // namespace ziggurat::balance
