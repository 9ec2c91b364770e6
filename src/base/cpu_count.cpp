// How many CPUs we may use, when neither user nor batch system says.
//
// The number of CPUs in the machine is the wrong answer twice over: a batch system may have granted
// fewer without binding the process (then only its variable tells), and a container may be limited
// by a quota of CPU time, which the affinity mask does not show. So: variable first, else the
// smaller of mask and quota.
//
// A quota belongs to a cgroup and to all of its ancestors, and each may be the one that binds.
// proc/self/cgroup names ours. Inside a container that path may be the host's, with only its lower
// end visible, or nothing of it; so missing folders on the way up are passed over, up to the
// mount itself. cgroup v1 keeps quota and period in two files below a folder named after the
// controller, v2 keeps both in cpu.max of one tree.
#include "base/cpu_count.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
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

std::optional<int> granted_by_batch_system(const CpuSources& sources) {
  for (const char* variable : kGrantVariables) {
    const auto value = sources.variable(variable);
    if (!value) continue;
    if (const auto count = positive_int(*value)) return count;
  }
  return std::nullopt;
}

// The first line of a file, empty when it cannot be read.
std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
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

// The least quota found from mount/group up to mount.
template <typename ReadQuota>
double least_quota(const fs::path& mount, fs::path group, ReadQuota read_quota) {
  double least = std::numeric_limits<double>::infinity();
  for (group = group.relative_path();; group = group.parent_path()) {
    least = std::min(least, read_quota(mount / group).value_or(least));
    if (group.empty()) return least;
  }
}

// What one line of proc/self/cgroup, `id:controllers:path`, leads to.
double quota_of_line(const fs::path& mounts, std::string_view line) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return kNone;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const fs::path group(line.substr(second + 1));
  if (controllers.empty()) {
    // Where v1 and v2 are mounted side by side, v2 has a folder of its own.
    return std::min(least_quota(mounts, group, quota_v2),
                    least_quota(mounts / "unified", group, quota_v2));
  }
  const auto names = split(controllers, ',');
  if (std::find(names.begin(), names.end(), "cpu") == names.end()) return kNone;
  return std::min(least_quota(mounts / controllers, group, quota_v1),
                  least_quota(mounts / "cpu", group, quota_v1));
}

double cgroup_quota(const fs::path& root) {
  std::ifstream groups(root / "proc/self/cgroup");
  double least = std::numeric_limits<double>::infinity();
  for (std::string line; std::getline(groups, line);) {
    least = std::min(least, quota_of_line(root / "sys/fs/cgroup", line));
  }
  return least;
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

std::optional<std::string> environment_variable(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  return value;
}

}  // namespace

int default_processes() { return default_processes({environment_variable, "/", affinity_count()}); }

int default_processes(const CpuSources& sources) {
  if (const auto granted = granted_by_batch_system(sources)) return *granted;
  const double quota = std::ceil(cgroup_quota(sources.root));
  if (quota < sources.affinity) return std::max(1, static_cast<int>(quota));
  return std::max(1, sources.affinity);
}

}  // namespace ziggurat
