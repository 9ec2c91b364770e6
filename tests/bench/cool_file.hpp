// Writes a single-resolution .cool as the cooler package lays it out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assembly.hpp"
#include "contact_model.hpp"

namespace ziggurat::bench {

struct CoolOptions {
  // Elements a chunk of the pixel columns; 0 for what h5py, and so cooler, would choose.
  std::int64_t chunk_elements = 0;
  unsigned deflate_level = 6;
  // float64 counts (of whole numbers) instead of int32.
  bool float_counts = false;
  std::string assembly;
};

struct CoolSummary {
  std::int64_t pixels = 0;
  std::int64_t sum = 0;
  std::int64_t single_counts = 0;
  std::int64_t cis_pixels = 0;
};

// One file being written; one thread. What was written counts only after finish(). Every call
// throws std::runtime_error when HDF5 fails.
class CoolFile {
 public:
  CoolFile(const std::string& path, const ContactModel& model, const CoolOptions& options);
  ~CoolFile();
  CoolFile(const CoolFile&) = delete;
  CoolFile& operator=(const CoolFile&) = delete;

  // The pixels of the next row; rows come in order, each once.
  void append_row(const Contacts& row);
  CoolSummary finish();

 private:
  void write_chromosomes();
  void write_bins();
  void make_pixel_columns();
  void write_pending();
  void write_indexes();
  void write_attributes();

  using Handle = std::int64_t;  // hid_t, without hdf5.h in a header

  const ContactModel& model_;
  CoolOptions options_;
  Handle file_ = -1;
  Handle bin1_ = -1;
  Handle bin2_ = -1;
  Handle count_ = -1;
  std::vector<std::int64_t> row_offsets_;
  std::vector<std::int32_t> pending_rows_;
  Contacts pending_;
  CoolSummary summary_;
};

}  // namespace ziggurat::bench
