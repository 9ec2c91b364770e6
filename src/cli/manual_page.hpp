// Manual pages in roff, made from the definitions of the commands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace ziggurat::cli {

// The page of one command, or of the whole program when `command` is the program itself. Pure.
[[nodiscard]] std::string manual_page(const CLI::App& program, const CLI::App& command);

}  // namespace ziggurat::cli
