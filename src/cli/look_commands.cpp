// verify, ls and info: commands that only look.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/json.hpp"
#include "ziggurat/inspect.hpp"
#include "ziggurat/verify.hpp"

namespace ziggurat::cli {

namespace {

class Verify : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "verify", "Prove that a file is sound: structure, every pixel, level against level");
    command->add_option("FILE", request_.target, "FILE with one or more maps, or FILE::GROUP")
        ->required()
        ->type_name("");
    add_settings(*command, request_.settings);
    add_console_options(*command);
    return command;
  }

  int run(Console& console) override {
    const VerifyReport report = verify(request_, console);
    console.settle();
    if (!console_options().quiet) print_table(report);
    for (const std::string& fault : report.faults) fmt::print("FAULT {}\n", fault);
    for (const LevelVerdict& level : report.levels) {
      for (const std::string& fault : level.faults) fmt::print("FAULT {}\n", fault);
    }
    if (report.sound()) {
      if (!console_options().quiet) fmt::print("{} is sound\n", request_.target);
      return 0;
    }
    std::fflush(stdout);
    fmt::print(stderr, "ziggurat verify: {} is not sound: {}\n", request_.target,
               first_fault(report));
    return 1;
  }

 private:
  static void print_table(const VerifyReport& report) {
    fmt::print("{:>12}  {:>12}  {:>14}  {:>18}  {:<8}  {}\n", "resolution", "bins", "pixels", "sum",
               "verdict", "compared with");
    for (const LevelVerdict& level : report.levels) {
      fmt::print("{:>12}  {:>12}  {:>14}  {:>18}  {:<8}  {}\n", level.resolution, level.n_bins,
                 level.n_pixels, level.sum, level.faults.empty() ? "sound" : "FAULT",
                 level.compared_with.empty() ? "-" : level.compared_with);
    }
  }

  static std::string first_fault(const VerifyReport& report) {
    if (!report.faults.empty()) return report.faults.front();
    for (const LevelVerdict& level : report.levels) {
      if (!level.faults.empty()) return level.faults.front();
    }
    return "";
  }

  VerifyRequest request_;
};

class Ls : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("ls", "List the maps in a file, one URI a line");
    command->add_option("FILE", file_, "File")->required()->type_name("");
    add_console_options(*command);
    return command;
  }

  int run(Console&) override {
    for (const std::string& group : list_maps(file_)) fmt::print("{}::{}\n", file_, group);
    return 0;
  }

 private:
  std::string file_;
};

class Info : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("info", "Print the attributes of a map as JSON");
    command->add_option("COOL_URI", uri_, "Map: FILE or FILE::GROUP")->required()->type_name("");
    add_console_options(*command);
    return command;
  }

  int run(Console&) override {
    std::vector<MapAttribute> attributes = map_attributes(uri_);
    std::erase_if(attributes, [](const MapAttribute& a) { return a.name == "metadata"; });
    fmt::print("{{\n");
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      const MapAttribute& attribute = attributes[i];
      const bool null_size = attribute.name == "bin-size" && attribute.text == "null";
      fmt::print("    {}: {}{}\n", json_text(attribute.name),
                 attribute.is_number || null_size ? attribute.text : json_text(attribute.text),
                 i + 1 < attributes.size() ? "," : "");
    }
    fmt::print("}}\n");
    return 0;
  }

 private:
  std::string uri_;
};

}  // namespace

std::unique_ptr<Command> make_verify() { return std::make_unique<Verify>(); }
std::unique_ptr<Command> make_ls() { return std::make_unique<Ls>(); }
std::unique_ptr<Command> make_info() { return std::make_unique<Info>(); }

}  // namespace ziggurat::cli
