#include "cli/config_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/check.hpp"
#include "cli/options_of.hpp"

namespace ziggurat::cli {

namespace {

std::vector<CLI::ConfigItem> items_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(ErrorCode::usage, "--config {}: {}", path, std::strerror(errno));
  try {
    return CLI::ConfigTOML().from_config(file);
  } catch (const CLI::ParseError& error) {
    fail(ErrorCode::usage, "--config {}: {}", path, error.what());
  }
}

// CLI11 marks the begin and the end of a section by items of these names.
bool is_section_mark(const CLI::ConfigItem& item) { return item.name == "++" || item.name == "--"; }

bool concerns(const CLI::ConfigItem& item, const CLI::App& command) {
  if (is_section_mark(item)) return false;
  return item.parents.empty() || item.parents.front() == command.get_name();
}

void apply(CLI::Option& option, const CLI::ConfigItem& item) {
  if (option.count() > 0) return;
  if (is_flag(option)) {
    option.add_result(option.get_flag_value(item.name, CLI::ConfigTOML().to_flag(item)));
  } else {
    option.add_result(item.inputs);
  }
  option.run_callback();
}

// Quoted whenever a bare word could be taken for something else.
std::string toml_value(const CLI::Option& option) {
  if (is_flag(option)) return option.results().front();
  std::string text;
  for (const std::string& value : option.results()) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", CLI::detail::convert_arg_for_ini(value));
  }
  return option.results().size() == 1 ? text : "[" + text + "]";
}

}  // namespace

void add_config_options(CLI::App& command, std::string& path, bool& print) {
  command
      .add_option("--config", path,
                  "Take options that are not given here from this TOML file: name = value lines, "
                  "at its top or under [" +
                      command.get_name() + "]")
      ->type_name("FILE")
      ->configurable(false);
  command
      .add_flag("--print-config", print,
                "Print the options as a file that --config reads, and do nothing")
      ->configurable(false);
}

void apply_config(CLI::App& command, const std::string& path) {
  if (path.empty()) return;
  for (const CLI::ConfigItem& item : items_of(path)) {
    if (!concerns(item, command)) continue;
    CLI::Option* option = command.get_option_no_throw("--" + item.name);
    if (option == nullptr || !option->get_configurable()) {
      fail(ErrorCode::usage, "--config {}: '{}' is no option of {}", path, item.name,
           command.get_name());
    }
    try {
      apply(*option, item);
    } catch (const CLI::Error& error) {
      fail(ErrorCode::usage, "--config {}: {}", path, error.what());
    }
  }
}

std::string config_text(const CLI::App& command) {
  std::string text = fmt::format("[{}]\n", command.get_name());
  for (const CLI::Option* option : shown_options(command)) {
    if (!option->get_configurable() || option->get_lnames().empty()) continue;
    text += fmt::format("\n# {}\n", option->get_description());
    const std::string& name = option->get_lnames().front();
    text += option->count() > 0 ? fmt::format("{} = {}\n", name, toml_value(*option))
                                : fmt::format("# {} =\n", name);
  }
  return text;
}

}  // namespace ziggurat::cli
