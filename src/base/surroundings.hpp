// What batch systems and control groups have decided about this process.
// Thread rules: environment_variable() reads the environment; do not change that at the same time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ziggurat {

// Where answers are looked up; replaced in tests.
struct Surroundings {
  // Value of an environment variable, or nothing.
  std::function<std::optional<std::string>(const char*)> variable;
  // Folder under which proc/self/cgroup and sys/fs/cgroup are found.
  std::filesystem::path root = "/";
};

[[nodiscard]] std::optional<std::string> environment_variable(const char* variable);

// The first line of a file, empty when it cannot be read.
[[nodiscard]] std::string first_line(const std::filesystem::path& file);

// Reads the limit of the one control group whose folder is given, if it has one.
using ReadLimit = std::function<std::optional<double>(const std::filesystem::path&)>;

// The least limit that `controller` puts on our group and its ancestors, by cgroup v2 or v1;
// infinity when none does.
[[nodiscard]] double least_cgroup_limit(const std::filesystem::path& root,
                                        std::string_view controller, const ReadLimit& read_v2,
                                        const ReadLimit& read_v1);

}  // namespace ziggurat
