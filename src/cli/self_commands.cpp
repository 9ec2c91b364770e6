// completions and manual: the program describes itself.
#include <fmt/format.h>

#include "base/check.hpp"
#include "cli/command.hpp"
#include "cli/completion.hpp"
#include "cli/manual_page.hpp"
#include "cli/options_of.hpp"

namespace ziggurat::cli {

namespace {

class Completions : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    program_ = &program;
    CLI::App* command = program.add_subcommand(
        "completions", "Print a script that makes a shell complete commands and options");
    const std::map<std::string, Shell> shells{
        {"bash", Shell::bash}, {"zsh", Shell::zsh}, {"fish", Shell::fish}};
    command->add_option("SHELL", shell_, "bash, zsh or fish")
        ->required()
        ->transform(one_of(shells))
        ->type_name("");
    return command;
  }

  int run(Console&) override {
    fmt::print("{}", completion_script(*program_, shell_));
    return 0;
  }

 private:
  const CLI::App* program_ = nullptr;
  Shell shell_ = Shell::bash;
};

class Manual : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    program_ = &program;
    CLI::App* command = program.add_subcommand(
        "manual", "Print a manual page: `ziggurat manual zoomify | man -l -`");
    command->add_option("COMMAND", about_, "Command [default: the program as a whole]")
        ->type_name("");
    return command;
  }

  int run(Console&) override {
    fmt::print("{}", manual_page(*program_, subject()));
    return 0;
  }

 private:
  [[nodiscard]] const CLI::App& subject() const {
    if (about_.empty()) return *program_;
    for (const CLI::App* command : shown_commands(*program_)) {
      if (command->get_name() == about_) return *command;
    }
    fail(ErrorCode::usage, "there is no command '{}'", about_);
  }

  const CLI::App* program_ = nullptr;
  std::string about_;
};

}  // namespace

std::unique_ptr<Command> make_completions() { return std::make_unique<Completions>(); }
std::unique_ptr<Command> make_manual() { return std::make_unique<Manual>(); }

}  // namespace ziggurat::cli
