#include "cool/level_file.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "cool/attributes.hpp"
#include "cool/bin_writer.hpp"
#include "cool/column_reader.hpp"
#include "cool/schema.hpp"
#include "h5/file_ops.hpp"
#include "h5/types.hpp"
#include "pixels/decode.hpp"

namespace ziggurat::cool {

namespace {

std::string temporary_name(const std::string& path) { return path + ".tmp"; }

}  // namespace

LevelFile::LevelFile(std::string path, LevelLayout layout, const Description* kept)
    : path_(std::move(path)),
      layout_(std::move(layout)),
      file_(h5::OutputFile::create(temporary_name(path_))),
      writer_(layout_.compression_level) {
  pixels_ = h5::create_group(file_.id(), "pixels");
  const std::uint64_t length = kept ? kept->n_pixels : 0;
  create_pixel_column("bin1_id", kept ? kept->bin1.type : NumberType::i64,
                      kept ? &kept->bin1 : nullptr, length);
  create_pixel_column("bin2_id", kept ? kept->bin2.type : NumberType::i64,
                      kept ? &kept->bin2 : nullptr, length);
  for (std::size_t f = 0; f < layout_.fields.size(); ++f) {
    create_pixel_column(layout_.fields[f].name, layout_.fields[f].type,
                        kept ? &kept->fields[f] : nullptr, length);
  }
}

LevelFile::~LevelFile() {
  if (finished_) return;
  columns_.clear();
  pixels_.reset();
  try {
    file_.finish(h5::Sync::none);
  } catch (const Error&) {
    // The file goes away in any case.
  }
  h5::posix_file_ops().unlink(temporary_name(path_));
}

// The number of cells, but never less than a chunk: HDF5 wants room for a whole one.
std::uint64_t LevelFile::max_pixels() const {
  const auto n = static_cast<std::uint64_t>(layout_.bins.n_bins());
  const std::uint64_t cells = layout_.mode == StorageMode::square ? n * n : n * (n + 1) / 2;
  return std::max(cells, kChunkLength);
}

void LevelFile::create_pixel_column(const std::string& name, NumberType type,
                                    const PixelColumn* kept, std::uint64_t length) {
  h5::ColumnShape shape;
  shape.length = length;
  shape.max_length = max_pixels();
  shape.deflate_level = layout_.compression_level;
  if (kept != nullptr) {
    // Chunks may be longer than the largest table only where that may still grow.
    if (kept->chunk_length > shape.max_length) shape.max_length = h5::kUnlimited;
    shape.chunk_length = kept->chunk_length;
    shape.shuffle = kept->shuffle;
    shape.deflate_level = kept->deflate_level;
  } else {
    shape.chunk_length = kChunkLength;
  }
  const h5::Datatype stored = h5::number_type(type);
  columns_.push_back({name, h5::create_column(pixels_.id(), name, stored.id(), shape),
                      shape.chunk_length, length});
}

std::uint64_t LevelFile::chunk_length(std::size_t column) const {
  return columns_[column].chunk_length;
}

void LevelFile::store(std::size_t column, std::uint64_t first, std::uint64_t n, h5::FilterMask mask,
                      std::span<const std::byte> bytes) {
  PixelDataset& target = columns_[column];
  target.length = std::max(target.length, first + n);
  h5::set_length(target.dataset, target.length);
  h5::write_stored_chunk(target.dataset, first, mask, bytes);
  file_.check();
}

void LevelFile::store_kept(std::size_t column, std::uint64_t index, h5::FilterMask mask,
                           std::span<const std::byte> bytes) {
  const PixelDataset& target = columns_[column];
  h5::write_stored_chunk(target.dataset, index * target.chunk_length, mask, bytes);
  file_.check();
}

void LevelFile::widen(std::size_t field, NumberType type) {
  PixelDataset& old = columns_[kFirstField + field];
  const std::string spare = old.name + ".wide";
  h5::ColumnShape shape;
  shape.max_length = max_pixels();
  shape.chunk_length = old.chunk_length;
  shape.deflate_level = layout_.compression_level;
  const h5::Datatype stored = h5::number_type(type);
  h5::Dataset wide = h5::create_column(pixels_.id(), spare, stored.id(), shape);
  h5::set_length(wide, old.length);
  ColumnReader reader(h5::open_column(pixels_.id(), old.name, path_ + "::/pixels"), old.length);
  codec::ChunkEncoder encoder(layout_.compression_level);
  for (std::uint64_t first = 0; first < old.length; first += old.chunk_length) {
    const auto n = static_cast<std::size_t>(std::min(old.chunk_length, old.length - first));
    pixels::Column values = pixels::make_column(pixels::kind_of(layout_.fields[field].type));
    reader.read_values(first, n, values);
    std::vector<std::byte> bytes;
    pixels::encode_values(values, 0, static_cast<std::int64_t>(n), type, bytes);
    h5::write_stored_chunk(
        wide, first, 0,
        encoder.encode_elements(bytes, size(type), static_cast<std::int64_t>(old.chunk_length)));
  }
  old.dataset = std::move(wide);
  h5::remove_object(pixels_.id(), old.name);
  h5::rename_object(pixels_.id(), spare, old.name);
  layout_.fields[field].type = type;
}

void LevelFile::write_tables(const LevelSummary& summary) {
  write_bin_tables(file_.id(), layout_.bins, writer_);
  if (summary.source != nullptr) {
    const h5::Group chroms = h5::open_group(file_.id(), "chroms", path_);
    write_side_columns(chroms.id(), summary.source->chrom_columns, writer_);
  }
  const h5::Group indexes = h5::open_group(file_.id(), "indexes", path_);
  writer_.write(indexes.id(), "bin1_offset", h5::number_type(NumberType::i64),
                std::as_bytes(std::span(summary.row_offsets)), sizeof(std::int64_t));
}

std::optional<h5::BlockSums> LevelFile::finish(const LevelSummary& summary) {
  write_tables(summary);
  write_collection_attributes(file_.id(), layout_, summary);
  columns_.clear();
  pixels_.reset();
  std::optional<h5::BlockSums> content = file_.finish(h5::Sync::none);
  const std::string temporary = temporary_name(path_);
  if (const std::int64_t result = h5::posix_file_ops().rename(temporary, path_); result < 0) {
    fail(ErrorCode::io, "cannot rename {} to {}: {}", temporary, path_,
         h5::error_text(static_cast<int>(-result)));
  }
  finished_ = true;
  return content;
}

}  // namespace ziggurat::cool
