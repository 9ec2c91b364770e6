#include "balance/ranges.hpp"

#include <algorithm>
#include <cstddef>

namespace ziggurat::balance {

std::vector<BinRange> balanced_ranges(const PixelStore& store) {
  const StoreLayout& layout = store.layout();
  if (layout.contacts != Contacts::cis) return {{-1, 0, layout.bins(), store.segments()}};
  std::vector<BinRange> ranges;
  std::span<const Segment> rest = store.segments();
  for (std::int64_t c = 0; c < layout.chromosomes(); ++c) {
    const auto other =
        std::find_if(rest.begin(), rest.end(), [c](const Segment& s) { return s.chromosome != c; });
    const auto n = static_cast<std::size_t>(other - rest.begin());
    const auto i = static_cast<std::size_t>(c);
    ranges.push_back({c, layout.chrom_offsets[i], layout.chrom_offsets[i + 1], rest.first(n)});
    rest = rest.subspan(n);
  }
  return ranges;
}

Borders borders_of(const StoreLayout& layout) {
  return layout.contacts == Contacts::cis ? Borders::chromosome : Borders::genome;
}

}  // namespace ziggurat::balance
