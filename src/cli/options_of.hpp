// What config files, manual pages and completions need to know of a command's options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ziggurat::cli {

// Without those that are kept from --help, which includes options taken for compatibility only.
[[nodiscard]] std::vector<const CLI::Option*> shown_options(const CLI::App& command);
[[nodiscard]] std::vector<const CLI::App*> shown_commands(const CLI::App& program);

[[nodiscard]] bool is_flag(const CLI::Option& option);
[[nodiscard]] bool is_positional(const CLI::Option& option);

// "-o", "--out" ...: each way to write the option.
[[nodiscard]] std::vector<std::string> spellings(const CLI::Option& option);

// The words that may follow the option; none: anything may.
[[nodiscard]] std::vector<std::string> choices(const CLI::Option& option);

// Whether a file or a folder follows.
[[nodiscard]] bool takes_path(const CLI::Option& option);

}  // namespace ziggurat::cli
