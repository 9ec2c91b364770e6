// Writing a map of one resolution from pixels of one's own.
//
// Thread rules: as build.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ziggurat/build.hpp"
#include "ziggurat/export.hpp"
#include "ziggurat/observer.hpp"
#include "ziggurat/read.hpp"

namespace ziggurat {

// What a map is besides its pixels.
struct NewMap {
  std::vector<Chromosome> chromosomes;
  std::int64_t bin_size = 0;  // bp; 0: `bins` lists them, in the order of the chromosomes
  BinIntervals bins;
  bool symmetric = true;        // only the upper triangle is given, and stands for both
  std::string field = "count";  // name of the value column
  std::string type = "int32";   // its numpy type; wider integers are stored where values need it
  std::string assembly = "unknown";
  std::string metadata = "{}";  // JSON
};

// Where pixels come from. Called on the thread that called write_map(); exceptions reach the
// caller.
class ZIGGURAT_API PixelSource {
 public:
  virtual ~PixelSource() = default;
  // Replaces `block` by the next pixels, in the order of (bin1, bin2) over all blocks and each pair
  // once; false after the last.
  virtual bool next(Pixels& block) = 0;
};

struct WriteRequest {
  std::string output;  // URI
  NewMap map;
  bool append = false;  // keep the other contents of an existing output file
  Settings settings;
};

// The output appears in its place when it is complete and on disk. Memory: a block, and 8 bytes a
// bin. Throws Error: usage (the map makes no sense, or a pixel is out of order or outside of the
// map: the message names it), io, cancelled.
ZIGGURAT_API BuildReport write_map(const WriteRequest& request, PixelSource& pixels,
                                   Observer& observer);

}  // namespace ziggurat
