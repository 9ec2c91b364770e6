// The pass: marginals of the scaled matrix, the sum over each bin's row and column.
//
// Problem: for factors f, x = (f[i] * f[j]) * count for every pixel (i, j), and m[i] += x,
// m[j] += x. This is nearly all the time that balancing takes, and the order of additions decides
// the last bits of the weights, which must not depend on the number of threads.
// Method: cooler's. The table is cut into chunks of a fixed number of rows; in a chunk the sums
// over i and those over j are formed apart, each in table order, then added; chunks are added in
// order. A chunk is one task with sums of its own, so its loop is the plain one: each pixel is
// read once, and the sum over i stays in a register. A wave of as many chunks as there are buffers
// is computed, then added bin by bin. The bits are those of `cooler balance -p 1` with -c of
// StoreLayout::cut_pixels().
// Cost: 1.3 ns a pixel and thread where contacts are near the diagonal, 2.3 where a quarter of them
// are spread over 300,000 bins (cache misses), and 8 bytes a bin and buffer.
// Tried: one task per stripe of columns, which gives cooler's order for chunks of any length
// without own sums, but reads the pixels in short pieces, and twice: 2 to 3 times slower;
// factor and column sum side by side, for one cache miss instead of two: up to 25 % slower.
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

// The sums of one chunk.
struct PassBuffer {
  std::vector<double> row_sums;     // of the chunk's rows
  std::vector<double> column_sums;  // one a bin of the whole map
};

// As many as the calling TBB arena can use at once; made once, used by many passes.
class PassBuffers {
 public:
  PassBuffers();
  [[nodiscard]] std::span<PassBuffer> all() { return buffers_; }

 private:
  std::vector<PassBuffer> buffers_;
};

// A chunk, and the bins [first_bin, end_bin) that its rows and columns lie in.
struct PassChunk {
  std::span<const Segment> segments;
  std::int64_t first_row = 0;
  std::int64_t end_row = 0;
  std::int64_t first_bin = 0;
  std::int64_t end_bin = 0;
};

// Thread rules: run() spreads its work over the calling TBB arena. One run at a time on a buffer.
class MarginalPass {
 public:
  // Of segments, a run of the store's. Requires: they stay as they are while the pass lives.
  MarginalPass(std::span<const Segment> segments, Borders borders);

  // Sets sums[first_bin, end_bin) to the marginals; they must cover every row and column of the
  // segments. Requires: factors and sums with an entry a bin of the map.
  void run(const Eigen::ArrayXd& factors, Summand summand, std::int64_t first_bin,
           std::int64_t end_bin, PassBuffers& buffers, Eigen::ArrayXd& sums) const;

 private:
  std::vector<PassChunk> chunks_;
};

}  // namespace ziggurat::balance
