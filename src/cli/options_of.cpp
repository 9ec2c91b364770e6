#include "cli/options_of.hpp"

#include <algorithm>
#include <set>

#include "base/strings.hpp"

namespace ziggurat::cli {

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  std::vector<const CLI::Option*> shown;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty()) shown.push_back(option);
  }
  return shown;
}

std::vector<const CLI::App*> shown_commands(const CLI::App& program) {
  std::vector<const CLI::App*> shown;
  for (const CLI::App* command : program.get_subcommands({})) {
    if (!command->get_group().empty()) shown.push_back(command);
  }
  return shown;
}

bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0; }

bool is_positional(const CLI::Option& option) {
  return option.get_lnames().empty() && option.get_snames().empty();
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  return all;
}

std::vector<std::string> choices(const CLI::Option& option) {
  std::vector<std::string> words;
  const std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return words;
  for (const std::string_view word : split(type, '|')) words.emplace_back(word);
  return words;
}

bool takes_path(const CLI::Option& option) {
  static const std::set<std::string> paths{"FILE", "DIR", "URI", "BED"};
  return paths.count(option.get_type_name()) > 0;
}

}  // namespace ziggurat::cli
