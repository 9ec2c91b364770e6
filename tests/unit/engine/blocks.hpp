// Blocks as readers send them, for the tests of this layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reader/protocol.hpp"

namespace ziggurat::engine {

template <typename Number>
struct TestPixel {
  std::uint32_t row;
  std::uint32_t column;
  Number value;
};
template <typename Number>
using Table = std::vector<TestPixel<Number>>;

inline reader::ValueForm form_of(std::int32_t) { return reader::ValueForm::i32; }
inline reader::ValueForm form_of(std::int64_t) { return reader::ValueForm::i64; }
inline reader::ValueForm form_of(float) { return reader::ValueForm::f32; }
inline reader::ValueForm form_of(double) { return reader::ValueForm::f64; }

// Calls target.add with table[first, end) as a block.
template <typename Number, typename Target>
void add_block(Target& target, const Table<Number>& table, std::size_t first, std::size_t end) {
  std::vector<RowRun> runs;
  std::vector<std::uint32_t> columns;
  std::vector<Number> values;
  for (std::size_t i = first; i < end; ++i) {
    if (runs.empty() || runs.back().row != table[i].row) runs.push_back({table[i].row});
    ++runs.back().n;
    columns.push_back(table[i].column);
    values.push_back(table[i].value);
  }
  reader::Block block;
  block.forms = {form_of(Number{})};
  target.add(block, {runs, columns, {std::as_bytes(std::span(values))}});
}

// The same with the whole table, in blocks that end at `cuts`.
template <typename Number, typename Target>
void add_blocks(Target& target, const Table<Number>& table, const std::vector<std::size_t>& cuts) {
  std::size_t first = 0;
  for (const std::size_t cut : cuts) {
    add_block(target, table, first, cut);
    first = cut;
  }
  add_block(target, table, first, table.size());
}

}  // namespace ziggurat::engine
