#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options_of.hpp"

namespace ziggurat::cli {

namespace {

// One line, without what would end a single-quoted word or a bracketed description.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '`' || c == '\n') continue;
    if (c == '[') {
      out += '(';
    } else if (c == ']') {
      out += ')';
    } else {
      out += c;
    }
  }
  return out;
}

std::string bash_values(const CLI::App& command) {
  std::string cases;
  for (const CLI::Option* option : shown_options(command)) {
    if (is_flag(*option) || is_positional(*option)) continue;
    const std::vector<std::string> words = choices(*option);
    const std::string what = !words.empty()        ? fmt::format("-W '{}'", fmt::join(words, " "))
                             : takes_path(*option) ? "-f"
                                                   : "";
    const std::string reply =
        what.empty() ? "return"
                     : fmt::format("COMPREPLY=($(compgen {} -- \"$word\")); return", what);
    cases += fmt::format("        {}) {} ;;\n", fmt::join(spellings(*option), "|"), reply);
  }
  return cases;
}

std::string bash_script(const CLI::App& program) {
  std::vector<std::string> commands;
  std::string cases;
  for (const CLI::App* command : shown_commands(program)) {
    commands.push_back(command->get_name());
    std::vector<std::string> words;
    for (const CLI::Option* option : shown_options(*command)) {
      for (const std::string& word : spellings(*option)) words.push_back(word);
    }
    cases += fmt::format("    {})\n      case $before in\n{}      esac\n      options='{}' ;;\n",
                         command->get_name(), bash_values(*command), fmt::join(words, " "));
  }
  return fmt::format(R"(_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{1} --help --version' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{2}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _{0} {0}
)",
                     program.get_name(), fmt::join(commands, " "), cases);
}

std::string zsh_option(const CLI::Option& option) {
  const std::vector<std::string> names = spellings(option);
  const std::string list =
      names.size() == 1 ? names.front() : fmt::format("{{{}}}", fmt::join(names, ","));
  std::string value;
  if (!is_flag(option)) {
    const std::vector<std::string> words = choices(option);
    const std::string action = !words.empty()       ? fmt::format("({})", fmt::join(words, " "))
                               : takes_path(option) ? "_files"
                                                    : " ";
    value = fmt::format(":{}:{}", plain(option.get_type_name()), action);
  }
  // Colons end the description, unless escaped.
  std::string help = plain(option.get_description());
  for (std::size_t at = 0; (at = help.find(':', at)) != std::string::npos; at += 2) {
    help.insert(at, "\\");
  }
  return fmt::format("'*'{}'[{}]{}'", list, help, value);
}

std::string zsh_script(const CLI::App& program) {
  std::string names;
  std::string cases;
  for (const CLI::App* command : shown_commands(program)) {
    names += fmt::format("    '{}:{}'\n", command->get_name(), plain(command->get_description()));
    cases += fmt::format("    {})\n      _arguments \\\n", command->get_name());
    for (const CLI::Option* option : shown_options(*command)) {
      if (!is_positional(*option)) cases += fmt::format("        {} \\\n", zsh_option(*option));
    }
    cases += "        '*:file:_files' ;;\n";
  }
  return fmt::format(R"(#compdef {0}
_{0}() {{
  local -a commands
  commands=(
{1}  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{2}  esac
}}
compdef _{0} {0}
)",
                     program.get_name(), names, cases);
}

std::string fish_option(const std::string& program, const std::string& command,
                        const CLI::Option& option) {
  std::string line =
      fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", program, command);
  for (const std::string& name : option.get_snames()) line += " -s " + name;
  for (const std::string& name : option.get_lnames()) line += " -l " + name;
  if (!is_flag(option)) {
    const std::vector<std::string> words = choices(option);
    line += takes_path(option) ? " -r -F" : " -x";
    if (!words.empty()) line += fmt::format(" -a '{}'", fmt::join(words, " "));
  }
  return fmt::format("{} -d '{}'\n", line, plain(option.get_description()));
}

std::string fish_script(const CLI::App& program) {
  std::string script;
  for (const CLI::App* command : shown_commands(program)) {
    script +=
        fmt::format("complete -c {} -n __fish_use_subcommand -f -a {} -d '{}'\n",
                    program.get_name(), command->get_name(), plain(command->get_description()));
    for (const CLI::Option* option : shown_options(*command)) {
      if (is_positional(*option)) continue;
      script += fish_option(program.get_name(), command->get_name(), *option);
    }
  }
  return script;
}

}  // namespace

std::string completion_script(const CLI::App& program, Shell shell) {
  switch (shell) {
    case Shell::bash:
      return bash_script(program);
    case Shell::zsh:
      return zsh_script(program);
    case Shell::fish:
      return fish_script(program);
  }
  return "";
}

}  // namespace ziggurat::cli
