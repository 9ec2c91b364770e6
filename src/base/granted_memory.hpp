// How much memory this process and its children were granted.
// Thread rules: granted_memory() reads the environment; do not change that at the same time.
#pragma once

#include <cstdint>
#include <optional>

#include "base/surroundings.hpp"

namespace ziggurat {

// In bytes, > 0: the least of what the batch system's variables say (SLURM_MEM_PER_NODE;
// SLURM_MEM_PER_CPU for each of SLURM_CPUS_ON_NODE; GALAXY_MEMORY_MB) and of the limits of our
// cgroup and its ancestors. Nothing when nobody limits us.
[[nodiscard]] std::optional<std::int64_t> granted_memory();
[[nodiscard]] std::optional<std::int64_t> granted_memory(const Surroundings& surroundings);

}  // namespace ziggurat
