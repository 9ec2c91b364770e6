// Batches for the tests of this layer, written and read as plain lists of pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <random>
#include <tuple>
#include <variant>
#include <vector>

#include "coarsen/pixel_batch.hpp"

namespace ziggurat::coarsen {

template <typename Number>
struct TestPixel {
  std::uint32_t row;
  std::uint32_t column;
  Number value;

  friend bool operator==(const TestPixel&, const TestPixel&) = default;
  friend std::ostream& operator<<(std::ostream& out, const TestPixel& pixel) {
    return out << '(' << pixel.row << ", " << pixel.column << ") = " << pixel.value;
  }
};
using Count = TestPixel<std::int64_t>;

// Rows and columns of table[first, end).
template <typename Number>
PixelBatch positions(const std::vector<TestPixel<Number>>& table, std::size_t first,
                     std::size_t end) {
  PixelBatch batch;
  for (std::size_t i = first; i < end; ++i) {
    const TestPixel<Number>& pixel = table[i];
    if (batch.runs.empty() || batch.runs.back().row != pixel.row) batch.runs.push_back({pixel.row});
    ++batch.runs.back().n;
    batch.columns.push_back(pixel.column);
  }
  return batch;
}

// Counts that fit 32 bits, in compact form.
inline PixelBatch compact(const std::vector<Count>& table, std::size_t first, std::size_t end) {
  PixelBatch batch = positions(table, first, end);
  for (std::size_t i = first; i < end; ++i) {
    batch.counts.push_back(static_cast<std::int32_t>(table[i].value));
  }
  return batch;
}
inline PixelBatch compact(const std::vector<Count>& table) {
  return compact(table, 0, table.size());
}

// One value column in general form.
template <typename Number>
PixelBatch general(const std::vector<TestPixel<Number>>& table, std::size_t first,
                   std::size_t end) {
  PixelBatch batch = positions(table, first, end);
  std::vector<Number> values;
  for (std::size_t i = first; i < end; ++i) values.push_back(table[i].value);
  batch.compact = false;
  batch.values.emplace_back(std::move(values));
  return batch;
}
template <typename Number>
PixelBatch general(const std::vector<TestPixel<Number>>& table) {
  return general(table, 0, table.size());
}

// The pixels of a batch with the values of one column.
template <typename Number>
std::vector<TestPixel<Number>> pixels_of(const PixelBatch& batch, std::size_t field = 0) {
  std::vector<TestPixel<Number>> table;
  std::size_t i = 0;
  for (const RowRun run : batch.runs) {
    for (std::uint32_t k = 0; k < run.n; ++k, ++i) {
      const Number value = batch.compact
                               ? static_cast<Number>(batch.counts.at(i))
                               : std::get<std::vector<Number>>(batch.values.at(field)).at(i);
      table.push_back({run.row, batch.columns.at(i), value});
    }
  }
  return table;
}
inline std::vector<Count> counts_of(const PixelBatch& batch) {
  return pixels_of<std::int64_t>(batch);
}

// The upper triangle of n bins, every third cell or so, counts from 1 to 100.
inline std::vector<Count> random_map(std::uint32_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Count> table;
  for (std::uint32_t row = 0; row < n; ++row) {
    for (std::uint32_t column = row; column < n; ++column) {
      const auto count = static_cast<std::int64_t>(1 + random() % 100);
      if (random() % 3 == 0) table.push_back({row, column, count});
    }
  }
  return table;
}

}  // namespace ziggurat::coarsen
