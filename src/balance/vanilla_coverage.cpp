#include "balance/vanilla_coverage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "balance/count_codes.hpp"
#include "balance/marginals.hpp"
#include "balance/ranges.hpp"
#include "base/check.hpp"

namespace ziggurat::balance {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Counts on the diagonal, which a marginal holds twice and a row once.
Eigen::ArrayXd diagonal_of(const PixelStore& store) {
  Eigen::ArrayXd diagonal = Eigen::ArrayXd::Zero(store.layout().bins());
  for (const Segment& s : store.segments()) {
    visit_counts(s, [&](const auto& counts) {
      for (std::int64_t row = s.first_row; row < s.end_row(); ++row) {
        const auto r = static_cast<std::size_t>(row - s.first_row);
        std::uint32_t i = s.row_starts[r];
        for (; i < s.row_starts[r + 1] && s.columns[i] == row; ++i) diagonal[row] += counts(i);
      }
    });
  }
  return diagonal;
}

class RowSums {
 public:
  explicit RowSums(const PixelStore& store)
      : layout_(store.layout()), diagonal_(diagonal_of(store)), sums_(layout_.bins()) {}

  // Row sums of the whole scaled matrix, valid on the range.
  const Eigen::ArrayXd& of(const MarginalPass& pass, const BinRange& range,
                           const Eigen::ArrayXd& factors) {
    pass.run(factors, Summand::count, range.first, range.end, buffers_, sums_);
    for (std::int64_t b = range.first; b < range.end; ++b) {
      sums_[b] -= factors[b] * factors[b] * diagonal_[b];
    }
    return sums_;
  }

 private:
  const StoreLayout& layout_;
  const Eigen::ArrayXd diagonal_;
  PassBuffers buffers_;
  Eigen::ArrayXd sums_;
};

// Makes weights of the row sums in the range and returns their common factor.
double cover(const MarginalPass& pass, const BinRange& range, Coverage coverage, RowSums& row_sums,
             Eigen::ArrayXd& factors, Eigen::ArrayXd& weights) {
  const auto part = [&range](auto& all) { return all.segment(range.first, range.size()); };
  part(factors).setOnes();
  part(weights) = part(row_sums.of(pass, range, factors));
  if (coverage == Coverage::square_root) part(weights) = part(weights).sqrt();
  part(factors) = (part(weights) > 0).select(Eigen::ArrayXd::Ones(range.size()), 0.0);
  const double sum = part(row_sums.of(pass, range, factors)).sum();
  part(factors) = (part(weights) > 0).select(1.0 / part(weights), 0.0);
  const double scaled_sum = part(row_sums.of(pass, range, factors)).sum();
  const double factor = std::sqrt(scaled_sum / sum);
  part(weights) = (part(weights) > 0).select(part(weights) * factor, kNaN);
  return factor;
}

}  // namespace

BalanceResult vanilla_coverage(PixelStore& store, const BinMask& mask, Coverage coverage) {
  const StoreLayout& layout = store.layout();
  if (layout.symmetry != Symmetry::upper) {
    fail(ErrorCode::usage, "vanilla coverage is defined for symmetric maps only");
  }
  store.drop(mask.masked);
  RowSums row_sums(store);
  Eigen::ArrayXd factors(layout.bins());
  BalanceResult result;
  result.divisive = true;
  result.weights = Eigen::ArrayXd::Zero(layout.bins());
  for (const BinRange& range : balanced_ranges(store)) {
    const MarginalPass pass(range.segments, borders_of(layout));
    const double factor = cover(pass, range, coverage, row_sums, factors, result.weights);
    result.scale.push_back(factor);
    result.var.push_back(0);
    result.converged.push_back(true);
    result.rounds.push_back(0);
    result.stop.push_back(std::isnan(factor) ? Stop::nothing_left : Stop::converged);
  }
  return result;
}

}  // namespace ziggurat::balance
