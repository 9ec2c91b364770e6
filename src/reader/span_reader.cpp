#include "reader/span_reader.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "cool/level_file.hpp"
#include "pixels/pixel_checks.hpp"
#include "pixels/row_index.hpp"
#include "reader/refusals.hpp"

namespace ziggurat::reader {

namespace {

// Base pixels read at a time, and finished pixels of a level handed on at a time: large enough that
// one level's sums stay in the cache while they are used, small enough to stay in it themselves.
constexpr std::uint64_t kBatchPixels = std::uint64_t{1} << 19;
// Row ids proven, and index entries compared, at a time.
constexpr std::uint64_t kProofPixels = std::uint64_t{1} << 18;

std::vector<coarsen::LevelSpec> level_specs(const Job& job, std::span<const std::byte> tables) {
  const std::uint64_t ids_begin = (job.n_bins + 1) * sizeof(std::int64_t);
  const std::span<const std::uint32_t> all_ids(
      reinterpret_cast<const std::uint32_t*>(tables.data() + ids_begin),
      (tables.size() - ids_begin) / sizeof(std::uint32_t));
  std::vector<coarsen::LevelSpec> specs;
  for (const JobLevel& level : job.levels) {
    specs.push_back({level.predecessor, all_ids.subspan(level.ids_at, level.n_ids), level.n_bins,
                     level.fields});
  }
  return specs;
}

std::size_t capacity_left(std::uint64_t done, std::uint64_t end, std::uint64_t step) {
  return static_cast<std::size_t>(std::min(step, end - done));
}

}  // namespace

SpanReader::SpanReader(const Job& job, std::span<std::byte> tables, SlotSender& sender)
    : job_(job),
      row_offsets_(reinterpret_cast<std::int64_t*>(tables.data()), job.n_bins + 1),
      sender_(sender),
      file_(h5::open_readonly(job.file)),
      label_(job.group == "/" ? job.file : job.file + "::" + job.group),
      tree_(level_specs(job, tables), kBatchPixels,
            [this](int level, const coarsen::PixelBatch& batch) {
              sender_.send_pixels(static_cast<std::uint32_t>(level), batch);
            }) {
  const h5::Group group = h5::open_group(file_.id(), job.group, label_);
  std::vector<std::string> names{"bin1_id", "bin2_id"};
  names.insert(names.end(), job.fields.begin(), job.fields.end());
  columns_.reserve(names.size());
  for (const std::string& name : names) {
    columns_.emplace_back(h5::open_column(group.id(), "pixels/" + name, label_), job.n_pixels);
  }
  const auto count = std::find(job.fields.begin(), job.fields.end(), "count");
  if (count != job.fields.end()) count_ = static_cast<std::size_t>(count - job.fields.begin());
}

void SpanReader::refuse(const pixels::PixelFault& fault) const { refuse_fault(label_, fault); }

// Pooling knows of no file; a sum that cannot be had is told with the source it comes from.
template <typename Work>
void SpanReader::with_label(Work work) const {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::format) throw;
    fail(ErrorCode::format, "{}: {}", label_, error.what());
  }
}

Proven SpanReader::prove(PixelRange range) {
  const StageScope stage(Stage::prove);
  count({.pixels = range.end - range.first});
  cool::ColumnReader& ids = columns_[cool::kBin1];
  std::vector<std::uint32_t> rows(
      static_cast<std::size_t>(std::min(kProofPixels, range.end - range.first)));
  ids.read_ids(range.first, std::span(rows).first(1));
  Proven proven{rows[0], rows[0]};
  if (proven.first_row >= job_.n_bins) {
    refuse({pixels::FaultKind::out_of_range, static_cast<std::int64_t>(range.first),
            static_cast<std::int64_t>(proven.first_row), -1});
  }
  pixels::RowIndexBuilder builder(static_cast<std::int64_t>(job_.n_bins),
                                  static_cast<std::int64_t>(proven.first_row),
                                  static_cast<std::int64_t>(range.first));
  for (std::uint64_t first = range.first; first < range.end;) {
    const std::span<std::uint32_t> part =
        std::span(rows).first(capacity_left(first, range.end, kProofPixels));
    ids.read_ids(first, part);
    if (const auto fault = builder.append(std::span<const std::uint32_t>(part))) refuse(*fault);
    proven.last_row = part.back();
    first += part.size();
  }
  const std::vector<std::int64_t> offsets =
      std::move(builder).finish(static_cast<std::int64_t>(proven.last_row) + 1);
  // Where the first row begins may lie before this range; the writer joins the ranges.
  std::copy(offsets.begin() + 1, offsets.end() - 1,
            row_offsets_.begin() + static_cast<std::ptrdiff_t>(proven.first_row) + 1);
  return proven;
}

// An index that cannot even be decoded is as good as a wrong one: what it says follows from the
// ids.
IndexState SpanReader::compare_index() {
  const StageScope stage(Stage::prove);
  try {
    return compare_stored_index();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::input) throw;
    return IndexState::wrong;
  }
}

IndexState SpanReader::compare_stored_index() {
  const h5::Group group = h5::open_group(file_.id(), job_.group, label_);
  if (!h5::is_dataset(group.id(), "indexes/bin1_offset")) return IndexState::missing;
  const h5::Column index = h5::open_column(group.id(), "indexes/bin1_offset", label_);
  if (!index.number || is_float(*index.number) || index.storage.length != row_offsets_.size()) {
    return IndexState::wrong;
  }
  cool::ColumnReader reader(h5::open_column(group.id(), "indexes/bin1_offset", label_),
                            index.storage.length);
  for (std::uint64_t first = 0; first < row_offsets_.size(); first += kProofPixels) {
    const std::size_t n = capacity_left(first, row_offsets_.size(), kProofPixels);
    pixels::Column part = std::vector<std::int64_t>{};
    reader.read_values(first, n, part);
    const auto& values = std::get<std::vector<std::int64_t>>(part);
    if (!std::equal(values.begin(), values.end(),
                    row_offsets_.begin() + static_cast<std::ptrdiff_t>(first))) {
      return IndexState::wrong;
    }
  }
  return IndexState::sound;
}

// A chunk that reaches over the edge of two spans is passed on by the one it begins in.
void SpanReader::observe(std::size_t column, cool::ColumnReader& reader) {
  const std::uint64_t length = job_.pass_stored_chunks ? reader.chunk_length() : 0;
  if (length == 0) return;
  reader.observe_chunks([this, column, length](const cool::StoredChunk& chunk) {
    const std::uint64_t first = chunk.index * length;
    if (first < stored_range_.first || first >= stored_range_.end) return;
    sender_.add_stored(static_cast<std::uint32_t>(column), chunk);
  });
}

SpanTally SpanReader::read_span(RowSpan span) {
  SpanTally tally;
  stored_range_ = {static_cast<std::uint64_t>(row_offsets_[span.first_row]),
                   static_cast<std::uint64_t>(row_offsets_[span.end_row])};
  tally.n_pixels = stored_range_.end - stored_range_.first;
  for (std::size_t c = 0; c < columns_.size(); ++c) observe(c, columns_[c]);
  if (job_.pass_stored_chunks) {
    const StageScope stage(Stage::inflate);
    columns_[cool::kBin1].pass_chunks(stored_range_.first, stored_range_.end);
  }
  for (std::uint64_t row = span.first_row; row < span.end_row;) {
    // Whole rows, as many as make a batch, and at least one.
    const std::int64_t limit = row_offsets_[row] + static_cast<std::int64_t>(kBatchPixels);
    const auto begin = row_offsets_.begin() + static_cast<std::ptrdiff_t>(row) + 1;
    const auto end = row_offsets_.begin() + static_cast<std::ptrdiff_t>(span.end_row) + 1;
    const auto past = std::upper_bound(begin, end, limit);
    const auto n_rows = std::max<std::ptrdiff_t>(past - begin, 1);
    const std::uint64_t end_row = row + static_cast<std::uint64_t>(n_rows);
    read_batch(row, end_row, tally);
    row = end_row;
  }
  finish_levels();
  sender_.flush_stored();
  return tally;
}

void SpanReader::finish_levels() {
  const StageScope stage(Stage::coarsen);
  with_label([this] { tree_.finish_span(); });
}

void SpanReader::read_batch(std::uint64_t first_row, std::uint64_t end_row, SpanTally& tally) {
  const auto first = static_cast<std::uint64_t>(row_offsets_[first_row]);
  const auto n = static_cast<std::size_t>(row_offsets_[end_row] - row_offsets_[first_row]);
  if (n == 0) return;
  batch_.clear();
  for (std::uint64_t row = first_row; row < end_row; ++row) {
    const std::int64_t width = row_offsets_[row + 1] - row_offsets_[row];
    if (width > 0) {
      batch_.runs.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(width)});
    }
  }
  read_ids(first, n);
  check_order(first_row, end_row);
  read_fields(first, n);
  if (count_ && !batch_.compact && job_.nan == NanPolicy::refuse) {
    check_finite(first_row, end_row, batch_.values[*count_]);
  }
  tally_counts(tally);
  sender_.flush_stored();
  if (job_.send_source) sender_.send_pixels(0, batch_);
  const StageScope stage(Stage::coarsen);
  count({.items = 1, .pixels = n});
  with_label([this] { tree_.push(batch_); });
}

void SpanReader::read_ids(std::uint64_t first, std::size_t n) {
  const StageScope stage(Stage::inflate);
  count({.pixels = n});
  batch_.columns.resize(n);
  columns_[cool::kBin2].read_ids(first, batch_.columns);
}

void SpanReader::read_fields(std::uint64_t first, std::size_t n) {
  const StageScope stage(Stage::inflate);
  cool::ColumnReader& only = columns_[cool::kFirstField];
  const bool one_field = job_.fields.size() == 1;
  batch_.compact = one_field && only.is_int32();
  if (batch_.compact) {
    batch_.counts.resize(n);
    only.read_int32(first, batch_.counts);
    return;
  }
  batch_.values.clear();
  for (std::size_t f = 0; f < job_.fields.size(); ++f) {
    cool::ColumnReader& reader = columns_[cool::kFirstField + f];
    batch_.values.push_back(pixels::make_column(pixels::kind_of(reader.type())));
    reader.read_values(first, n, batch_.values.back());
  }
}

// The common case is checked at memory speed; rows that may be unsorted or hold repeats are looked
// at one by one.
void SpanReader::check_order(std::uint64_t first_row, std::uint64_t end_row) {
  const StageScope stage(Stage::check);
  count({.items = 1, .pixels = batch_.size()});
  if (job_.sort_rows || job_.duplicates == DuplicatePolicy::sum) {
    check_each_row(first_row, end_row);
    return;
  }
  const std::span<const std::int64_t> offsets =
      row_offsets_.subspan(first_row, end_row - first_row + 1);
  const auto fault =
      pixels::check_columns({static_cast<std::int64_t>(first_row), offsets, batch_.columns},
                            static_cast<std::int64_t>(job_.n_bins), job_.mode);
  if (!fault) return;
  if (fault->kind != pixels::FaultKind::unsorted) refuse(*fault);
  throw UnsortedRow{fmt::format("{}: bin2_id does not ascend in every row (first at pixel {})",
                                label_, fault->pixel)};
}

void SpanReader::check_each_row(std::uint64_t first_row, std::uint64_t end_row) {
  const std::int64_t begin = row_offsets_[first_row];
  std::vector<std::uint32_t> sorted;
  for (std::uint64_t row = first_row; row < end_row; ++row) {
    const auto at = static_cast<std::size_t>(row_offsets_[row] - begin);
    const auto n = static_cast<std::size_t>(row_offsets_[row + 1] - row_offsets_[row]);
    sorted.assign(batch_.columns.begin() + static_cast<std::ptrdiff_t>(at),
                  batch_.columns.begin() + static_cast<std::ptrdiff_t>(at + n));
    std::sort(sorted.begin(), sorted.end());
    if (job_.duplicates == DuplicatePolicy::sum) {
      sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    }
    const std::int64_t bounds[] = {row_offsets_[row],
                                   row_offsets_[row] + static_cast<std::int64_t>(sorted.size())};
    const auto fault = pixels::check_columns({static_cast<std::int64_t>(row), bounds, sorted},
                                             static_cast<std::int64_t>(job_.n_bins), job_.mode);
    if (fault) refuse(*fault);
  }
}

void SpanReader::check_finite(std::uint64_t first_row, std::uint64_t end_row,
                              const pixels::Column& counts) {
  const StageScope stage(Stage::check);
  const std::optional<std::int64_t> bad = first_not_finite(counts);
  if (!bad) return;
  const std::int64_t pixel = row_offsets_[first_row] + *bad;
  const auto row =
      std::upper_bound(row_offsets_.begin() + static_cast<std::ptrdiff_t>(first_row),
                       row_offsets_.begin() + static_cast<std::ptrdiff_t>(end_row) + 1, pixel) -
      row_offsets_.begin() - 1;
  refuse_not_finite(label_, pixel, row, batch_.columns[static_cast<std::size_t>(*bad)]);
}

void SpanReader::tally_counts(SpanTally& tally) {
  const StageScope stage(Stage::check);
  if (!count_) return;
  if (batch_.compact) {
    tally.integers.add(std::span<const std::int32_t>(batch_.counts));
    return;
  }
  std::visit(
      [&](const auto& values) {
        using Number = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_floating_point_v<Number>) {
          tally.reals.add(std::span<const Number>(values));
        } else {
          tally.integers.add(std::span<const Number>(values));
        }
      },
      batch_.values[*count_]);
}

}  // namespace ziggurat::reader
