// Problem: find the limit of a control group that binds this process.
//
// A limit belongs to a cgroup and to all of its ancestors, and each may be the one that binds.
// proc/self/cgroup names ours. Inside a container that path may be the host's, with only its lower
// end visible, or nothing of it; so missing folders on the way up are passed over, up to the
// mount itself. cgroup v1 has a tree for each controller, below a folder that is named after it;
// v2 has one tree, which may be mounted beside those of v1.
#include "base/surroundings.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "base/strings.hpp"

namespace ziggurat {

namespace fs = std::filesystem;

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

// The least limit found from mount/group up to mount.
double least_on_the_way_up(const fs::path& mount, fs::path group, const ReadLimit& read) {
  double least = kNone;
  for (group = group.relative_path();; group = group.parent_path()) {
    least = std::min(least, read(mount / group).value_or(least));
    if (group.empty()) return least;
  }
}

}  // namespace

std::optional<std::string> environment_variable(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  return value;
}

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

double least_cgroup_limit(const fs::path& root, std::string_view controller,
                          const ReadLimit& read_v2, const ReadLimit& read_v1) {
  const fs::path mounts = root / "sys/fs/cgroup";
  std::ifstream groups(root / "proc/self/cgroup");
  double least = kNone;
  // Each line is id:controllers:path.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path group(line.substr(second + 1));
    if (controllers.empty()) {
      least = std::min({least, least_on_the_way_up(mounts, group, read_v2),
                        least_on_the_way_up(mounts / "unified", group, read_v2)});
      continue;
    }
    const auto names = split(controllers, ',');
    if (std::find(names.begin(), names.end(), controller) == names.end()) continue;
    least = std::min({least, least_on_the_way_up(mounts / controllers, group, read_v1),
                      least_on_the_way_up(mounts / controller, group, read_v1)});
  }
  return least;
}

}  // namespace ziggurat
