// What a reader process does with the pixels of one source: proves them, and pushes them down the
// tree of levels.
//
// Proof. bin1_id is proven against the row offsets once, before anything else (prove); after that
// it is implied by them and not looked at again. Columns and values are proven batch by batch on
// their way (read_span): columns inside the matrix, not below the diagonal, ascending in each row
// without repeats; float counts finite.
// Thread rules: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "coarsen/level_tree.hpp"
#include "cool/column_reader.hpp"
#include "reader/protocol.hpp"
#include "reader/slot_sender.hpp"

namespace ziggurat::reader {

// Says that a row's columns do not ascend, so that the pass must begin anew with sorting.
struct UnsortedRow {
  std::string text;
};

class SpanReader {
 public:
  // `tables`: the shared row offsets and ids, see Job. `sender` must outlive it.
  SpanReader(const Job& job, std::span<std::byte> tables, SlotSender& sender);

  // Fills in the row offsets that follow from the row ids of these pixels. Throws Error{format}
  // naming the first pixel whose row descends or is out of range.
  [[nodiscard]] Proven prove(PixelRange range);
  // Whether the source's own index says the same as the proven offsets.
  [[nodiscard]] IndexState compare_index();
  // Sends everything that the pixels of these rows amount to. Throws Error{format} naming the
  // first pixel that breaks a rule, UnsortedRow when rows have to be sorted.
  SpanTally read_span(RowSpan span);

 private:
  [[nodiscard]] IndexState compare_stored_index();
  void observe(std::size_t column, cool::ColumnReader& reader);
  void read_batch(std::uint64_t first_row, std::uint64_t end_row, SpanTally& tally);
  void read_ids(std::uint64_t first, std::size_t n);
  void read_fields(std::uint64_t first, std::size_t n);
  void finish_levels();
  void check_order(std::uint64_t first_row, std::uint64_t end_row);
  void check_each_row(std::uint64_t first_row, std::uint64_t end_row);
  void check_finite(std::uint64_t first_row, std::uint64_t end_row, const pixels::Column& counts);
  void tally_counts(SpanTally& tally);
  template <typename Work>
  void with_label(Work work) const;
  [[noreturn]] void refuse(const pixels::PixelFault& fault) const;

  const Job& job_;
  std::span<std::int64_t> row_offsets_;
  SlotSender& sender_;
  h5::File file_;
  std::string label_;
  std::vector<cool::ColumnReader> columns_;  // bin1_id, bin2_id, then the fields
  std::optional<std::size_t> count_;         // which field is `count`
  coarsen::LevelTree tree_;
  coarsen::PixelBatch batch_;
  PixelRange stored_range_;  // stored chunks that begin in it are this span's to pass on
};

}  // namespace ziggurat::reader
