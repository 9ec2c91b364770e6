// A machine with a folder in place of the root file system and a map in place of the environment.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "base/surroundings.hpp"

namespace ziggurat::test {

class FakeMachine {
 public:
  FakeMachine() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fake_machine_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~FakeMachine() { std::filesystem::remove_all(root_); }
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;

  void put(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void set(const std::string& variable, const std::string& value) { variables_[variable] = value; }

  [[nodiscard]] Surroundings surroundings() const {
    return {[this](const char* variable) -> std::optional<std::string> {
              const auto found = variables_.find(variable);
              if (found == variables_.end()) return std::nullopt;
              return found->second;
            },
            root_};
  }

 private:
  std::filesystem::path root_;
  std::map<std::string, std::string> variables_;
};

}  // namespace ziggurat::test
