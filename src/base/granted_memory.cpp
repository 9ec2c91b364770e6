// How much memory we may use, when the user does not say.
//
// A batch system that grants memory kills the job that takes more of it, with or without a cgroup,
// and a cgroup kills whatever the batch system granted. So the least of both counts, unlike with
// CPUs, of which a variable may grant more than the mask shows.
#include "base/granted_memory.hpp"

#include <algorithm>
#include <limits>
#include <string_view>

#include "base/strings.hpp"

namespace ziggurat {
namespace {

namespace fs = std::filesystem;

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr double kMegabyte = 1 << 20;
// cgroup v1 writes no limit as the largest number of whole pages.
constexpr double kMoreThanAnyMachine = 0x1p60;

std::optional<double> positive(std::string_view text) {
  const auto value = parse_int64(trim(text));
  if (!value || *value < 1) return std::nullopt;
  return static_cast<double>(*value);
}

std::optional<double> number_in(const Surroundings& surroundings, const char* variable) {
  const auto value = surroundings.variable(variable);
  return value ? positive(*value) : std::nullopt;
}

double granted_by_batch_system(const Surroundings& surroundings) {
  double least = kNone;
  for (const char* variable : {"SLURM_MEM_PER_NODE", "GALAXY_MEMORY_MB"}) {
    if (const auto megabytes = number_in(surroundings, variable)) {
      least = std::min(least, *megabytes * kMegabyte);
    }
  }
  if (const auto megabytes = number_in(surroundings, "SLURM_MEM_PER_CPU")) {
    const double cpus = number_in(surroundings, "SLURM_CPUS_ON_NODE").value_or(1);
    least = std::min(least, *megabytes * kMegabyte * cpus);
  }
  return least;
}

std::optional<double> limit_v2(const fs::path& folder) {
  return positive(first_line(folder / "memory.max"));
}

std::optional<double> limit_v1(const fs::path& folder) {
  return positive(first_line(folder / "memory.limit_in_bytes"));
}

}  // namespace

std::optional<std::int64_t> granted_memory() { return granted_memory({environment_variable, "/"}); }

std::optional<std::int64_t> granted_memory(const Surroundings& surroundings) {
  const double least =
      std::min(granted_by_batch_system(surroundings),
               least_cgroup_limit(surroundings.root, "memory", limit_v2, limit_v1));
  if (least >= kMoreThanAnyMachine) return std::nullopt;
  return static_cast<std::int64_t>(least);
}

}  // namespace ziggurat
