#include "genome/bin_difference.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ziggurat::genome {

namespace {

std::string width_text(const BinTable& bins) {
  return bins.bin_size() ? fmt::format("{} bp", *bins.bin_size()) : "of varying width";
}

}  // namespace

std::optional<std::string> first_difference(const BinTable& a, const BinTable& b) {
  if (a.bin_size() != b.bin_size()) {
    return fmt::format("bins are {} in one and {} in the other", width_text(a), width_text(b));
  }
  const auto n_chroms = static_cast<std::size_t>(std::min(a.n_chroms(), b.n_chroms()));
  for (std::size_t c = 0; c < n_chroms; ++c) {
    const Chromosome& one = a.chromosomes()[c];
    const Chromosome& other = b.chromosomes()[c];
    if (one == other) continue;
    return fmt::format("chromosome {} is {} of {} bp in one and {} of {} bp in the other", c + 1,
                       one.name, one.length, other.name, other.length);
  }
  if (a.n_chroms() != b.n_chroms()) {
    return fmt::format("one has {} chromosomes and the other {}", a.n_chroms(), b.n_chroms());
  }
  if (a.is_uniform() && b.is_uniform() && a.n_bins() == b.n_bins()) return std::nullopt;
  for (std::int64_t bin = 0; bin < std::min(a.n_bins(), b.n_bins()); ++bin) {
    if (a.start(bin) == b.start(bin) && a.end(bin) == b.end(bin)) continue;
    return fmt::format("bin {} is [{}, {}) in one and [{}, {}) in the other", bin, a.start(bin),
                       a.end(bin), b.start(bin), b.end(bin));
  }
  if (a.chrom_offsets() != b.chrom_offsets()) return "chromosomes have different numbers of bins";
  return std::nullopt;
}

}  // namespace ziggurat::genome
