// Reading maps: chromosomes, bins, columns of bins, and the pixels of any rectangle of the matrix.
//
// Opening a map starts a child process that keeps the file open, so that a damaged or hostile one
// cannot harm the caller and a question costs no start of a program. Bin ids count from 0 over the
// whole genome. Ranges are half-open. Positions are in bp from 0.
// Thread rules: a ContactMap may be used from several threads at once; questions asked at the same
// time, and streams that are read in turns, are served by a child process each, up to as many as
// there are of them. A copy is the same map. A PixelStream belongs to one thread at a time. After a
// fork the child process may go on using a map (children of its own are started) if no other thread
// used it during the fork.
// Errors: every call may throw Error: usage, input (missing, or changed since it was opened),
// format (the pixels that are read break a rule), worker (the child process died).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"
#include "ziggurat/table_column.hpp"

namespace ziggurat {

struct Chromosome {
  std::string name;
  std::int64_t length = 0;  // bp
};

// Bins [first, end), or rows or columns of the matrix.
struct BinRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

struct BinIntervals {
  std::vector<std::int32_t> chromosomes;  // index in the table of chromosomes
  std::vector<std::int64_t> starts;       // bp
  std::vector<std::int64_t> ends;         // bp
};

// Values of pixels. 32-bit signed integers come as such, all others in 64 bits; float16 as float.
using PixelValues = std::variant<std::vector<std::int32_t>, std::vector<std::int64_t>,
                                 std::vector<float>, std::vector<double>>;

// Pixels in the order of (bin1, bin2): three arrays of one length.
struct Pixels {
  std::vector<std::int64_t> bin1;
  std::vector<std::int64_t> bin2;
  PixelValues values;

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(bin1.size()); }
};

// The same as compressed sparse rows: pixels [offsets[i], offsets[i + 1]) are in row i. Rows and
// columns are counted from the corner of the rectangle that was asked for.
struct CsrPixels {
  std::int64_t n_rows = 0;
  std::int64_t n_columns = 0;
  std::vector<std::int64_t> offsets;  // n_rows + 1
  std::vector<std::int64_t> columns;
  PixelValues values;
};

enum class Triangle {
  stored,  // pixels as they are stored: of a symmetric map the upper triangle
  full,    // with their mirror images; the same as stored for a map that is not symmetric
};

// How balancing weights are applied: count x weight x weight, or count / weight / weight.
enum class WeightUse { multiply, divide };

struct PixelQuery {
  BinRange rows;
  BinRange columns;
  Triangle triangle = Triangle::stored;
  std::string field = "count";
  std::string weights = {};  // column of the bins to balance with; empty: raw values. Balanced
                             // values are double, NaN for bins without weight
  std::optional<WeightUse> use = {};  // nothing: divide for KR, VC and VC_SQRT, else multiply
};

// Pixels block by block. Memory: a block for `stored`; for `full` about eight million pixels of
// both triangles, and the pixels of one row at least.
class ZIGGURAT_API PixelStream {
 public:
  PixelStream(PixelStream&&) noexcept;
  PixelStream& operator=(PixelStream&&) noexcept;
  ~PixelStream();

  // Replaces `block` by the next pixels, at least one; false after the last. After an exception
  // the stream is of no further use.
  bool next(Pixels& block);

 private:
  class State;
  friend class ContactMap;
  explicit PixelStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class ZIGGURAT_API ContactMap {
 public:
  // `reader_program`: see Settings in build.hpp. Cost: the start of a process, and reading the
  // tables of chromosomes and bins.
  explicit ContactMap(const std::string& uri, const std::string& reader_program = "");

  [[nodiscard]] const std::string& uri() const;
  [[nodiscard]] const std::vector<Chromosome>& chromosomes() const;
  // First bin of each chromosome, then the number of bins.
  [[nodiscard]] const std::vector<std::int64_t>& chromosome_offsets() const;
  [[nodiscard]] std::int64_t n_bins() const;
  [[nodiscard]] std::int64_t n_pixels() const;
  // bp; nothing for bins of varying width.
  [[nodiscard]] std::optional<std::int64_t> bin_size() const;
  // True: only the upper triangle is stored, and stands for both.
  [[nodiscard]] bool is_symmetric() const;
  // Facts about the file that the user may want to hear of: one line each.
  [[nodiscard]] const std::vector<std::string>& notes() const;

  [[nodiscard]] BinIntervals bins(BinRange range) const;
  [[nodiscard]] BinIntervals bins() const { return bins({0, n_bins()}); }
  // The first difference to another map's chromosomes and bins, in words; nothing when they are
  // the same.
  [[nodiscard]] std::optional<std::string> bin_difference(const ContactMap& other) const;
  // Columns beside name and length, or beside chrom, start and end; in name order.
  [[nodiscard]] const std::vector<std::string>& chromosome_columns() const;
  [[nodiscard]] const std::vector<std::string>& bin_columns() const;
  [[nodiscard]] TableColumn chromosome_column(const std::string& name) const;
  [[nodiscard]] TableColumn bin_column(const std::string& name) const;
  // A column of numbers of the bins. Throws Error{usage} when it holds something else.
  [[nodiscard]] std::vector<double> weights(const std::string& name) const;

  // Value columns of the pixels in name order, and the numpy name of the type of one.
  [[nodiscard]] std::vector<std::string> fields() const;
  [[nodiscard]] std::string field_type(const std::string& name) const;

  // The bins that a region touches: NAME, NAME:START-END or NAME:START-, with commas and units
  // (1.5M) as people write them.
  [[nodiscard]] BinRange bins_of(const std::string& region) const;
  // Where these rows begin in the pixel table, and where the last one ends.
  [[nodiscard]] std::vector<std::int64_t> pixel_offsets(BinRange rows) const;

  // `observer` is asked whether to stop; it must outlive the stream.
  [[nodiscard]] PixelStream pixels(const PixelQuery& query, Observer* observer = nullptr) const;
  // All at once.
  [[nodiscard]] Pixels fetch(const PixelQuery& query, Observer* observer = nullptr) const;
  [[nodiscard]] CsrPixels fetch_csr(const PixelQuery& query, Observer* observer = nullptr) const;

 private:
  class State;
  friend class PixelStream;
  std::shared_ptr<State> state_;
};

}  // namespace ziggurat
