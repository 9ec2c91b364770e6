// How many CPUs we may use, when neither user nor batch system says.
//
// The number of CPUs in the machine is the wrong answer twice over: a batch system may have granted
// fewer without binding the process (then only its variable tells), and a container may be limited
// by a quota of CPU time, which the affinity mask does not show. So: variable first, else the
// smaller of mask and quota. cgroup v1 keeps quota and period in two files, v2 both in cpu.max.
#include "base/cpu_count.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/strings.hpp"

namespace ziggurat {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 7> kGrantVariables = {
    "SLURM_CPUS_PER_TASK", "GALAXY_SLOTS",   "NSLOTS", "PBS_NP", "NCPUS",
    "LSB_DJOB_NUMPROC",    "OMP_NUM_THREADS"};

// OMP_NUM_THREADS may be a list, one number a nesting level; the first is the outermost.
std::optional<int> positive_int(std::string_view text) {
  const auto value = parse_int64(trim(split(text, ',').front()));
  if (!value || *value < 1 || *value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<int> granted_by_batch_system(const Surroundings& surroundings) {
  for (const char* variable : kGrantVariables) {
    const auto value = surroundings.variable(variable);
    if (!value) continue;
    if (const auto count = positive_int(*value)) return count;
  }
  return std::nullopt;
}

// CPUs that quota of each period amounts to; nothing for "max", -1 or no file.
std::optional<double> quota_in_cpus(std::string_view quota, std::string_view period) {
  const auto quota_us = parse_int64(trim(quota));
  const auto period_us = parse_int64(trim(period));
  if (!quota_us || !period_us || *quota_us < 1 || *period_us < 1) return std::nullopt;
  return static_cast<double>(*quota_us) / static_cast<double>(*period_us);
}

std::optional<double> quota_v2(const fs::path& folder) {
  const std::string line = first_line(folder / "cpu.max");
  const auto words = split(line, ' ');
  return words.size() == 2 ? quota_in_cpus(words[0], words[1]) : std::nullopt;
}

std::optional<double> quota_v1(const fs::path& folder) {
  return quota_in_cpus(first_line(folder / "cpu.cfs_quota_us"),
                       first_line(folder / "cpu.cfs_period_us"));
}

// The fixed-size mask of the C library ends at 1024 CPUs; the kernel says EINVAL beyond.
int affinity_count() {
  for (std::size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> mask(sets);
    const std::size_t bytes = sets * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
  }
  return 1;
}

}  // namespace

int default_processes() { return default_processes({environment_variable, "/"}, affinity_count()); }

int default_processes(const Surroundings& surroundings, int affinity) {
  if (const auto granted = granted_by_batch_system(surroundings)) return *granted;
  const double quota = std::ceil(least_cgroup_limit(surroundings.root, "cpu", quota_v2, quota_v1));
  if (quota < affinity) return std::max(1, static_cast<int>(quota));
  return std::max(1, affinity);
}

}  // namespace ziggurat
