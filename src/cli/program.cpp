#include "cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/config_file.hpp"
#include "cli/shell_words.hpp"
#include "engine/work_folder.hpp"
#include "proc/last_resort.hpp"
#include "proc/signals.hpp"
#include "ziggurat/error.hpp"
#include "ziggurat/version.hpp"

namespace ziggurat::cli {

namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr int kTryAgain = 75;
// As if the kernel had killed us for it: workflow engines then try again with more memory.
constexpr int kOutOfMemory = 137;

// Workflows ask a program called cooler for its version and compare it.
constexpr const char* kStandsInForCooler = "0.10.4";

// Short enough for a string without memory of its own.
std::string program_name(const char* argv0) {
  std::string_view name = argv0 == nullptr ? "" : argv0;
  name.remove_prefix(name.find_last_of('/') + 1);
  return name == "cooler" ? "cooler" : "ziggurat";
}

std::string version_line(const std::string& name) {
  return name + ", version " + (name == "cooler" ? kStandsInForCooler : ZIGGURAT_VERSION);
}

std::vector<std::unique_ptr<Command>> all_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(make_zoomify());
  commands.push_back(make_coarsen());
  commands.push_back(make_balance());
  commands.push_back(make_assemble());
  commands.push_back(make_verify());
  commands.push_back(make_ls());
  commands.push_back(make_info());
  commands.push_back(make_cp());
  commands.push_back(make_mv());
  commands.push_back(make_ln());
  commands.push_back(make_rename_chroms());
  commands.push_back(make_tree());
  commands.push_back(make_attrs());
  commands.push_back(make_makebins());
  commands.push_back(make_dump());
  commands.push_back(make_compare());
  commands.push_back(make_merge());
  commands.push_back(make_cload());
  commands.push_back(make_load());
  commands.push_back(make_report());
  commands.push_back(make_plot());
  commands.push_back(make_completions());
  commands.push_back(make_manual());
  return commands;
}

// Messages are one line: what is said first, with line ends made blanks.
void print_message(const std::string& speaker, std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  fmt::print(stderr, "{}: {}\n", speaker, text);
}

// Takes no memory itself.
void say_out_of_memory(const std::string& speaker) {
  std::fprintf(stderr, "%s: out of memory\n", speaker.c_str());
}

// A signal ends a run within two seconds, also one that is stuck; saving a checkpoint needs a sync
// of all that was made since the last, and batch systems give half a minute.
constexpr std::chrono::milliseconds kPatience{1500};
constexpr std::chrono::milliseconds kPatienceWithCheckpoint{20'000};

void watch_for_signals(const Command& command, const std::string& speaker) {
  proc::watch_signals();
  proc::end_when_stuck(
      command.saves_work() ? kPatienceWithCheckpoint : kPatience,
      [] { engine::remove_all_work_folders(); },
      [speaker](int signal_number) {
        print_message(speaker,
                      "stopped by a signal in the midst of a call that did not end; the output is "
                      "complete or as it was");
        if (signal_number == SIGUSR2) std::_Exit(kTryAgain);
        proc::die_by_signal(signal_number);
      });
}

int run_command(Command& command, const std::string& speaker) {
  // A closed pipe is an ordinary failure to write, told like others.
  std::signal(SIGPIPE, SIG_IGN);
  Console console(command.console_options());
  try {
    watch_for_signals(command, speaker);
    const int code = command.run(console);
    console.say_perf();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      print_message(speaker, "cannot write to standard output");
      return command.failure_code();
    }
    return code;
  } catch (const Error& error) {
    console.settle();
    if (error.code() == ErrorCode::cancelled && proc::pending_signal()) {
      // What the error adds to "stopped" says what can be gone on from.
      const std::string rest = std::string(error.what()).substr(std::string_view("stopped").size());
      if (proc::is_first_to_end()) {
        print_message(speaker, "stopped by a signal; nothing was written" + rest);
        if (*proc::pending_signal() == SIGUSR2) return kTryAgain;
        proc::die_by_signal(*proc::pending_signal());
      }
    }
    print_message(speaker, error.what());
    if (error.code() == ErrorCode::busy) return kTryAgain;
    return error.code() == ErrorCode::memory ? kOutOfMemory : command.failure_code();
  } catch (const std::bad_alloc&) {
    console.settle();
    say_out_of_memory(speaker);
    return kOutOfMemory;
  } catch (const std::exception& error) {
    console.settle();
    if (std::ferror(stdout) != 0) {
      // The formatting library throws what it finds.
      print_message(speaker, std::string("cannot write to standard output: ") + error.what());
      return command.failure_code();
    }
    print_message(speaker, std::string("internal fault: ") + error.what());
    return command.failure_code();
  }
}

// CLI11 takes "--name=" for an option that still waits for its value; it is one whose value is
// empty.
std::vector<std::string> arguments_of(int argc, const char* const* argv) {
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    const bool is_empty_value = argument.size() > 3 && argument.starts_with("--") &&
                                argument.find('=') == argument.size() - 1;
    if (is_empty_value) argument.pop_back();
    arguments.push_back(std::move(argument));
    if (is_empty_value) arguments.emplace_back();
  }
  return arguments;
}

// Whether the first word that is no option is this command.
bool named(const std::vector<std::string>& arguments, const std::string& command) {
  const auto word =
      std::find_if(arguments.begin(), arguments.end(),
                   [](const std::string& argument) { return !argument.starts_with('-'); });
  return word != arguments.end() && *word == command;
}

// -r2 X and -r2=X as the parser takes them.
void respell(std::vector<std::string>& arguments, const Spellings& spellings) {
  for (std::string& argument : arguments) {
    for (const auto& [written, meant] : spellings) {
      if (argument == written || argument.starts_with(written + "=")) {
        argument.replace(0, written.size(), meant);
      }
    }
  }
}

bool is_command(const CLI::App& program, const std::string& word) {
  const auto named =
      program.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; });
  return !named.empty();
}

// The first word that is no option, when it is no command either.
std::optional<std::string> unknown_command(const CLI::App& program,
                                           const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument.starts_with('-')) continue;
    if (!is_command(program, argument)) return argument;
    break;
  }
  return std::nullopt;
}

int run_as(const std::string& name, int argc, const char* const* argv) {
  CLI::App program("Multi-resolution contact matrices: fast, safe, drop-in for cooler", name);
  program.set_version_flag("-V,--version", version_line(name), "Print the version and exit");
  program.set_help_all_flag("--help-all", "Print the help of every command and exit");
  for (const char* ignored : {"-v,--verbose", "-d,--debug"}) {
    program.add_flag(ignored)->description("Accepted for compatibility")->group("");
  }
  program.require_subcommand(1);
  const std::vector<std::unique_ptr<Command>> commands = all_commands();
  std::vector<CLI::App*> declared;
  for (const auto& command : commands) declared.push_back(command->declare(program));
  std::vector<std::string> arguments = arguments_of(argc, argv);
  if (const auto word = unknown_command(program, arguments)) {
    print_message(name, "unknown command '" + *word + "' (see --help)");
    return kUsage;
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (named(arguments, declared[i]->get_name())) respell(arguments, commands[i]->spellings());
  }
  // CLI11 takes them from the end.
  std::reverse(arguments.begin(), arguments.end());
  try {
    program.parse(arguments);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      if (!declared[i]->parsed()) continue;
      apply_config(*declared[i], commands[i]->config_file());
      if (commands[i]->prints_config()) {
        fmt::print("{}", config_text(*declared[i]));
        return 0;
      }
      commands[i]->check();
    }
  } catch (const CLI::Success& success) {
    return program.exit(success);
  } catch (const CLI::ParseError& error) {
    const std::string advice = dash_advice(arguments);
    print_message(name, (advice.empty() ? error.what() : advice) + " (see --help)");
    return kUsage;
  } catch (const Error& error) {
    print_message(name, error.what());
    return kUsage;
  }
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (declared[i]->parsed())
      return run_command(*commands[i], name + " " + declared[i]->get_name());
  }
  return kUsage;
}

}  // namespace

int run(int argc, const char* const* argv) {
  const std::string name = program_name(argc > 0 ? argv[0] : nullptr);
  try {
    return run_as(name, argc, argv);
  } catch (const std::bad_alloc&) {
    say_out_of_memory(name);
    return kOutOfMemory;
  }
}

}  // namespace ziggurat::cli
