#include "cool_file.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <type_traits>

namespace ziggurat::bench {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>);

constexpr std::size_t kPendingPixels = 2000000;

template <typename Result>
Result checked(Result result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string("HDF5 failed: ") + what);
  return result;
}

// What h5py chooses for a one-dimensional dataset without an explicit chunk shape.
hsize_t h5py_chunk(hsize_t length, std::size_t element_bytes) {
  constexpr double kLeast = 8192;
  constexpr double kMost = 1048576;
  auto elements = static_cast<double>(length == 0 ? 1024 : length);
  const auto size = static_cast<double>(element_bytes);
  const double target =
      std::clamp(16384.0 * std::exp2(std::log10(elements * size / kMost)), kLeast, kMost);
  for (;;) {
    const double bytes = elements * size;
    const bool near_target = bytes < target || std::fabs(bytes - target) / target < 0.5;
    if ((near_target && bytes < kMost) || elements == 1) return static_cast<hsize_t>(elements);
    elements = std::ceil(elements / 2);
  }
}

struct Shape {
  hsize_t length;
  hsize_t most;
  hsize_t chunk;
};

hid_t make_dataset(hid_t file, const char* path, hid_t type, const Shape& shape, unsigned level) {
  const hid_t links = checked(H5Pcreate(H5P_LINK_CREATE), path);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t space = checked(H5Screate_simple(1, &shape.length, &shape.most), path);
  const hid_t properties = checked(H5Pcreate(H5P_DATASET_CREATE), path);
  // The time of making would differ in every file.
  H5Pset_obj_track_times(properties, 0);
  H5Pset_chunk(properties, 1, &shape.chunk);
  H5Pset_shuffle(properties);
  H5Pset_deflate(properties, level);
  const hid_t dataset =
      checked(H5Dcreate2(file, path, type, space, links, properties, H5P_DEFAULT), path);
  H5Pclose(properties);
  H5Sclose(space);
  H5Pclose(links);
  return dataset;
}

void write_dataset(hid_t file, const char* path, hid_t file_type, hid_t memory_type,
                   const void* data, std::size_t length, unsigned level) {
  const Shape shape{length, length, h5py_chunk(length, H5Tget_size(file_type))};
  const hid_t dataset = make_dataset(file, path, file_type, shape, level);
  checked(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), path);
  checked(H5Dclose(dataset), path);
}

void append(hid_t dataset, hid_t memory_type, hsize_t offset, hsize_t length, const void* data) {
  const hsize_t total = offset + length;
  checked(H5Dset_extent(dataset, &total), "growing a pixel column");
  const hid_t file_space = checked(H5Dget_space(dataset), "pixel column");
  const hid_t memory_space = checked(H5Screate_simple(1, &length, nullptr), "pixel column");
  H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &offset, nullptr, &length, nullptr);
  checked(H5Dwrite(dataset, memory_type, memory_space, file_space, H5P_DEFAULT, data),
          "writing a pixel column");
  H5Sclose(memory_space);
  H5Sclose(file_space);
}

void write_attribute(hid_t object, const char* name, hid_t file_type, hid_t memory_type,
                     const void* value) {
  const hid_t space = checked(H5Screate(H5S_SCALAR), name);
  const hid_t attribute =
      checked(H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT), name);
  checked(H5Awrite(attribute, memory_type, value), name);
  H5Aclose(attribute);
  H5Sclose(space);
}

void write_number(hid_t object, const char* name, std::int64_t value) {
  write_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void write_text(hid_t object, const char* name, const std::string& value) {
  const hid_t type = checked(H5Tcopy(H5T_C_S1), name);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const char* characters = value.c_str();
  write_attribute(object, name, type, type, &characters);
  H5Tclose(type);
}

// Now, or the moment that SOURCE_DATE_EPOCH names, so that a map can be made again byte for byte.
std::string creation_date() {
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t moment = epoch ? std::atoll(epoch) : std::time(nullptr);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S.000000", std::gmtime(&moment));
  return text.data();
}

}  // namespace

CoolFile::CoolFile(const std::string& path, const ContactModel& model, const CoolOptions& options)
    : model_(model), options_(options), row_offsets_{0} {
  // A failure becomes one exception; the library's own report would only repeat it.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  file_ = checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), path.c_str());
  write_chromosomes();
  write_bins();
  make_pixel_columns();
}

CoolFile::~CoolFile() {
  for (const Handle dataset : {bin1_, bin2_, count_}) {
    if (dataset >= 0) H5Dclose(dataset);
  }
  if (file_ >= 0) H5Fclose(file_);
}

void CoolFile::write_chromosomes() {
  const auto& chromosomes = model_.chromosomes();
  std::size_t width = 1;
  for (const Chromosome& chromosome : chromosomes) width = std::max(width, chromosome.name.size());
  std::vector<char> names(width * chromosomes.size());
  std::vector<std::int32_t> lengths;
  for (const Chromosome& chromosome : chromosomes) {
    std::memcpy(&names[width * lengths.size()], chromosome.name.data(), chromosome.name.size());
    lengths.push_back(static_cast<std::int32_t>(chromosome.length));
  }
  const hid_t type = checked(H5Tcopy(H5T_C_S1), "chroms/name");
  H5Tset_size(type, width);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  const unsigned level = options_.deflate_level;
  write_dataset(file_, "chroms/name", type, type, names.data(), lengths.size(), level);
  write_dataset(file_, "chroms/length", H5T_STD_I32LE, H5T_NATIVE_INT32, lengths.data(),
                lengths.size(), level);
  H5Tclose(type);
}

void CoolFile::write_bins() {
  std::vector<std::int32_t> chromosome_of;
  std::vector<std::int32_t> starts;
  std::vector<std::int32_t> ends;
  const hid_t type = checked(H5Tenum_create(H5T_STD_I32LE), "bins/chrom");
  std::int32_t id = 0;
  for (const Chromosome& chromosome : model_.chromosomes()) {
    checked(H5Tenum_insert(type, chromosome.name.c_str(), &id), "bins/chrom");
    for (std::int64_t start = 0; start < chromosome.length; start += model_.resolution()) {
      chromosome_of.push_back(id);
      starts.push_back(static_cast<std::int32_t>(start));
      ends.push_back(
          static_cast<std::int32_t>(std::min(start + model_.resolution(), chromosome.length)));
    }
    ++id;
  }
  const std::size_t bins = starts.size();
  const unsigned level = options_.deflate_level;
  write_dataset(file_, "bins/chrom", type, type, chromosome_of.data(), bins, level);
  write_dataset(file_, "bins/start", H5T_STD_I32LE, H5T_NATIVE_INT32, starts.data(), bins, level);
  write_dataset(file_, "bins/end", H5T_STD_I32LE, H5T_NATIVE_INT32, ends.data(), bins, level);
  H5Tclose(type);
}

// Created empty and grown, as cooler does, with the chunk that h5py guesses from cooler's first
// estimate of the size.
void CoolFile::make_pixel_columns() {
  const auto bins = static_cast<hsize_t>(model_.bins());
  const hsize_t most = bins * (bins + 1) / 2;
  const hsize_t estimate = std::min(5 * bins, most);
  const auto make = [&](const char* path, hid_t type) -> Handle {
    const auto asked = static_cast<hsize_t>(options_.chunk_elements);
    const hsize_t chunk = asked > 0 ? asked : h5py_chunk(estimate, H5Tget_size(type));
    return make_dataset(file_, path, type, {0, most, chunk}, options_.deflate_level);
  };
  bin1_ = make("pixels/bin1_id", H5T_STD_I64LE);
  bin2_ = make("pixels/bin2_id", H5T_STD_I64LE);
  count_ = make("pixels/count", options_.float_counts ? H5T_IEEE_F64LE : H5T_STD_I32LE);
}

void CoolFile::append_row(const Contacts& row) {
  const auto id = static_cast<std::int32_t>(row_offsets_.size() - 1);
  const auto& offsets = model_.chromosome_offsets();
  const std::int64_t end = *std::upper_bound(offsets.begin(), offsets.end(), id);
  for (std::size_t i = 0; i < row.columns.size(); ++i) {
    summary_.sum += row.counts[i];
    summary_.single_counts += row.counts[i] == 1 ? 1 : 0;
    summary_.cis_pixels += row.columns[i] < end ? 1 : 0;
  }
  summary_.pixels += static_cast<std::int64_t>(row.columns.size());
  row_offsets_.push_back(summary_.pixels);
  pending_rows_.resize(pending_rows_.size() + row.columns.size(), id);
  pending_.columns.insert(pending_.columns.end(), row.columns.begin(), row.columns.end());
  pending_.counts.insert(pending_.counts.end(), row.counts.begin(), row.counts.end());
  if (pending_rows_.size() >= kPendingPixels) write_pending();
}

void CoolFile::write_pending() {
  const hsize_t length = pending_rows_.size();
  if (length == 0) return;
  const hsize_t offset = static_cast<hsize_t>(summary_.pixels) - length;
  append(bin1_, H5T_NATIVE_INT32, offset, length, pending_rows_.data());
  append(bin2_, H5T_NATIVE_INT32, offset, length, pending_.columns.data());
  append(count_, H5T_NATIVE_INT32, offset, length, pending_.counts.data());
  pending_rows_.clear();
  pending_ = {};
}

void CoolFile::write_indexes() {
  const auto& chromosome_offsets = model_.chromosome_offsets();
  write_dataset(file_, "indexes/bin1_offset", H5T_STD_I64LE, H5T_NATIVE_INT64, row_offsets_.data(),
                row_offsets_.size(), options_.deflate_level);
  write_dataset(file_, "indexes/chrom_offset", H5T_STD_I64LE, H5T_NATIVE_INT64,
                chromosome_offsets.data(), chromosome_offsets.size(), options_.deflate_level);
}

void CoolFile::write_attributes() {
  write_text(file_, "format", "HDF5::Cooler");
  write_number(file_, "format-version", 3);
  write_text(file_, "format-url", "https://github.com/open2c/cooler");
  write_text(file_, "bin-type", "fixed");
  write_number(file_, "bin-size", model_.resolution());
  write_text(file_, "storage-mode", "symmetric-upper");
  write_number(file_, "nchroms", static_cast<std::int64_t>(model_.chromosomes().size()));
  write_number(file_, "nbins", model_.bins());
  write_number(file_, "nnz", summary_.pixels);
  write_number(file_, "sum", summary_.sum);
  write_text(file_, "genome-assembly", options_.assembly);
  write_text(file_, "metadata", "{}");
  write_text(file_, "creation-date", creation_date());
  write_text(file_, "generated-by", "ziggurat-make_map");
}

CoolSummary CoolFile::finish() {
  write_pending();
  write_indexes();
  write_attributes();
  for (Handle* dataset : {&bin1_, &bin2_, &count_}) {
    checked(H5Dclose(*dataset), "closing a pixel column");
    *dataset = -1;
  }
  checked(H5Fclose(file_), "closing the file");
  file_ = -1;
  return summary_;
}

}  // namespace ziggurat::bench
