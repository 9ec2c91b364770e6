// How many processes to run when nobody said.
// Thread rules: default_processes() reads the environment; do not change that at the same time.
#pragma once

#include "base/surroundings.hpp"

namespace ziggurat {

// What the batch system granted, if one says so: the first positive integer among
// SLURM_CPUS_PER_TASK, GALAXY_SLOTS, NSLOTS, PBS_NP, NCPUS, LSB_DJOB_NUMPROC and OMP_NUM_THREADS.
// Else the smaller of the affinity mask and the cgroup's CPU quota (rounded up). Always >= 1.
[[nodiscard]] int default_processes();
// The same elsewhere; affinity: CPUs that the kernel lets this process run on.
[[nodiscard]] int default_processes(const Surroundings& surroundings, int affinity);

}  // namespace ziggurat
