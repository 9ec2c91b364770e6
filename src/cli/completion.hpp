// Completion scripts for shells, made from the definitions of the commands, so that they cannot
// differ from them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ziggurat::cli {

enum class Shell { bash, zsh, fish };

// A whole script for the program of this name. Pure.
[[nodiscard]] std::string completion_script(const CLI::App& program, Shell shell);

}  // namespace ziggurat::cli
