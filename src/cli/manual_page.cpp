#include "cli/manual_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/options_of.hpp"
#include "ziggurat/version.hpp"

namespace ziggurat::cli {

namespace {

// Hyphens that are to be typed, backslashes, and lines that would be taken for requests.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string option_entry(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : spellings(option)) names.push_back("\\fB" + roff(name) + "\\fR");
  std::string head = fmt::format("{}", fmt::join(names, ", "));
  if (is_positional(option)) head = "\\fI" + roff(option.get_name()) + "\\fR";
  if (!is_flag(option) && !is_positional(option)) {
    head += " \\fI" + roff(option.get_type_name()) + "\\fR";
  }
  return fmt::format(".TP\n{}\n{}\n", head, roff(option.get_description()));
}

std::string synopsis(const CLI::App& program, const CLI::App& command) {
  if (&program == &command)
    return fmt::format(".B {}\n.I COMMAND\n[options]\n", program.get_name());
  std::string text = fmt::format(".B {} {}\n[options]", program.get_name(), command.get_name());
  for (const CLI::Option* option : shown_options(command)) {
    if (is_positional(*option)) text += fmt::format("\n.I {}", roff(option->get_name()));
  }
  return text + "\n";
}

std::string body(const CLI::App& program, const CLI::App& command) {
  std::string text;
  if (&program == &command) {
    text += ".SH COMMANDS\n";
    for (const CLI::App* one : shown_commands(program)) {
      text +=
          fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(one->get_name()), roff(one->get_description()));
    }
  }
  text += ".SH OPTIONS\n";
  for (const CLI::Option* option : shown_options(command)) text += option_entry(*option);
  return text;
}

constexpr const char* kExitStatus = R"(.SH EXIT STATUS
.TP
0
done
.TP
1
failed; one line on standard error says what, on which object and why
.TP
2
the command line makes no sense
.TP
75
not possible now, trying again later may work
.TP
128 + N
ended by signal N
)";

}  // namespace

std::string manual_page(const CLI::App& program, const CLI::App& command) {
  const std::string name =
      &program == &command ? program.get_name() : program.get_name() + "-" + command.get_name();
  return fmt::format(
      ".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}{}{}",
      upper(roff(name)), program.get_name(), ZIGGURAT_VERSION, roff(name),
      roff(command.get_description()), synopsis(program, command), body(program, command),
      kExitStatus);
}

}  // namespace ziggurat::cli
