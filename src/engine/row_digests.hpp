// Digests of all rows of a level, made from the blocks of a pass: what verification keeps of a
// level instead of its pixels. 8 bytes a row, and 8 more for float counts.
//
// Integer counts are part of the digest. Float sums depend on the order of additions, which another
// writer may have chosen differently, so for them the digest covers the positions only and the
// row's total is kept beside it.
// Thread rules: one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pixels/row_digest.hpp"
#include "reader/protocol.hpp"

namespace ziggurat::engine {

class RowDigests {
 public:
  explicit RowDigests(std::uint64_t n_rows)
      : digests_(n_rows, pixels::RowDigest().value()), totals_(n_rows, 0.0) {}

  void add(const reader::Block& block, const reader::BlockView& view);
  // After the last block.
  void finish() { close_row(); }

  [[nodiscard]] std::uint64_t n_pixels() const { return n_pixels_; }
  // The first row that differs, or nothing. `tolerance`: relative, of float totals.
  [[nodiscard]] std::optional<std::uint64_t> first_difference(const RowDigests& other,
                                                              double tolerance) const;

 private:
  void add_part(const reader::Block& block, const reader::BlockView& view, std::uint64_t first,
                std::uint64_t n);
  void close_row();

  std::vector<std::uint64_t> digests_;
  std::vector<double> totals_;  // of float counts
  std::optional<std::uint32_t> open_row_;
  pixels::RowDigest digest_;
  double total_ = 0;
  std::uint64_t n_pixels_ = 0;
};

}  // namespace ziggurat::engine
