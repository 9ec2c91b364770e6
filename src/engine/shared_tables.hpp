// What all readers of one source share with the writer: where each matrix row begins in the pixel
// table, and to which coarse bin each bin of each level goes.
//
// Memory: 8 bytes for every bin of the base, and 4 for every bin of a level that others are made
// from. The row offsets are filled in by the readers while they prove the row ids, each its own
// part, and only read afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "genome/bins.hpp"
#include "proc/shared_memory.hpp"
#include "reader/protocol.hpp"

namespace ziggurat::engine {

// A level as the tables need it: which bins it is pooled from, and by how many.
struct PooledLevel {
  int predecessor = coarsen::kBase;  // index among the levels, or kBase
  std::int64_t factor = 1;
};

class SharedTables {
 public:
  // `levels` with predecessors before their successors.
  SharedTables(const genome::BinTable& base, const std::vector<PooledLevel>& levels);

  [[nodiscard]] std::span<std::int64_t> row_offsets() const;
  // Where the ids of a level lie, as a reader's job has it; predecessor and n_bins are filled in.
  [[nodiscard]] const std::vector<reader::JobLevel>& levels() const { return levels_; }
  [[nodiscard]] const genome::BinTable& bins(std::size_t level) const { return bins_[level]; }
  [[nodiscard]] const proc::SharedMemory& memory() const { return memory_; }

 private:
  std::uint64_t n_bins_;
  std::vector<genome::BinTable> bins_;
  std::vector<reader::JobLevel> levels_;
  proc::SharedMemory memory_;
};

}  // namespace ziggurat::engine
