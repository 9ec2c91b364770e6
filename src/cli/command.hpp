// What every sub-command is, and the options that several share.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "ziggurat/build.hpp"

namespace ziggurat::cli {

class Command {
 public:
  virtual ~Command() = default;
  // Adds the sub-command and its options to the program.
  virtual CLI::App* declare(CLI::App& program) = 0;
  // After parsing: what can be found wrong without looking at any file. Throws Error{usage}.
  virtual void check() const {}
  // Then. Returns the exit code; throws Error.
  virtual int run(Console& console) = 0;

  [[nodiscard]] const ConsoleOptions& console_options() const { return console_; }

 protected:
  void add_console_options(CLI::App& command);
  // --perf.
  void add_perf(CLI::App& command);

 private:
  ConsoleOptions console_;
};

// --nproc, and --slot-size for tests.
void add_processes(CLI::App& command, Settings& settings);
// --tmpdir.
void add_temporary_folder(CLI::App& command, std::string& folder, const std::string& help);
// Both, --chunksize and --compression-level.
void add_settings(CLI::App& command, Settings& settings);
// --duplicates, --nan.
void add_pixel_rules(CLI::App& command, SourceRules& rules);
// The same and --field.
void add_rules(CLI::App& command, SourceRules& rules);

[[nodiscard]] std::unique_ptr<Command> make_zoomify();
[[nodiscard]] std::unique_ptr<Command> make_coarsen();
[[nodiscard]] std::unique_ptr<Command> make_assemble();
[[nodiscard]] std::unique_ptr<Command> make_balance();
[[nodiscard]] std::unique_ptr<Command> make_verify();
[[nodiscard]] std::unique_ptr<Command> make_ls();
[[nodiscard]] std::unique_ptr<Command> make_info();

// Table of the levels of a report on standard error; `planned`: numbers are bounds and estimates.
void print_levels(const BuildReport& report, bool planned, std::FILE* stream);

}  // namespace ziggurat::cli
