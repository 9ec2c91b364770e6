// Options from a file, in TOML: `name = value` lines with the long names of a command's options,
// at the top of the file or in a section named like the command. What the command line gives
// counts; the file fills in the rest, and what neither gives keeps its default.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ziggurat::cli {

// Adds --config and --print-config, whose values lie in `path` and `print`.
void add_config_options(CLI::App& command, std::string& path, bool& print);

// After the command line was parsed. Throws Error{usage} naming the file and the key for a file
// that cannot be read, a key that is no option of the command, or a value that does not fit.
void apply_config(CLI::App& command, const std::string& path);

// The file that would give the options as they are now. Options that have their default stand in it
// as comments, each under its description.
[[nodiscard]] std::string config_text(const CLI::App& command);

}  // namespace ziggurat::cli
