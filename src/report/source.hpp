// Which maps of a file are the levels that a report is about, and what the file says of them.
// Thread rules: one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ziggurat/report.hpp"

namespace ziggurat::report {

struct SourceLevel {
  std::string uri;
  std::optional<std::int64_t> bin_size;
  std::int64_t n_bins = 0;
  std::vector<std::int64_t> offsets;  // first bin of each chromosome, then the number of bins
  std::string shown_weights;          // column to balance with; empty: none
  LevelNumbers said;                  // what the file says, without looking at pixels
};

struct Source {
  std::string file;
  std::string assembly;
  std::string generated_by;
  std::string creation_date;
  std::string weights;  // column to balance with; empty: none
  bool is_symmetric = true;
  std::vector<Chromosome> chromosomes;
  std::vector<SourceLevel> levels;  // the finest first
};

// Throws Error{usage} when the file holds maps that are no levels of one.
[[nodiscard]] Source look_at_source(const ReportRequest& request, Observer& observer);

}  // namespace ziggurat::report
