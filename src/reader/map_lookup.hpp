// A map that stays open to answer questions about its pixels: the reader's side of ContactMap.
//
// Problem: pixels of any rectangle of the matrix, at the cost of the rows it crosses, from a file
// that is not trusted. Method: indexes/bin1_offset says where the rows lie. The bin1_id of those
// pixels, and of one on either side, is compared with it; where they disagree, or there is no such
// index, it is built once from the whole bin1_id column. Columns are proven as in every pass and
// cut by binary search, row by row; values are only read from the first pixel that is kept to the
// last. Rows whose columns do not ascend are sorted.
// Memory: a batch of rows, one row at least; 8 bytes a bin when the index had to be built.
// Thread rules: one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "coarsen/pixel_batch.hpp"
#include "cool/column_reader.hpp"
#include "reader/protocol.hpp"
#include "reader/slot_sender.hpp"

namespace ziggurat::reader {

class MapLookup {
 public:
  // Throws what cool::describe() throws.
  MapLookup(const OpenRequest& request, SlotSender& sender);

  [[nodiscard]] const Opened& opened() const { return opened_; }
  [[nodiscard]] TableColumn column(const ColumnRequest& request) const;
  // Where rows [first, end) begin in the pixel table, and where the last one ends.
  [[nodiscard]] std::vector<std::int64_t> row_offsets(std::uint64_t first, std::uint64_t end);
  // Sends the pixels of the rectangle as blocks of level 0.
  void look_up(const LookUp& question);

 private:
  // Pixels [first, first + n) of the batch that is being read are kept.
  struct Segment {
    std::size_t first = 0;
    std::size_t n = 0;
  };
  // Whole rows, read together.
  struct Rows {
    std::uint64_t first = 0;
    std::vector<std::int64_t> offsets;  // of each row and of the one after the last

    [[nodiscard]] std::uint64_t begin() const {
      return static_cast<std::uint64_t>(offsets.front());
    }
    [[nodiscard]] std::size_t n_pixels() const {
      return static_cast<std::size_t>(offsets.back() - offsets.front());
    }
    [[nodiscard]] std::size_t position(std::size_t row) const {
      return static_cast<std::size_t>(offsets[row] - offsets.front());
    }
  };

  void check(const LookUp& question) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> stored_offsets(std::uint64_t first,
                                                                        std::uint64_t end);
  void build_index();
  [[nodiscard]] bool index_agrees(const Rows& rows);
  void read_rows(const LookUp& question, const Rows& rows);
  void read_columns(const LookUp& question, const Rows& rows);
  void sort_rows(const LookUp& question, const Rows& rows);
  void select(const LookUp& question, const Rows& rows);
  void read_values(const LookUp& question, const Rows& rows);
  void check_finite(const pixels::Column& counts, const Rows& rows) const;
  cool::ColumnReader& field(const std::string& name);

  SlotSender& sender_;
  h5::File file_;
  Opened opened_;
  h5::Group group_;
  std::optional<cool::ColumnReader> bin1_;
  std::optional<cool::ColumnReader> bin2_;
  std::map<std::string, cool::ColumnReader> fields_;
  std::optional<h5::Column> index_;     // as stored; unset when it is not to be used
  std::vector<std::int64_t> built_;     // index that was built; empty while the stored one is used
  std::vector<std::uint32_t> row_ids_;  // scratch
  std::vector<std::uint32_t> order_;    // sorted position -> position read; empty: as it is
  std::vector<Segment> segments_;
  coarsen::PixelBatch batch_;
};

}  // namespace ziggurat::reader
