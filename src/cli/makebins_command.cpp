// makebins: the bins of one width that a genome is cut into, as BED.
#include <algorithm>
#include <optional>

#include "base/check.hpp"
#include "cli/command.hpp"
#include "cli/table_text.hpp"
#include "cli/text_output.hpp"
#include "engine/text_file.hpp"
#include "genome/chrom_sizes.hpp"

namespace ziggurat::cli {

namespace {

class MakeBins : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "makebins", "Print bins of one width as BED: chromosome, start, end");
    command
        ->add_option("CHROMSIZES", chrom_sizes_,
                     "File with a chromosome's name and length in bp on each line, a tab between; "
                     "plain or gzip")
        ->required()
        ->type_name("");
    command
        ->add_option("BINSIZE", bin_size_, "Width in bp; the last bin of a chromosome may be less")
        ->required()
        ->check(CLI::PositiveNumber)
        ->type_name("");
    command->add_flag("-H,--header", header_, "Print the names of the columns first");
    command
        ->add_option("-i,--rel-ids", first_id_,
                     "Add a column that numbers the bins of each chromosome, from 0 or from 1")
        ->check(CLI::IsMember({0, 1}))
        ->type_name("0|1");
    command->add_option("-o,--out", out_, "Output file [default: standard output]")
        ->type_name("FILE");
    add_console_options(*command);
    return command;
  }

  int run(Console&) override {
    const std::vector<genome::Chromosome> chromosomes =
        genome::parse_chrom_sizes(engine::read_text_file(chrom_sizes_), chrom_sizes_);
    TextOutput output(out_, chrom_sizes_);
    if (header_) output.text() += first_id_ ? "chrom\tstart\tend\tid\n" : "chrom\tstart\tend\n";
    for (const genome::Chromosome& chromosome : chromosomes) write(chromosome, output);
    output.finish();
    return 0;
  }

 private:
  void write(const genome::Chromosome& chromosome, TextOutput& output) const {
    const std::string name = csv_field(chromosome.name);
    std::int64_t id = first_id_.value_or(0);
    for (std::int64_t start = 0; start < chromosome.length;) {
      const std::int64_t end = start + std::min(bin_size_, chromosome.length - start);
      std::string& text = output.text();
      text += name;
      text += '\t';
      append_integer(text, start);
      text += '\t';
      append_integer(text, end);
      if (first_id_) {
        text += '\t';
        append_integer(text, id++);
      }
      text += '\n';
      output.flush_if_full();
      start = end;
    }
  }

  std::string chrom_sizes_;
  std::int64_t bin_size_ = 0;
  bool header_ = false;
  std::optional<int> first_id_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_makebins() { return std::make_unique<MakeBins>(); }

}  // namespace ziggurat::cli
