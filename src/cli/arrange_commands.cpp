// cp, mv, ln and rename-chroms: what maps are called, and where they are.
#include <fmt/format.h>

#include "base/check.hpp"
#include "cli/command.hpp"
#include "ziggurat/arrange.hpp"

namespace ziggurat::cli {

namespace {

void add_uris(CLI::App& command, std::string& source, std::string& target) {
  command.add_option("SRC_URI", source, "Map: FILE or FILE::GROUP")->required()->type_name("");
  command.add_option("DST_URI", target, "Its place: FILE or FILE::GROUP")
      ->required()
      ->type_name("");
}

class Copy : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command =
        program.add_subcommand("cp", "Copy a map to another file, or within its file");
    add_uris(*command, request_.source, request_.output);
    command->add_flag("-w,--overwrite", request_.overwrite,
                      "Replace an existing output file as a whole [default: add to it]");
    add_pixel_rules(*command, request_.rules);
    add_settings(*command, request_.settings);
    add_console_options(*command);
    return command;
  }

  int run(Console& console) override {
    copy_map(request_, console);
    console.settle();
    return 0;
  }

 private:
  CopyRequest request_;
};

class Move : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("mv", "Give a map another name in its file");
    add_uris(*command, request_.source, request_.target);
    command->add_flag("-w,--overwrite", request_.overwrite, "A map that bears the name goes");
    add_console_options(*command);
    return command;
  }

  int run(Console&) override {
    request_.placing = Placing::move;
    place_map(request_);
    return 0;
  }

 private:
  PlaceRequest request_;
};

class Link : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand("ln", "Give a map a second name in its file");
    add_uris(*command, request_.source, request_.target);
    command->add_flag("-w,--overwrite", request_.overwrite, "A map that bears the name goes");
    command->add_flag("-s,--soft", soft_,
                      "A name that stands for the first name [default: for the map itself]");
    add_console_options(*command);
    return command;
  }

  int run(Console&) override {
    request_.placing = soft_ ? Placing::soft_link : Placing::hard_link;
    place_map(request_);
    return 0;
  }

 private:
  PlaceRequest request_;
  bool soft_ = false;
};

class RenameChroms : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "rename-chroms", "Give chromosomes other names, in a map or in all maps of a file");
    command->add_option("FILE", request_.target, "Map: FILE or FILE::GROUP; FILE: all of its maps")
        ->required()
        ->type_name("");
    command->add_option("-m,--map", pairs_, "A chromosome and its new name; again for more of them")
        ->type_name("OLD=NEW")
        ->allow_extra_args(false);
    command
        ->add_option("-f,--file", request_.names_file,
                     "Table of them: on each line the old and the new name, a tab between")
        ->type_name("FILE");
    add_console_options(*command);
    return command;
  }

  void check() const override {
    if (pairs_.empty() && request_.names_file.empty()) {
      fail(ErrorCode::usage, "which names? --map OLD=NEW or --file FILE");
    }
    for (const std::string& pair : pairs_) {
      if (pair.find('=') == std::string::npos) {
        fail(ErrorCode::usage, "--map {}: OLD=NEW is expected", pair);
      }
    }
  }

  int run(Console& console) override {
    for (const std::string& pair : pairs_) {
      const std::size_t sign = pair.find('=');
      request_.names.emplace_back(pair.substr(0, sign), pair.substr(sign + 1));
    }
    rename_chroms(request_, console);
    console.settle();
    return 0;
  }

 private:
  std::vector<std::string> pairs_;
  RenameRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_cp() { return std::make_unique<Copy>(); }
std::unique_ptr<Command> make_mv() { return std::make_unique<Move>(); }
std::unique_ptr<Command> make_ln() { return std::make_unique<Link>(); }
std::unique_ptr<Command> make_rename_chroms() { return std::make_unique<RenameChroms>(); }

}  // namespace ziggurat::cli
