// How many processes to run when nobody said.
// Thread rules: default_processes() reads the environment; do not change that at the same time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace ziggurat {

// Where the answer is looked up; replaced in tests.
struct CpuSources {
  // Value of an environment variable, or nothing.
  std::function<std::optional<std::string>(const char*)> variable;
  // Folder under which proc/self/cgroup and sys/fs/cgroup are found.
  std::filesystem::path root = "/";
  // CPUs that the kernel lets this process run on.
  int affinity = 1;
};

// What the batch system granted, if one says so: the first positive integer among
// SLURM_CPUS_PER_TASK, GALAXY_SLOTS, NSLOTS, PBS_NP, NCPUS, LSB_DJOB_NUMPROC and OMP_NUM_THREADS.
// Else the smaller of the affinity mask and the cgroup's CPU quota (rounded up). Always >= 1.
[[nodiscard]] int default_processes();
[[nodiscard]] int default_processes(const CpuSources& sources);

}  // namespace ziggurat
