// A look at a whole contact map: its numbers level by level, and a page that shows them.
//
// Every pixel of every level is read once. Memory: some 40 bytes for each bin of the finest level,
// and what the pictures hold (64 MB at most), whatever the number of pixels.
// Thread rules: as build.hpp. Errors: as read.hpp; usage also for a file whose maps are no levels
// of one map.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ziggurat/balancing.hpp"
#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"
#include "ziggurat/perf.hpp"
#include "ziggurat/read.hpp"

namespace ziggurat {

struct ReportRequest {
  std::string source;            // FILE with the levels of one map, or FILE::GROUP
  std::string weights = {};      // column to balance with; empty: weight, or another that is known
  std::string colours = "fall";  // fall, viridis, coolwarm, reds, greys
  std::string reader_program = {};  // see Settings in build.hpp
  // What the run knows that made or balanced the map, as no file keeps it: how balancing went, and
  // where the time went. Nothing: the page says that it is not known.
  std::vector<BalanceOutcome> balanced = {};  // weights are not looked at
  std::optional<PerfReport> spent = {};
};

// Contacts of one chromosome with itself, by distance.
struct DecayPoint {
  double distance = 0;  // bp, the mean over the pairs of bins that were looked at
  double density = 0;   // contacts for each Mb x Mb of them
  double contacts = 0;
};

// Why a bin has no weight: the first rule of balancing that it breaks, found from the pixels and
// the limits that the file states.
enum class LeftOutBy : std::uint8_t {
  min_nnz,
  min_count,
  mad_max,
  other,  // a list of regions, or what the file does not say
};
constexpr std::size_t kLeftOutBy = 4;

// What a column of balancing weights says of itself, and what was found by looking. Nothing where
// the file does not say.
struct WeightNumbers {
  std::string name;
  bool divisive = false;
  std::optional<bool> converged;   // all chromosomes where they were balanced apart
  std::optional<double> variance;  // the largest; of the marginals, as the program measured it
  std::optional<double> scale;     // the first
  std::optional<double> tolerance;
  bool accelerated = false;  // stopped at a hundredth of the tolerance: see BalanceIteration
  std::optional<std::int64_t> min_nnz;
  std::optional<double> min_count;
  std::optional<double> mad_max;
  std::optional<std::int64_t> ignored_diagonals;
  std::optional<bool> cis_only;
  std::int64_t n_masked = 0;        // bins without weight
  std::int64_t n_masked_empty = 0;  // of these, bins without contacts
  // Of the column that is shown, where the file states the limits: bins without weight by rule.
  std::optional<std::array<std::int64_t, kLeftOutBy>> n_left_out;
  // As the run says, the largest of the chromosomes where they were balanced apart: the variance
  // after each round, and how long reading and iterating took. Nothing: not known.
  std::vector<double> variances;
  std::optional<double> seconds;
  // Of the column that is shown: standard deviation over mean of the balanced coverage of the bins
  // with a weight, without the diagonals that balancing ignored. 0 is perfect.
  std::optional<double> spread;
};

struct LevelNumbers {
  std::string group;
  std::optional<std::int64_t> bin_size;  // bp; nothing: bins of varying width
  std::int64_t n_bins = 0;
  std::int64_t n_pixels = 0;
  std::int64_t stored_bytes = 0;
  double contacts = 0;               // sum of the counts
  double cis = 0;                    // of these within a chromosome
  double density = 0;                // share of the cells that the map could have
  std::optional<double> stated_sum;  // attribute
  std::optional<std::int64_t> stated_pixels;
  std::int64_t n_empty_bins = 0;
  double median_coverage = 0;  // contacts of a bin, of those that have any
  double share_covered = 0;    // of the bins: those with 1,000 contacts or more
  std::vector<DecayPoint> decay;
  double trans_density = 0;  // contacts for each Mb x Mb between chromosomes
  std::vector<WeightNumbers> weights;
};

struct ChromosomeNumbers {
  std::string name;
  std::int64_t length = 0;  // bp
  std::int64_t n_bins = 0;  // of the finest level
  double cis = 0;
  double trans = 0;           // contacts with other chromosomes
  std::int64_t n_masked = 0;  // bins of the finest level without weight
  bool is_drawn = false;      // large enough for the pictures of the whole genome
};

// Chromosomes along an axis of a picture.
struct PictureSpan {
  std::string name;
  std::int64_t first_cell = 0;
  std::int64_t n_cells = 0;
  std::int64_t length = 0;  // bp
};

// A square of cells, both triangles, row by row.
struct MapPicture {
  std::vector<PictureSpan> spans;
  std::optional<std::int64_t> bin_size;  // of the level it is made from
  std::int64_t bins_per_cell = 1;
  std::int64_t n_cells = 0;     // a side
  std::vector<float> raw;       // contacts
  std::vector<float> balanced;  // mean of the cell; NaN: no bin with a weight; empty: no weights
};

// Along the drawn chromosomes, in columns of equal width, of which each belongs to one.
struct GenomeTrack {
  std::vector<PictureSpan> spans;
  std::vector<double> coverage;  // contacts for each Mb, at the finest level
  // A level: the share of the bins that have no weight, by LeftOutBy; empty: the level has none.
  std::vector<std::array<std::vector<double>, kLeftOutBy>> masked;
};

enum class FindingKind { good, look, fact };

struct Finding {
  FindingKind kind = FindingKind::fact;
  std::string title;
  std::string text;
};

struct MapReport {
  std::string file;
  std::string assembly;      // as the file says; empty: it does not
  std::string generated_by;  // the same
  std::string creation_date;
  std::string weights;  // column that is shown; empty: none
  bool is_symmetric = true;
  std::vector<LevelNumbers> levels;  // the finest first
  std::vector<ChromosomeNumbers> chromosomes;
  std::optional<double> decay_slope;         // exponent of the distance
  std::optional<double> decay_disagreement;  // largest between levels, as a share
  std::optional<MapPicture> genome;
  std::vector<MapPicture> pictures;  // one a chromosome
  GenomeTrack track;
  std::vector<Finding> findings;
  std::optional<PerfReport> spent;  // as the run says

  [[nodiscard]] bool sound() const {
    for (const Finding& finding : findings) {
      if (finding.kind == FindingKind::look) return false;
    }
    return true;
  }
};

[[nodiscard]] ZIGGURAT_API MapReport measure_map(const ReportRequest& request, Observer& observer);

// The main numbers as custom content of MultiQC: a row of a table, named by the file without its
// suffix. To be stored under a name that ends in _mqc.json.
[[nodiscard]] ZIGGURAT_API std::string multiqc_content(const MapReport& report);

// The page: one HTML file that needs no other. Equal reports give equal bytes. Throws Error{usage}
// for an unknown colour map.
[[nodiscard]] ZIGGURAT_API std::string report_page(const MapReport& report,
                                                   const std::string& colours = "fall");

}  // namespace ziggurat
