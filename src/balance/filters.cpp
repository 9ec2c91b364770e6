#include "balance/filters.hpp"

#include <cmath>
#include <limits>

#include "balance/marginals.hpp"
#include "balance/numpy_sums.hpp"

namespace ziggurat::balance {
namespace {

std::vector<double> positive(const Eigen::ArrayXd& values, std::int64_t first, std::int64_t end) {
  std::vector<double> kept;
  for (std::int64_t b = first; b < end; ++b) {
    if (values[b] > 0) kept.push_back(values[b]);
  }
  return kept;
}

// Coverage differs between chromosomes by copy number and ploidy, which is no fault of a bin: so
// each chromosome is measured by its own median. Without a positive value that is NaN, and so are
// its bins then: no comparison below holds for them.
void divide_by_chromosome_medians(Eigen::ArrayXd& marginals,
                                  const std::vector<std::int64_t>& offsets) {
  for (std::size_t c = 0; c + 1 < offsets.size(); ++c) {
    marginals.segment(offsets[c], offsets[c + 1] - offsets[c]) /=
        median(positive(marginals, offsets[c], offsets[c + 1]));
  }
}

// exp(median - mad_max * deviation) of the logarithms, the deviation being the plain median of the
// distances from the median, without the 1.4826 that makes it a standard deviation.
double mad_cutoff(const Eigen::ArrayXd& marginals, double mad_max) {
  std::vector<double> logs = positive(marginals, 0, marginals.size());
  for (double& value : logs) value = std::log(value);
  const double middle = median(logs);
  for (double& value : logs) value = std::abs(value - middle);
  return std::exp(middle - mad_max * median(std::move(logs)));
}

// Bins below a limit, and what they are below; NaN is below nothing.
void mask_below(const Eigen::ArrayXd& values, double limit, MaskRule rule, BinMask& mask) {
  for (std::int64_t b = 0; b < values.size(); ++b) {
    MaskRule& slot = mask.rule[static_cast<std::size_t>(b)];
    if (values[b] < limit && slot == MaskRule::none) slot = rule;
  }
}

void mask_listed(const std::vector<bool>& listed, BinMask& mask) {
  for (std::size_t b = 0; b < listed.size(); ++b) {
    if (listed[b] && mask.rule[b] == MaskRule::none) mask.rule[b] = MaskRule::blacklist;
  }
}

void mask_by_counts(Eigen::ArrayXd& marginals, const std::vector<std::int64_t>& offsets,
                    const FilterOptions& options, BinMask& mask) {
  if (options.min_count != 0) {
    mask_below(marginals, options.min_count, MaskRule::min_count, mask);
  }
  if (options.mad_max > 0) {
    divide_by_chromosome_medians(marginals, offsets);
    mask_below(marginals, mad_cutoff(marginals, options.mad_max), MaskRule::mad_max, mask);
  }
}

void mask_by_marginals(const PixelStore& store, const FilterOptions& options, BinMask& mask) {
  const StoreLayout& layout = store.layout();
  const MarginalPass pass(store.segments(), Borders::genome);
  const Eigen::ArrayXd ones = Eigen::ArrayXd::Ones(layout.bins());
  PassBuffers buffers;
  Eigen::ArrayXd marginals(layout.bins());
  if (options.min_nnz > 0) {
    pass.run(ones, Summand::nonzero, 0, layout.bins(), buffers, marginals);
    mask_below(marginals, static_cast<double>(options.min_nnz), MaskRule::min_nnz, mask);
  }
  if (options.min_count == 0 && !(options.mad_max > 0)) return;
  pass.run(ones, Summand::count, 0, layout.bins(), buffers, marginals);
  mask_by_counts(marginals, layout.chrom_offsets, options, mask);
}

BinMask unmasked(std::size_t n_bins) {
  BinMask mask;
  mask.rule.assign(n_bins, MaskRule::none);
  return mask;
}

void list_masked(BinMask& mask) {
  mask.masked.reserve(mask.rule.size());
  for (const MaskRule r : mask.rule) mask.masked.push_back(r != MaskRule::none);
}

}  // namespace

std::array<std::int64_t, kMaskRules> BinMask::counts() const {
  std::array<std::int64_t, kMaskRules> n{};
  for (const MaskRule r : rule) ++n[static_cast<std::size_t>(r)];
  return n;
}

BinMask filter_bins(const PixelStore& store, const FilterOptions& options) {
  BinMask mask = unmasked(static_cast<std::size_t>(store.layout().bins()));
  mask_by_marginals(store, options, mask);
  mask_listed(options.blacklist, mask);
  list_masked(mask);
  return mask;
}

BinMask filter_marginals(std::span<const double> nonzero, std::span<const double> counts,
                         const std::vector<std::int64_t>& chrom_offsets,
                         const FilterOptions& options) {
  const auto copied = [](std::span<const double> values) -> Eigen::ArrayXd {
    return Eigen::Map<const Eigen::ArrayXd>(values.data(),
                                            static_cast<Eigen::Index>(values.size()));
  };
  BinMask mask = unmasked(counts.size());
  if (options.min_nnz > 0) {
    mask_below(copied(nonzero), static_cast<double>(options.min_nnz), MaskRule::min_nnz, mask);
  }
  Eigen::ArrayXd marginals = copied(counts);
  mask_by_counts(marginals, chrom_offsets, options, mask);
  mask_listed(options.blacklist, mask);
  list_masked(mask);
  return mask;
}

}  // namespace ziggurat::balance
