// cload and load: from contacts as text to a map of one resolution.
#include <fmt/format.h>

#include "base/check.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/py_value.hpp"
#include "engine/text_file.hpp"
#include "ziggurat/load.hpp"

namespace ziggurat::cli {

namespace {

class LoadBase : public Command {
 public:
  void check() const override { check_load(request_); }

  int run(Console& console) override {
    request_.settings.temporary_folder = temporary_folder_;
    if (!metadata_.empty()) request_.metadata = read_metadata(metadata_);
    if (no_symmetric_upper_) request_.symmetric = false;
    const LoadReport report = load_contacts(request_, console);
    say_built(console, report.map, console_options());
    return 0;
  }

 protected:
  void add_common(CLI::App& command) {
    command.add_option("--metadata", metadata_, "JSON file to store with the map")
        ->type_name("FILE");
    command.add_option("--assembly", request_.assembly, "Name of the genome [default: unknown]")
        ->type_name("NAME");
    command
        .add_option("--comment-char", request_.comment,
                    "Lines that begin so are passed over [default: #]")
        ->type_name("CHAR");
    command.add_flag("-N,--no-symmetric-upper", no_symmetric_upper_,
                     "Make a square map, in which (a, b) and (b, a) are two pixels");
    const std::map<std::string, CopyStatus> copies{{"unique", CopyStatus::unique},
                                                   {"duplex", CopyStatus::duplex}};
    command
        .add_option("--input-copy-status", request_.copies,
                    "Whether the input lists each contact once, in any order, or its mirror image "
                    "too, which is then left out [default: unique]")
        ->transform(one_of(copies))
        ->type_name("unique|duplex");
    const std::map<std::string, Misplaced> policies{{"drop", Misplaced::drop},
                                                    {"refuse", Misplaced::refuse}};
    command
        .add_option("--unknown-chroms", request_.unknown_chromosomes,
                    "Contacts of chromosomes that the bins have not: drop and count them, or "
                    "refuse the input [default: drop]")
        ->transform(one_of(policies))
        ->type_name("drop|refuse");
    command
        .add_option("--out-of-range", request_.out_of_range,
                    "Contacts beyond the end of a chromosome or outside of the bins: drop and "
                    "count them, or refuse the input [default: refuse]")
        ->transform(one_of(policies))
        ->type_name("drop|refuse");
    command.add_flag("-a,--append", request_.append,
                     "Keep the other contents of an existing output file");
    command
        .add_option_function<std::string>(
            "--memory,--mem",
            [this](const std::string& text) { request_.memory_limit = parse_bytes(text); },
            "Memory for contacts; more are sorted on disk [default: 512 MiB, or a quarter of what "
            "the scheduler or the cgroup allows if that is less]")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->type_name("SIZE");
    add_temporary_folder(command, temporary_folder_,
                         "Folder for contacts that memory does not hold; - is $TMPDIR [default: "
                         "$ZIGGURAT_TMPDIR, else beside the output]");
    add_processes(command, request_.settings);
    command
        .add_option("--compression-level", request_.settings.compression_level,
                    "1 (fastest) to 9 (smallest) [default: 6]")
        ->check(CLI::Range(1, 9))
        ->type_name("INT");
    add_ignored(command);
    add_console_options(command);
  }

  void add_fields(CLI::App& command, const std::string& help) {
    command.add_option("--field", request_.fields, help)
        ->type_name("SPEC")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  LoadRequest request_;

 private:
  // Taken for the sake of existing command lines.
  static void add_ignored(CLI::App& command) {
    static std::string ignored;
    command
        .add_option("-c,--chunksize", ignored, "Accepted for compatibility; it has no influence")
        ->type_name("INT");
    for (const char* name : {"--mergebuf", "--max-merge", "--storage-options"}) {
      command.add_option(name, ignored)->group("");
    }
    static bool ignored_flag = false;
    command.add_flag("--no-delete-temp", ignored_flag)->group("");
  }

  static std::string read_metadata(const std::string& path) {
    std::string text = engine::read_text_file(path);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
      text.pop_back();
    }
    if (!parse_json(text)) fail(ErrorCode::usage, "--metadata {}: it is no JSON", path);
    return text;
  }

  std::string temporary_folder_;
  std::string metadata_;
  bool no_symmetric_upper_ = false;
};

void add_places(CLI::App& command, LoadRequest& request, const char* input, const char* help) {
  command
      .add_option("BINS", request.bins,
                  "CHROMSIZES:WIDTH (a file with names and lengths, and a width in bp), or a BED "
                  "file of bins")
      ->required()
      ->type_name("");
  command.add_option(input, request.source, help)->required()->type_name("");
  command.add_option("COOL_URI", request.output, "Output: FILE or FILE::GROUP")
      ->required()
      ->type_name("");
}

class CLoad : public LoadBase {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "cload", "Bin contacts: a map from lines that each name two positions, in any order");
    command
        ->add_option("METHOD", method_,
                     "pairs: text with tabs, plain or gzip, such as .pairs; pairix is the same")
        ->required()
        ->check(CLI::IsMember({"pairs", "pairix"}))
        ->type_name("");
    add_places(*command, request_, "PAIRS", "Text file with contacts; - is standard input");
    constexpr std::array<const char*, 4> kNames{"chrom1", "pos1", "chrom2", "pos2"};
    for (std::size_t c = 0; c < kNames.size(); ++c) {
      const std::string name = kNames[c];
      command
          ->add_option("--" + name, request_.columns[c],
                       fmt::format("Column of {}, from 1; also -{}{} [default: {}]", name, name[0],
                                   name.back(), c + 2))
          ->type_name("INT");
    }
    command->add_flag("-0,--zero-based", zero_based_,
                      "Positions are counted from 0 and not from 1");
    add_fields(*command,
               "Value column, NAME=COLUMN or NAME=COLUMN:dtype=TYPE,agg=FUNCTION; repeatable "
               "[default: count, the number of contacts]");
    add_common(*command);
    return command;
  }

  [[nodiscard]] Spellings spellings() const override {
    return {{"-c1", "--chrom1"}, {"-p1", "--pos1"}, {"-c2", "--chrom2"}, {"-p2", "--pos2"}};
  }

  int run(Console& console) override {
    request_.one_based = !zero_based_;
    return LoadBase::run(console);
  }

 private:
  std::string method_;
  bool zero_based_ = false;
};

class Load : public LoadBase {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command =
        program.add_subcommand("load", "Make a map from the text of its pixels, in any order");
    add_places(*command, request_, "PIXELS",
               "Text file with pixels, plain or gzip; - is standard input");
    const std::map<std::string, ContactFormat> formats{{"bg2", ContactFormat::bg2},
                                                       {"coo", ContactFormat::coo}};
    command
        ->add_option("-f,--format", request_.format,
                     "bg2: chromosome, start, end, chromosome, start, end, count; coo: bin, bin, "
                     "count")
        ->required()
        ->transform(one_of(formats))
        ->type_name("bg2|coo");
    add_fields(*command,
               "Value column, NAME=COLUMN or NAME=COLUMN:dtype=TYPE; repeatable [default: count]");
    command->add_flag("--count-as-float", request_.count_as_float,
                      "Store the column count as float64 [default: int32]");
    command->add_flag("--one-based", one_based_, "Bins, or starts, are counted from 1");
    const std::map<std::string, Duplicates> duplicates{{"refuse", Duplicates::refuse},
                                                       {"sum", Duplicates::sum}};
    command
        ->add_option("--duplicates", request_.duplicates,
                     "A pixel given more than once: refuse the input, or sum the values [default: "
                     "refuse]")
        ->transform(one_of(duplicates))
        ->type_name("refuse|sum");
    add_common(*command);
    return command;
  }

  int run(Console& console) override {
    request_.one_based = one_based_;
    return LoadBase::run(console);
  }

 private:
  bool one_based_ = false;
};

}  // namespace

std::unique_ptr<Command> make_cload() { return std::make_unique<CLoad>(); }
std::unique_ptr<Command> make_load() { return std::make_unique<Load>(); }

}  // namespace ziggurat::cli
