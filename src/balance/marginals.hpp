// The pass: marginals of the scaled matrix, the sum over each bin's row and column.
//
// Problem: for factors f, x = (f[i] * f[j]) * count for every pixel (i, j), and m[i] += x, m[j] +=
// x. This is all the time that balancing takes, and the order of additions decides the last bits of
// the weights. cooler's order is: the table is cut into chunks of a fixed number of rows; in a
// chunk the sums over i and those over j are formed apart, each in table order, then added; the
// chunks are added in order. We keep it, to the bit, for any number of threads.
// Method: the sum over i is a run of consecutive pixels, the sum over j is column j from top to
// bottom; so rows can be split freely among tasks for the first, columns for the second. A chunk's
// columns are cut into stripes of equal numbers of pixels.
//
//        stripe   0     1     2
//              +-----+-----+-----+
//       rows   | A   |  B  |  B  |    First a task a stripe, down its columns: B adds to column
//       of     |   \ +-----+-----+    sums only, A (rows whose bin lies in the stripe itself) to
//       stripe       | A   |  B  |    row sums too: a row begins there, since only the upper
//       0,1,2        |   \ +-----+    triangle is stored. Then a task a block of rows adds B to
//                          | A   |    the row sums, from where A left them.
//                          +-----+
//
// Only B pixels are read twice, and no task needs a vector of its own. A square matrix has pixels
// left of A, so there all is B. With one thread, or few pixels, there is one stripe: one plain
// loop. Cost: see docs; memory 4 bytes a row and stripe for the places where rows cross stripes.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "balance/pixel_store.hpp"

namespace ziggurat::balance {

// What is scaled and summed: the counts, or 1 in place of every count that is not 0.
enum class Summand { count, nonzero };

// Where chunks begin: counted from the start of the table, or of the chromosome.
enum class Borders { genome, chromosome };

// Row and column sums of the chunk at work; one entry a bin of the whole map each.
struct PassBuffers {
  Eigen::ArrayXd row_sums;
  Eigen::ArrayXd column_sums;

  explicit PassBuffers(std::int64_t bins) : row_sums(bins), column_sums(bins) {}
};

// A chunk and how its columns are shared out.
struct PassChunk {
  std::span<const Segment> segments;
  std::int64_t first_row = 0;  // rows of all segments
  std::int64_t end_row = 0;
  std::vector<std::int64_t> stripe_starts;  // stripes + 1 bins; the ends bound all rows and columns
  // For each segment, stripes + 1 indices a row: where its pixels of each stripe begin. Empty for
  // one stripe: then the row pointers say it.
  std::vector<std::vector<std::uint32_t>> crossings;

  [[nodiscard]] std::size_t stripes() const { return stripe_starts.size() - 1; }
};

// Thread rules: run() spreads its work over the calling TBB arena. One run at a time on a buffer.
class MarginalPass {
 public:
  // Of segments, a run of the store's. Requires: they stay as they are while the pass lives.
  MarginalPass(const StoreLayout& layout, std::span<const Segment> segments, Borders borders);

  // Sets sums[first_bin, end_bin) to the marginals; they must cover every row and column of the
  // segments. Requires: factors and sums with an entry a bin of the map.
  void run(const Eigen::ArrayXd& factors, Summand summand, std::int64_t first_bin,
           std::int64_t end_bin, PassBuffers& buffers, Eigen::ArrayXd& sums) const;

 private:
  Symmetry symmetry_;
  std::vector<PassChunk> chunks_;
};

}  // namespace ziggurat::balance
