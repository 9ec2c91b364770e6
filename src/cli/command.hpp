// What every sub-command is, and the options that several share.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/console.hpp"
#include "ziggurat/build.hpp"

namespace ziggurat::cli {

// Further spellings of options that the parser cannot take as they are: of more than one letter
// after a single dash. From what is written to what is meant.
using Spellings = std::vector<std::pair<std::string, std::string>>;

class Command {
 public:
  virtual ~Command() = default;
  // Adds the sub-command and its options to the program.
  virtual CLI::App* declare(CLI::App& program) = 0;
  [[nodiscard]] virtual Spellings spellings() const { return {}; }
  // After parsing: what can be found wrong without looking at any file. Throws Error{usage}.
  virtual void check() const {}
  // The exit code of a failure that is worth no other.
  [[nodiscard]] virtual int failure_code() const { return 1; }
  // Whether a signal to end makes it save work first.
  [[nodiscard]] virtual bool saves_work() const { return false; }
  // Then. Returns the exit code; throws Error.
  virtual int run(Console& console) = 0;

  [[nodiscard]] const ConsoleOptions& console_options() const { return console_; }
  // What --config named; empty: nothing.
  [[nodiscard]] const std::string& config_file() const { return config_file_; }
  [[nodiscard]] bool prints_config() const { return prints_config_; }

 protected:
  // --quiet, --progress, --config, --print-config: of every command that works on files.
  void add_console_options(CLI::App& command);
  // --perf.
  void add_perf(CLI::App& command);

 private:
  ConsoleOptions console_;
  std::string config_file_;
  bool prints_config_ = false;
};

// Turns one of the words into its value, and refuses others; the help shows the words by
// themselves.
template <typename Value>
CLI::Validator one_of(const std::map<std::string, Value>& words) {
  return CLI::CheckedTransformer(words, CLI::ignore_case).description("");
}

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
[[nodiscard]] std::unique_ptr<Command> make_cp();
[[nodiscard]] std::unique_ptr<Command> make_mv();
[[nodiscard]] std::unique_ptr<Command> make_ln();
[[nodiscard]] std::unique_ptr<Command> make_rename_chroms();
[[nodiscard]] std::unique_ptr<Command> make_tree();
[[nodiscard]] std::unique_ptr<Command> make_attrs();
[[nodiscard]] std::unique_ptr<Command> make_makebins();
[[nodiscard]] std::unique_ptr<Command> make_compare();
[[nodiscard]] std::unique_ptr<Command> make_dump();
[[nodiscard]] std::unique_ptr<Command> make_merge();
[[nodiscard]] std::unique_ptr<Command> make_cload();
[[nodiscard]] std::unique_ptr<Command> make_load();
[[nodiscard]] std::unique_ptr<Command> make_report();
[[nodiscard]] std::unique_ptr<Command> make_plot();
[[nodiscard]] std::unique_ptr<Command> make_completions();
[[nodiscard]] std::unique_ptr<Command> make_manual();

// Table of the levels of a report on standard error; `planned`: numbers are bounds and estimates.
void print_levels(const BuildReport& report, bool planned, std::FILE* stream);
// The same of what was made, and where it is; as JSON or not at all, as the options say.
void say_built(Console& console, const BuildReport& report, const ConsoleOptions& options);

}  // namespace ziggurat::cli
