// report: a page that shows a whole map.
#include "cli/command.hpp"
#include "cli/report_writer.hpp"

namespace ziggurat::cli {

namespace {

class Report : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "report", "Make a page that shows a whole map: numbers and pictures");
    command->add_option("FILE", request_.source, "FILE with the levels of one map, or FILE::GROUP")
        ->required()
        ->type_name("");
    command
        ->add_option("-o,--out", out_, "Page, one HTML file [default: the input with suffix .html]")
        ->type_name("FILE");
    command
        ->add_option("--weight-name", request_.weights,
                     "Column of the bins to balance with [default: weight, or another known one]")
        ->type_name("NAME");
    command
        ->add_option("--colours,--colors", request_.colours,
                     "Colour map: fall, viridis, coolwarm, reds, greys [default: fall]")
        ->check(CLI::IsMember({"fall", "viridis", "coolwarm", "reds", "greys"}))
        ->type_name("NAME");
    command->footer(
        "Every pixel of every level is read once. Ends with 0 whatever the page says of the map.");
    add_console_options(*command);
    return command;
  }

  int run(Console& console) override {
    write_report(request_, out_, console);
    return 0;
  }

 private:
  ReportRequest request_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<Report>(); }

}  // namespace ziggurat::cli
