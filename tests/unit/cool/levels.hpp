// Levels for the tests of this layer: a full upper triangle, written as the engine writes one.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cool/column_reader.hpp"
#include "cool/level_file.hpp"
#include "cool/schema.hpp"
#include "sources.hpp"

namespace ziggurat::cool {

// Every cell of the upper triangle of n bins; counts are small and differ.
struct Triangle {
  explicit Triangle(std::uint32_t n) : row_offsets{0} {
    for (std::uint32_t row = 0; row < n; ++row) {
      for (std::uint32_t column = row; column < n; ++column) {
        rows.push_back(row);
        columns.push_back(column);
        counts.push_back(static_cast<std::int32_t>(row * 7 + column % 5 + 1));
      }
      row_offsets.push_back(static_cast<std::int64_t>(rows.size()));
    }
  }

  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> columns;
  std::vector<std::int32_t> counts;
  std::vector<std::int64_t> row_offsets;
};

// 2 x 100 bins: 20,100 pixels, so that the second chunk is short.
inline LevelLayout layout_of_200_bins() {
  LevelLayout layout;
  layout.bins = genome::BinTable::uniform({{"chr1", 995}, {"chr2", 1000}}, 10);
  layout.fields = {{"count", NumberType::i32}};
  return layout;
}

inline LevelSummary summary_of(const Triangle& map) {
  LevelSummary summary;
  summary.row_offsets = map.row_offsets;
  std::int64_t total = 0;
  for (const std::int32_t count : map.counts) total += count;
  summary.sum = CountSum{.integer = total};
  summary.assembly = "hg38";
  summary.metadata = R"({"a": 1})";
  summary.creation_date = "2020-01-01T00:00:00";
  return summary;
}

template <typename Element>
std::vector<std::byte> encoded(const std::vector<Element>& elements, std::size_t first,
                               std::size_t end) {
  codec::ChunkEncoder encoder;
  const auto part = std::as_bytes(std::span(elements).subspan(first, end - first));
  const auto bytes =
      encoder.encode_elements(part, sizeof(Element), static_cast<std::int64_t>(kChunkLength));
  return {bytes.begin(), bytes.end()};
}

// Stores the chunk that begins at `first` of all columns; counts as Count.
template <typename Count>
void store_chunk(LevelFile& file, const Triangle& map, std::size_t first) {
  const std::size_t end = std::min<std::size_t>(first + kChunkLength, map.rows.size());
  const std::vector<std::int64_t> rows(map.rows.begin(), map.rows.end());
  const std::vector<std::int64_t> columns(map.columns.begin(), map.columns.end());
  const std::vector<Count> counts(map.counts.begin(), map.counts.end());
  file.store(kBin1, first, end - first, 0, encoded(rows, first, end));
  file.store(kBin2, first, end - first, 0, encoded(columns, first, end));
  file.store(kFirstField, first, end - first, 0, encoded(counts, first, end));
}

inline void store_all(LevelFile& file, const Triangle& map) {
  for (std::size_t first = 0; first < map.rows.size(); first += kChunkLength) {
    store_chunk<std::int32_t>(file, map, first);
  }
}

inline ColumnReader reader_of(const h5::File& file, const std::string& group,
                              const std::string& column, std::uint64_t n_pixels) {
  return {h5::open_column(file.id(), group + "/pixels/" + column, "FILE"), n_pixels};
}

// The pixels in the collection at `group` are those of `map`.
inline void check_pixels(const std::string& path, const Triangle& map,
                         const std::string& group = "") {
  const h5::File file = h5::open_readonly(path);
  const std::size_t n = map.rows.size();
  std::vector<std::uint32_t> ids(n);
  reader_of(file, group, "bin1_id", n).read_ids(0, ids);
  CHECK(ids == map.rows);
  reader_of(file, group, "bin2_id", n).read_ids(0, ids);
  CHECK(ids == map.columns);
  pixels::Column counts = pixels::make_column(pixels::ColumnKind::integer);
  reader_of(file, group, "count", n).read_values(0, n, counts);
  CHECK(counts == pixels::Column(std::vector<std::int64_t>(map.counts.begin(), map.counts.end())));
}

}  // namespace ziggurat::cool
