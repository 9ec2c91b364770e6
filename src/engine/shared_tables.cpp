#include "engine/shared_tables.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace ziggurat::engine {

namespace {

std::uint64_t offset_bytes(std::uint64_t n_bins) { return (n_bins + 1) * sizeof(std::int64_t); }

const genome::BinTable& predecessor_bins(const genome::BinTable& base,
                                         const std::vector<genome::BinTable>& bins,
                                         const PooledLevel& level) {
  return level.predecessor == coarsen::kBase ? base
                                             : bins[static_cast<std::size_t>(level.predecessor)];
}

proc::SharedMemory make_memory(std::uint64_t n_bins, const std::vector<reader::JobLevel>& levels) {
  std::uint64_t bytes = offset_bytes(n_bins);
  for (const reader::JobLevel& level : levels) bytes += level.n_ids * sizeof(std::uint32_t);
  return proc::SharedMemory::create("ziggurat-tables", bytes);
}

}  // namespace

SharedTables::SharedTables(const genome::BinTable& base, const std::vector<PooledLevel>& levels)
    : n_bins_(static_cast<std::uint64_t>(base.n_bins())), memory_([&] {
        std::uint64_t ids = 0;
        for (const PooledLevel& level : levels) {
          const genome::BinTable& from = predecessor_bins(base, bins_, level);
          reader::JobLevel job;
          job.predecessor = level.predecessor;
          job.ids_at = ids;
          job.n_ids = static_cast<std::uint64_t>(from.n_bins());
          genome::BinTable pooled = level.factor == 1 ? from : from.coarsen(level.factor);
          job.n_bins = narrow<std::uint32_t>(pooled.n_bins());
          ids += job.n_ids;
          bins_.push_back(std::move(pooled));
          levels_.push_back(job);
        }
        return make_memory(n_bins_, levels_);
      }()) {
  auto* ids = reinterpret_cast<std::uint32_t*>(memory_.bytes().data() + offset_bytes(n_bins_));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::vector<std::uint32_t> level_ids =
        predecessor_bins(base, bins_, levels[i]).coarse_ids(levels[i].factor);
    std::copy(level_ids.begin(), level_ids.end(), ids + levels_[i].ids_at);
  }
}

std::span<std::int64_t> SharedTables::row_offsets() const {
  return {reinterpret_cast<std::int64_t*>(memory_.bytes().data()), n_bins_ + 1};
}

}  // namespace ziggurat::engine
