// cp, mv and ln: maps within and between files.
#include <fmt/format.h>

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

}  // namespace

std::unique_ptr<Command> make_cp() { return std::make_unique<Copy>(); }
std::unique_ptr<Command> make_mv() { return std::make_unique<Move>(); }
std::unique_ptr<Command> make_ln() { return std::make_unique<Link>(); }

}  // namespace ziggurat::cli
