// plot: a picture of a stretch of a map, to a file or to the terminal.
#include <map>

#include "base/check.hpp"
#include "cli/command.hpp"
#include "cli/terminal_graphics.hpp"
#include "cli/text_output.hpp"
#include "ziggurat/plot.hpp"

namespace ziggurat::cli {

namespace {

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
                     "Draw on standard output instead: blocks (24-bit colours), sixel, kitty, or "
                     "auto, what the terminal knows")
        ->check(CLI::IsMember({"blocks", "sixel", "kitty", "auto"}))
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
    command->add_flag("--oe", request_.is_oe,
                      "Draw observed over expected: values over their mean at that distance within "
                      "the chromosome");
    command
        ->add_option("--scale", scale_,
                     "Colours go with the logarithm or with the value: log, "
                     "linear [default: log]")
        ->check(CLI::IsMember({"log", "linear"}))
        ->type_name("HOW");
    command
        ->add_option("--low", low_,
                     "Value at the low end [default: the 2nd percentile, or 0; with --oe 1/high]")
        ->type_name("FLOAT");
    command
        ->add_option("--high", high_,
                     "Value at the high end [default: the 99.8th percentile, linear the 98th; with "
                     "--oe the 98th from 1, or 2]")
        ->type_name("FLOAT");
    command
        ->add_option("--colours,--colors", request_.colours,
                     "Colour map: fall, viridis, coolwarm, reds, greys [default: fall; with --oe "
                     "coolwarm]")
        ->check(CLI::IsMember({"fall", "viridis", "coolwarm", "reds", "greys"}))
        ->type_name("NAME");
    command->add_flag("--triangle", request_.is_triangle,
                      "Turn the map so that its diagonal is the base");
    command
        ->add_option("--size", size_,
                     "Longer side of the map in pixels, 16 to 8192; as blocks, in columns "
                     "[default: 800; in the terminal what it shows well]")
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
    const PlotFormat format = this->format();
    if (!terminal_.empty()) request_.side = terminal_side(format);
    if (size_) request_.side = *size_;
    // Fails on a bad name before the map is read.
    TextOutput output(out_, request_.source);
    output.text() = plot_map(request_, format, console);
    console.settle();
    output.finish();
    return 0;
  }

 private:
  [[nodiscard]] PlotFormat format() const {
    if (terminal_ == "auto") return terminal_format();
    if (terminal_ == "blocks") return PlotFormat::blocks;
    if (terminal_ == "sixel") return PlotFormat::sixel;
    if (terminal_ == "kitty") return PlotFormat::kitty;
    return out_.ends_with(".svg") ? PlotFormat::svg : PlotFormat::png;
  }

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
