#include "reader/map_lookup.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "h5/object.hpp"
#include "h5/types.hpp"
#include "pixels/row_index.hpp"
#include "reader/refusals.hpp"

namespace ziggurat::reader {

namespace {

// Pixels read at a time: large enough for speed, small enough for a first answer soon.
constexpr std::int64_t kBatchPixels = std::int64_t{1} << 17;
// Rows whose offsets are read at a time.
constexpr std::uint64_t kWindowRows = std::uint64_t{1} << 16;
// Row ids looked at together while an index is built.
constexpr std::uint64_t kProofPixels = std::uint64_t{1} << 18;

template <typename Values>
void permute(Values& values, std::span<const std::uint32_t> order) {
  Values sorted(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = values[order[i]];
  values = std::move(sorted);
}

// Moves the segments to the front, one after the other; `values` begins with element `base`.
template <typename Values, typename Segments>
void compact(Values& values, const Segments& segments, std::size_t base) {
  auto to = values.begin();
  for (const auto& segment : segments) {
    const auto from = values.begin() + static_cast<std::ptrdiff_t>(segment.first - base);
    to = std::copy(from, from + static_cast<std::ptrdiff_t>(segment.n), to);
  }
  values.resize(static_cast<std::size_t>(to - values.begin()));
}

}  // namespace

MapLookup::MapLookup(const OpenRequest& request, SlotSender& sender)
    : sender_(sender), file_(h5::open_readonly(request.file)) {
  cool::Description& description = opened_.description;
  description = cool::describe(file_, request.file, request.group, {}, cool::SideColumns::left_out);
  description.attributes.clear();
  group_ = h5::open_group(file_.id(), request.group, description.label);
  opened_.chrom_columns = cool::plain_column_names(group_.id(), "chroms", {"name", "length"});
  opened_.bin_columns = cool::plain_column_names(group_.id(), "bins", {"chrom", "start", "end"});
  const auto open = [&](const char* name) {
    return cool::ColumnReader(h5::open_column(group_.id(), name, description.label),
                              description.n_pixels);
  };
  bin1_.emplace(open("pixels/bin1_id"));
  bin2_.emplace(open("pixels/bin2_id"));
  if (h5::is_dataset(group_.id(), "indexes/bin1_offset")) {
    h5::Column index = h5::open_column(group_.id(), "indexes/bin1_offset", description.label);
    const auto n_bins = static_cast<std::uint64_t>(description.bins.n_bins());
    const bool plain = index.number && !is_float(*index.number) && !h5::is_enumeration(index.type);
    if (plain && index.storage.length == n_bins + 1) index_ = std::move(index);
  }
}

TableColumn MapLookup::column(const ColumnRequest& request) const {
  const genome::BinTable& bins = opened_.description.bins;
  const bool of_chroms = request.table == "chroms";
  if (!of_chroms && request.table != "bins") {
    fail(ErrorCode::usage, "no table '{}'", request.table);
  }
  return cool::read_plain_column(
      group_.id(), request.table, request.name,
      static_cast<std::uint64_t>(of_chroms ? bins.n_chroms() : bins.n_bins()),
      opened_.description.label);
}

cool::ColumnReader& MapLookup::field(const std::string& name) {
  const auto known = fields_.find(name);
  if (known != fields_.end()) return known->second;
  const cool::Description& map = opened_.description;
  const bool exists = std::any_of(map.fields.begin(), map.fields.end(),
                                  [&](const auto& column) { return column.name == name; });
  if (!exists) {
    fail(ErrorCode::usage, "{}: pixel value column '{}' is missing", map.label, name);
  }
  cool::ColumnReader reader(h5::open_column(group_.id(), "pixels/" + name, map.label),
                            map.n_pixels);
  return fields_.emplace(name, std::move(reader)).first->second;
}

std::optional<std::vector<std::int64_t>> MapLookup::stored_offsets(std::uint64_t first,
                                                                   std::uint64_t end) {
  if (!index_) return std::nullopt;
  std::vector<std::int64_t> offsets(end - first + 1);
  h5::read_numbers(*index_, first, offsets.size(), offsets.data());
  const auto n_pixels = static_cast<std::int64_t>(opened_.description.n_pixels);
  const auto n_bins = static_cast<std::uint64_t>(opened_.description.bins.n_bins());
  const bool sound = std::is_sorted(offsets.begin(), offsets.end()) && offsets.front() >= 0 &&
                     offsets.back() <= n_pixels && (first > 0 || offsets.front() == 0) &&
                     (end < n_bins || offsets.back() == n_pixels);
  if (!sound) return std::nullopt;
  return offsets;
}

void MapLookup::build_index() {
  const cool::Description& map = opened_.description;
  pixels::RowIndexBuilder builder(map.bins.n_bins());
  for (std::uint64_t first = 0; first < map.n_pixels; first += row_ids_.size()) {
    row_ids_.resize(static_cast<std::size_t>(std::min(kProofPixels, map.n_pixels - first)));
    bin1_->read_ids(first, row_ids_);
    const auto fault = builder.append(std::span<const std::uint32_t>(row_ids_));
    if (fault) refuse_fault(map.label, *fault);
  }
  built_ = std::move(builder).finish(map.bins.n_bins());
}

std::vector<std::int64_t> MapLookup::row_offsets(std::uint64_t first, std::uint64_t end) {
  if (first > end || end > static_cast<std::uint64_t>(opened_.description.bins.n_bins())) {
    fail(ErrorCode::usage, "{}: no rows {} to {}", opened_.description.label, first, end);
  }
  if (built_.empty()) {
    if (auto offsets = stored_offsets(first, end)) return std::move(*offsets);
    build_index();
  }
  return {built_.begin() + static_cast<std::ptrdiff_t>(first),
          built_.begin() + static_cast<std::ptrdiff_t>(end) + 1};
}

// The pixels of these rows, and no others, carry their ids.
bool MapLookup::index_agrees(const Rows& rows) {
  if (!built_.empty()) return true;
  const std::uint64_t before = rows.begin() > 0 ? 1 : 0;
  const std::uint64_t end = rows.begin() + rows.n_pixels();
  const std::uint64_t after = end < opened_.description.n_pixels ? 1 : 0;
  row_ids_.resize(before + rows.n_pixels() + after);
  bin1_->read_ids(rows.begin() - before, row_ids_);
  const std::uint64_t end_row = rows.first + rows.offsets.size() - 1;
  if (before > 0 && row_ids_.front() >= rows.first) return false;
  if (after > 0 && row_ids_.back() < end_row) return false;
  for (std::size_t r = 0; r + 1 < rows.offsets.size(); ++r) {
    std::uint64_t differing = 0;
    for (std::size_t i = rows.position(r); i < rows.position(r + 1); ++i) {
      differing += row_ids_[before + i] != rows.first + r ? 1U : 0U;
    }
    if (differing > 0) return false;
  }
  return true;
}

void MapLookup::check(const LookUp& question) const {
  const auto n_bins = static_cast<std::uint64_t>(opened_.description.bins.n_bins());
  if (question.first_row > question.end_row || question.end_row > n_bins ||
      question.first_column > question.end_column || question.end_column > n_bins) {
    fail(ErrorCode::usage, "{}: bins {} to {} by {} to {} are not within the map's {}",
         opened_.description.label, question.first_row, question.end_row, question.first_column,
         question.end_column, n_bins);
  }
  if (question.fields.empty()) fail(ErrorCode::usage, "no value column is asked for");
}

void MapLookup::look_up(const LookUp& question) {
  check(question);
  if (question.first_column == question.end_column) return;
  for (std::uint64_t row = question.first_row; row < question.end_row;) {
    const std::uint64_t window_end = std::min(question.end_row, row + kWindowRows);
    const std::vector<std::int64_t> offsets = row_offsets(row, window_end);
    for (std::size_t at = 0; at + 1 < offsets.size();) {
      // Whole rows, as many as make a batch, and at least one.
      const auto begin = offsets.begin() + static_cast<std::ptrdiff_t>(at) + 1;
      const auto past = std::upper_bound(begin, offsets.end(), offsets[at] + kBatchPixels);
      const auto n_rows = static_cast<std::size_t>(std::max<std::ptrdiff_t>(past - begin, 1));
      const auto from = offsets.begin() + static_cast<std::ptrdiff_t>(at);
      read_rows(question, {row + at, {from, from + static_cast<std::ptrdiff_t>(n_rows) + 1}});
      at += n_rows;
    }
    row = window_end;
  }
}

void MapLookup::read_rows(const LookUp& question, const Rows& rows) {
  if (!index_agrees(rows)) {
    const std::uint64_t first = rows.first;
    const std::uint64_t end = first + rows.offsets.size() - 1;
    build_index();
    // Rows that the wrong index joined may be far larger than a batch.
    for (std::uint64_t row = first; row < end; ++row) {
      read_rows(question, {row, row_offsets(row, row + 1)});
    }
    return;
  }
  if (rows.n_pixels() == 0) return;
  batch_.clear();
  read_columns(question, rows);
  select(question, rows);
  if (segments_.empty()) return;
  read_values(question, rows);
  sender_.send_pixels(0, batch_);
}

void MapLookup::read_columns(const LookUp& question, const Rows& rows) {
  order_.clear();
  batch_.columns.resize(rows.n_pixels());
  bin2_->read_ids(rows.begin(), batch_.columns);
  const cool::Description& map = opened_.description;
  const auto fault =
      pixels::check_columns({static_cast<std::int64_t>(rows.first), rows.offsets, batch_.columns},
                            map.bins.n_bins(), map.mode);
  if (!fault) return;
  const bool repeated = fault->kind == pixels::FaultKind::duplicate;
  if (fault->kind != pixels::FaultKind::unsorted &&
      !(repeated && question.duplicates == DuplicatePolicy::sum)) {
    refuse_fault(map.label, *fault);
  }
  sort_rows(question, rows);
}

// Rows may be out of order or hold repeats: every pixel is looked at.
void MapLookup::sort_rows(const LookUp& question, const Rows& rows) {
  const cool::Description& map = opened_.description;
  order_.resize(rows.n_pixels());
  std::iota(order_.begin(), order_.end(), 0U);
  for (std::size_t r = 0; r + 1 < rows.offsets.size(); ++r) {
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(rows.position(r));
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(rows.position(r + 1));
    std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
      return batch_.columns[a] < batch_.columns[b];
    });
    const auto row = static_cast<std::int64_t>(rows.first + r);
    for (auto at = begin; at != end; ++at) {
      const std::int64_t column = batch_.columns[*at];
      std::optional<pixels::FaultKind> kind;
      if (column >= map.bins.n_bins()) {
        kind = pixels::FaultKind::out_of_range;
      } else if (map.mode == pixels::StorageMode::symmetric_upper && column < row) {
        kind = pixels::FaultKind::lower_triangle;
      } else if (question.duplicates == DuplicatePolicy::refuse && at != begin &&
                 batch_.columns[*(at - 1)] == column) {
        kind = pixels::FaultKind::duplicate;
      }
      if (kind) refuse_fault(map.label, {*kind, rows.offsets.front() + *at, row, column});
    }
  }
  permute(batch_.columns, order_);
}

void MapLookup::select(const LookUp& question, const Rows& rows) {
  segments_.clear();
  const auto begin = batch_.columns.begin();
  for (std::size_t r = 0; r + 1 < rows.offsets.size(); ++r) {
    const auto row_begin = begin + static_cast<std::ptrdiff_t>(rows.position(r));
    const auto row_end = begin + static_cast<std::ptrdiff_t>(rows.position(r + 1));
    const auto from = std::lower_bound(row_begin, row_end, question.first_column);
    const auto to = std::lower_bound(from, row_end, question.end_column);
    if (from == to) continue;
    const auto n = static_cast<std::size_t>(to - from);
    const auto first = static_cast<std::size_t>(from - begin);
    batch_.runs.push_back(
        {static_cast<std::uint32_t>(rows.first + r), static_cast<std::uint32_t>(n)});
    if (!segments_.empty() && segments_.back().first + segments_.back().n == first) {
      segments_.back().n += n;
    } else {
      segments_.push_back({first, n});
    }
  }
}

void MapLookup::read_values(const LookUp& question, const Rows& rows) {
  // Sorted rows take their values from anywhere in the batch.
  const bool sorted = !order_.empty();
  const std::size_t from = sorted ? 0 : segments_.front().first;
  const std::size_t end = sorted ? rows.n_pixels() : segments_.back().first + segments_.back().n;
  const auto arrange = [&](auto& values) {
    if (sorted) permute(values, order_);
    compact(values, segments_, from);
  };
  compact(batch_.columns, segments_, 0);
  batch_.values.clear();
  batch_.compact = question.fields.size() == 1 && field(question.fields[0]).is_int32();
  if (batch_.compact) {
    batch_.counts.resize(end - from);
    field(question.fields[0]).read_int32(rows.begin() + from, batch_.counts);
    arrange(batch_.counts);
    return;
  }
  for (const std::string& name : question.fields) {
    cool::ColumnReader& reader = field(name);
    pixels::Column& column =
        batch_.values.emplace_back(pixels::make_column(pixels::kind_of(reader.type())));
    reader.read_values(rows.begin() + from, end - from, column);
    std::visit(arrange, column);
    if (name == "count" && question.nan == NanPolicy::refuse) check_finite(column, rows);
  }
}

void MapLookup::check_finite(const pixels::Column& counts, const Rows& rows) const {
  const std::optional<std::int64_t> bad = first_not_finite(counts);
  if (!bad) return;
  auto left = static_cast<std::size_t>(*bad);
  std::size_t run = 0;
  while (left >= batch_.runs[run].n) left -= batch_.runs[run++].n;
  std::size_t position = static_cast<std::size_t>(*bad);
  for (const Segment& segment : segments_) {
    if (position < segment.n) {
      position += segment.first;
      break;
    }
    position -= segment.n;
  }
  if (!order_.empty()) position = order_[position];
  refuse_not_finite(opened_.description.label,
                    rows.offsets.front() + static_cast<std::int64_t>(position),
                    batch_.runs[run].row, batch_.columns[static_cast<std::size_t>(*bad)]);
}

}  // namespace ziggurat::reader
