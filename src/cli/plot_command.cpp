// plot: a picture of a stretch of a map, to a file or to the terminal.
#include <sys/ioctl.h>
#include <unistd.h>

#include <map>

#include "base/check.hpp"
#include "cli/command.hpp"
#include "cli/text_output.hpp"
#include "ziggurat/plot.hpp"

namespace ziggurat::cli {

namespace {

std::int64_t terminal_columns() {
  constexpr std::int64_t kUsual = 80;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

class PlotCommand : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command =
        program.add_subcommand("plot", "Draw a stretch of a map as PNG, SVG or in the terminal");
    command
        ->add_option("URI", request_.source,
                     "FILE, of which the level that fits the size is drawn, or FILE::GROUP")
        ->required()
        ->type_name("");
    command
        ->add_option("REGION", request_.region,
                     "CHROM or CHROM:START-END, from 0 in bp (chr1:10M-20M)")
        ->required()
        ->type_name("");
    command->add_option("-o,--out", out_, "Picture; its suffix says what it is: .png or .svg")
        ->type_name("FILE");
    command
        ->add_option("--terminal", terminal_,
                     "Draw on standard output instead: blocks, for a terminal with 24-bit colours")
        ->check(CLI::IsMember({"blocks"}))
        ->type_name("HOW");
    command
        ->add_option("--range2", request_.columns,
                     "Region along the horizontal axis, also spelled -r2 [default: the same]")
        ->type_name("REGION");
    command->add_flag("-b,--balanced", balanced_, "Draw balanced values");
    command
        ->add_option("--weight-name", request_.weights,
                     "Column of the bins to balance with; means --balanced [default: weight]")
        ->type_name("NAME");
    command
        ->add_option("--scale", scale_,
                     "Colours go with the logarithm or with the value: log, "
                     "linear [default: log]")
        ->check(CLI::IsMember({"log", "linear"}))
        ->type_name("HOW");
    command->add_option("--low", low_, "Value at the low end [default: the 2nd percentile, or 0]")
        ->type_name("FLOAT");
    command
        ->add_option("--high", high_,
                     "Value at the high end [default: the 99.8th percentile, linear the 98th]")
        ->type_name("FLOAT");
    command
        ->add_option("--colours,--colors", request_.colours,
                     "Colour map: fall, viridis, coolwarm, reds, greys [default: fall]")
        ->check(CLI::IsMember({"fall", "viridis", "coolwarm", "reds", "greys"}))
        ->type_name("NAME");
    command->add_flag("--triangle", request_.is_triangle,
                      "Turn the map so that its diagonal is the base");
    command
        ->add_option("--size", size_,
                     "Longer side of the map in pixels, 16 to 8192; in the terminal, in columns "
                     "[default: 800; its width]")
        ->type_name("INT");
    add_console_options(*command);
    return command;
  }

  [[nodiscard]] Spellings spellings() const override { return {{"-r2", "--range2"}}; }

  void check() const override {
    if (out_.empty() == terminal_.empty()) fail(ErrorCode::usage, "name a file with --out");
    if (terminal_.empty() && !out_.ends_with(".png") && !out_.ends_with(".svg")) {
      fail(ErrorCode::usage, "--out {}: a plot ends in .png or .svg", out_);
    }
  }

  int run(Console& console) override {
    if (balanced_ && request_.weights.empty()) request_.weights = "weight";
    request_.is_log = scale_ == "log";
    request_.low = low_;
    request_.high = high_;
    const bool in_terminal = !terminal_.empty();
    request_.side = size_ ? *size_ : in_terminal ? terminal_columns() : request_.side;
    const PlotFormat format = in_terminal              ? PlotFormat::blocks
                              : out_.ends_with(".svg") ? PlotFormat::svg
                                                       : PlotFormat::png;
    // Fails on a bad name before the map is read.
    TextOutput output(out_);
    output.text() = plot_map(request_, format, console);
    console.settle();
    output.finish();
    return 0;
  }

 private:
  PlotRequest request_;
  std::string out_;
  std::string terminal_;
  std::string scale_ = "log";
  bool balanced_ = false;
  std::optional<double> low_;
  std::optional<double> high_;
  std::optional<std::int64_t> size_;
};

}  // namespace

std::unique_ptr<Command> make_plot() { return std::make_unique<PlotCommand>(); }

}  // namespace ziggurat::cli
