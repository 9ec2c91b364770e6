// report: a page that shows a whole map.
#include "base/check.hpp"
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
        ->add_option("-o,--out", outputs_.page,
                     "Page, one HTML file [default: the input with suffix .html]")
        ->type_name("FILE");
    command
        ->add_option("--multiqc", outputs_.multiqc,
                     "Leave the main numbers for MultiQC too; the name ends in _mqc.json [default: "
                     "none]")
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
        "Every pixel of every level is read once. Ends with 0 whatever the page says of the map: "
        "what is found wrong is said in notes, and `ziggurat verify` is the check that fails.");
    add_console_options(*command);
    return command;
  }

  void check() const override {
    if (!outputs_.multiqc.empty() && !outputs_.multiqc.ends_with("_mqc.json")) {
      fail(ErrorCode::usage, "--multiqc {}: MultiQC reads files whose names end in _mqc.json",
           outputs_.multiqc);
    }
  }

  int run(Console& console) override {
    write_report(request_, outputs_, console);
    return 0;
  }

 private:
  ReportRequest request_;
  ReportOutputs outputs_;
};

}  // namespace

std::unique_ptr<Command> make_report() { return std::make_unique<Report>(); }

}  // namespace ziggurat::cli
