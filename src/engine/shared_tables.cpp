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

std::vector<genome::BinTable> pooled_bins(const genome::BinTable& base,
                                          const std::vector<PooledLevel>& levels) {
  std::vector<genome::BinTable> bins;
  for (const PooledLevel& level : levels) {
    const genome::BinTable& from = predecessor_bins(base, bins, level);
    bins.push_back(level.factor == 1 ? from : from.coarsen(level.factor));
  }
  return bins;
}

// The ids of all levels lie one after the other.
std::vector<reader::JobLevel> lay_out(const genome::BinTable& base,
                                      const std::vector<PooledLevel>& levels,
                                      const std::vector<genome::BinTable>& bins) {
  std::vector<reader::JobLevel> jobs;
  std::uint64_t ids = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    reader::JobLevel job;
    job.predecessor = levels[i].predecessor;
    job.n_bins = narrow<std::uint32_t>(bins[i].n_bins());
    job.ids_at = ids;
    job.n_ids = static_cast<std::uint64_t>(predecessor_bins(base, bins, levels[i]).n_bins());
    ids += job.n_ids;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

proc::SharedMemory make_memory(std::uint64_t n_bins, const std::vector<reader::JobLevel>& levels) {
  std::uint64_t bytes = offset_bytes(n_bins);
  for (const reader::JobLevel& level : levels) bytes += level.n_ids * sizeof(std::uint32_t);
  return proc::SharedMemory::create("ziggurat-tables", bytes);
}

}  // namespace

SharedTables::SharedTables(const genome::BinTable& base, const std::vector<PooledLevel>& levels)
    : n_bins_(static_cast<std::uint64_t>(base.n_bins())),
      bins_(pooled_bins(base, levels)),
      levels_(lay_out(base, levels, bins_)),
      memory_(make_memory(n_bins_, levels_)) {
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
