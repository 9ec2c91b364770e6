#include "engine/row_digests.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace ziggurat::engine {

namespace {

template <typename Number>
std::span<const Number> part_of(std::span<const std::byte> values, std::uint64_t first,
                                std::uint64_t n) {
  return {reinterpret_cast<const Number*>(values.data()) + first, n};
}

template <typename Number>
double total_of(std::span<const Number> values) {
  double total = 0;
  for (const Number value : values) total += std::isnan(value) ? 0.0 : static_cast<double>(value);
  return total;
}

}  // namespace

void RowDigests::close_row() {
  if (!open_row_) return;
  digests_[*open_row_] = digest_.value();
  totals_[*open_row_] = total_;
  open_row_.reset();
  digest_ = {};
  total_ = 0;
}

void RowDigests::add_part(const reader::Block& block, const reader::BlockView& view,
                          std::uint64_t first, std::uint64_t n) {
  const std::span<const std::uint32_t> columns = view.columns.subspan(first, n);
  const std::span<const std::byte> values = view.values.front();
  switch (block.forms.front()) {
    case reader::ValueForm::i32:
      return digest_.add(columns, part_of<std::int32_t>(values, first, n));
    case reader::ValueForm::i64:
      return digest_.add(columns, part_of<std::int64_t>(values, first, n));
    case reader::ValueForm::f32:
      total_ += total_of(part_of<float>(values, first, n));
      break;
    case reader::ValueForm::f64:
      total_ += total_of(part_of<double>(values, first, n));
      break;
  }
  const std::vector<std::int32_t> nothing(n, 0);
  digest_.add(columns, std::span<const std::int32_t>(nothing));
}

void RowDigests::add(const reader::Block& block, const reader::BlockView& view) {
  std::uint64_t at = 0;
  for (const RowRun run : view.runs) {
    if (run.row >= digests_.size()) fail(ErrorCode::worker, "a reader sent row {}", run.row);
    if (open_row_ != run.row) close_row();
    open_row_ = run.row;
    add_part(block, view, at, run.n);
    at += run.n;
  }
  n_pixels_ += at;
}

std::optional<std::uint64_t> RowDigests::first_difference(const RowDigests& other,
                                                          double tolerance) const {
  if (digests_.size() != other.digests_.size())
    return std::min(digests_.size(), other.digests_.size());
  for (std::size_t row = 0; row < digests_.size(); ++row) {
    const double scale = std::max(std::abs(totals_[row]), std::abs(other.totals_[row]));
    const bool same_total = std::abs(totals_[row] - other.totals_[row]) <= tolerance * scale;
    if (digests_[row] != other.digests_[row] || !same_total) return row;
  }
  return std::nullopt;
}

}  // namespace ziggurat::engine
