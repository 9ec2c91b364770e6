// Maps for the tests of this layer: pixels as a plain list, and a store made of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "balance/pixel_store.hpp"

namespace ziggurat::balance {

struct TestPixel {
  std::uint32_t row;
  std::uint32_t column;
  double count;
};

// Table rows in order, cut into `builders` runs of whole rows that are appended one after another.
inline PixelStore make_store(const StoreLayout& layout, const std::vector<TestPixel>& table,
                             Arena& arena, std::int64_t builders = 1) {
  PixelStore store(layout, arena);
  const auto position = [&](std::int64_t row) {
    const auto below = [](const TestPixel& p, std::int64_t r) { return p.row < r; };
    return std::lower_bound(table.begin(), table.end(), row, below) - table.begin();
  };
  for (std::int64_t k = 0; k < builders; ++k) {
    const std::int64_t first = layout.bins() * k / builders;
    const std::int64_t end = layout.bins() * (k + 1) / builders;
    const auto next_chrom =
        std::upper_bound(layout.chrom_offsets.begin(), layout.chrom_offsets.end(), first);
    StoreBuilder builder(layout, arena, {first, position(first), position(*(next_chrom - 1))});
    for (std::int64_t row = first; row < end; ++row) {
      std::vector<std::uint32_t> columns;
      std::vector<double> counts;
      for (std::int64_t i = position(row), stop = position(row + 1); i < stop; ++i) {
        columns.push_back(table[static_cast<std::size_t>(i)].column);
        counts.push_back(table[static_cast<std::size_t>(i)].count);
      }
      builder.append_row<double>(row, columns, counts);
    }
    store.append(builder.finish());
  }
  return store;
}

inline StoreLayout small_layout(std::vector<std::int64_t> chrom_offsets, std::int64_t ignore_diags,
                                Contacts contacts = Contacts::all) {
  StoreLayout layout;
  layout.chrom_offsets = std::move(chrom_offsets);
  layout.ignore_diags = ignore_diags;
  layout.contacts = contacts;
  return layout;
}

}  // namespace ziggurat::balance
