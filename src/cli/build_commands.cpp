// zoomify, coarsen, assemble and merge: from options to a request, and the report to the user.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "base/check.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "cli/balance_command.hpp"
#include "cli/command.hpp"
#include "cli/report_writer.hpp"
#include "ziggurat/merge.hpp"

namespace ziggurat::cli {

namespace {

class Zoomify : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "zoomify", "Make a multi-resolution file (.mcool) by coarsening a map step by step");
    command->add_option("COOL_URI", base_, "Base map: FILE or FILE::GROUP")
        ->required()
        ->type_name("");
    command
        ->add_option(
            "-r,--resolutions", request_.resolutions,
            "Comma-separated bin sizes in bp: integers, N (1,2,5,10,... times the base), B "
            "(1,2,4,8,...), 5000N, 5000B, 4DN [default: B]")
        ->type_name("LIST");
    command
        ->add_option("-o,--out", request_.output,
                     "Output file [default: the input with suffix .mcool]")
        ->type_name("FILE");
    command
        ->add_option("-i,--base-uri", more_bases_,
                     "Another base map that is taken as it is; repeatable")
        ->type_name("URI")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command->add_flag("--legacy", request_.legacy,
                      "Old layout: zoom levels /0 .. /N, each twice as coarse as the next");
    command->add_flag("--add", request_.add,
                      "Add the levels that a multi-resolution file lacks, and leave those that it "
                      "has as they are; it is replaced as a whole at the last moment");
    add_balancing(*command);
    command
        ->add_option("--report", report_page_,
                     "Make a page of the result too, as `ziggurat report` does [default: none]")
        ->type_name("FILE");
    command->add_flag("--dry-run", dry_run_, "Print what would be done, and do nothing");
    command->add_flag("-f,--force", force_,
                      "Accepted: an existing output is replaced as a whole in any case");
    add_checkpoint(*command);
    add_rules(*command, request_.rules);
    add_settings(*command, request_.settings);
    add_console_options(*command);
    add_perf(*command);
    return command;
  }

  void check() const override {
    check_rules(request_.rules);
    static_cast<void>(balancing());
  }

  [[nodiscard]] bool saves_work() const override {
    return !request_.checkpoint.folder.empty() || state_folder() != nullptr;
  }

  int run(Console& console) override {
    request_.sources = {base_};
    request_.sources.insert(request_.sources.end(), more_bases_.begin(), more_bases_.end());
    if (balance_) request_.balancing = balancing();
    set_checkpoint();
    if (dry_run_) {
      print_plan(plan_zoomify(request_, console));
      return 0;
    }
    BuildReport report = zoomify(request_, console);
    say_built(console, report, console_options());
    if (request_.balancing && !request_.balancing->store) print_weights(outcomes(report));
    if (!report_page_.empty()) {
      std::vector<BalanceOutcome> balanced;
      for (LevelReport& level : report.levels) {
        if (level.balance) balanced.push_back(std::move(*level.balance));
      }
      write_report(
          {.source = report.output, .balanced = std::move(balanced), .spent = console.perf()},
          {.page = report_page_}, console);
    }
    return 0;
  }

 private:
  void add_checkpoint(CLI::App& command) {
    command
        .add_option("--checkpoint", request_.checkpoint.folder,
                    "Folder in which the work survives a kill: the same command goes on from there "
                    "[default: a folder for each job in $ZIGGURAT_STATE_DIR, if that is set]")
        ->type_name("DIR");
    command
        .add_option("--checkpoint-interval", checkpoint_interval_s_,
                    "Seconds between two checkpoints while the base is read [default: 60]")
        ->check(CLI::Range(0.0, 1e6))
        ->type_name("SECONDS");
  }

  // Null: none is set.
  static const char* state_folder() {
    const char* folder = std::getenv("ZIGGURAT_STATE_DIR");
    return folder != nullptr && *folder != '\0' ? folder : nullptr;
  }

  void set_checkpoint() {
    CheckpointSettings& checkpoint = request_.checkpoint;
    if (checkpoint.folder.empty() && state_folder() != nullptr) {
      checkpoint.folder = state_folder();
      checkpoint.is_shared = true;
    }
    checkpoint.interval =
        std::chrono::milliseconds(static_cast<std::int64_t>(1000 * checkpoint_interval_s_));
  }

  void add_balancing(CLI::App& command) {
    command.add_flag("--balance,!--no-balance", balance_,
                     "Balance the levels that were asked for, or the base when none was");
    command
        .add_option("--balance-args", balance_args_,
                    "Options of `ziggurat balance` as one text; RESOLUTION:TEXT adds some for one "
                    "level; repeatable")
        ->type_name("TEXT")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option_function<std::string>(
            "--memory,--mem",
            [this](const std::string& text) { memory_limit_ = parse_bytes(text); },
            "Memory for the pixels of a level that is balanced; what is over it lies in a scratch "
            "file [default: half of what the scheduler or the cgroup allows, else no limit]")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->type_name("SIZE");
    command.add_option("--no-balance-at", not_balanced_, "Levels to leave unbalanced")
        ->type_name("LIST");
    command.add_flag("--keep-weights", keep_weights_,
                     "Keep the weights that the base brought [default: balance it anew]");
    command.add_flag("--allow-square", allow_square_,
                     "Balance maps in square storage as if each cell were a contact");
  }

  [[nodiscard]] ZoomifyBalancing balancing() const {
    ZoomifyBalancing balancing = parse_balance_args(balance_args_);
    balancing.keep_weights = keep_weights_;
    if (balancing.memory_limit == 0) balancing.memory_limit = memory_limit_;
    if (allow_square_) {
      balancing.options.allow_square = true;
      for (auto& [resolution, options] : balancing.of_level) options.allow_square = true;
    }
    if (not_balanced_.empty()) return balancing;
    for (const std::string_view part : split(not_balanced_, ',')) {
      const std::optional<std::int64_t> resolution = parse_int64(trim(part));
      if (!resolution) fail(ErrorCode::usage, "--no-balance-at: '{}' is no resolution", part);
      balancing.left_out.push_back(*resolution);
    }
    return balancing;
  }

  static std::vector<const BalanceOutcome*> outcomes(const BuildReport& report) {
    std::vector<const BalanceOutcome*> outcomes;
    for (const LevelReport& level : report.levels) {
      if (level.balance) outcomes.push_back(&*level.balance);
    }
    return outcomes;
  }

  static void print_plan(const BuildReport& plan) {
    print_levels(plan, true, stdout);
    fmt::print("output {}: at most about {}\n", plan.output, format_bytes(plan.bytes));
    fmt::print("{} processes, memory at most about {}\n", plan.processes,
               format_bytes(plan.memory_bytes));
  }

  ZoomifyRequest request_;
  std::string base_;
  std::vector<std::string> more_bases_;
  double checkpoint_interval_s_ = 60;
  bool balance_ = false;
  std::vector<std::string> balance_args_;
  std::string not_balanced_;
  std::int64_t memory_limit_ = 0;
  bool keep_weights_ = false;
  bool allow_square_ = false;
  std::string report_page_;
  bool dry_run_ = false;
  bool force_ = false;
};

class Coarsen : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command =
        program.add_subcommand("coarsen", "Pool neighbouring bins of a map into a coarser one");
    command->add_option("COOL_URI", request_.source, "Map: FILE or FILE::GROUP")
        ->required()
        ->type_name("");
    command->add_option("-k,--factor", request_.factor, "Bins pooled into one [default: 2]")
        ->type_name("INT");
    command->add_option("-o,--out", request_.output, "Output: FILE or FILE::GROUP")
        ->required()
        ->type_name("URI");
    command->add_flag("-a,--append", request_.append,
                      "Keep the other contents of an existing output file");
    add_rules(*command, request_.rules);
    add_settings(*command, request_.settings);
    add_console_options(*command);
    add_perf(*command);
    return command;
  }

  void check() const override { check_rules(request_.rules); }

  int run(Console& console) override {
    say_built(console, coarsen_map(request_, console), console_options());
    return 0;
  }

 private:
  CoarsenRequest request_;
};

class Assemble : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "assemble", "Gather finished levels of one map into a multi-resolution file");
    command->add_option("OUT", request_.output, "Output file")->required()->type_name("");
    command->add_option("LEVELS", request_.levels, "Levels: FILE or FILE::GROUP each")
        ->required()
        ->type_name("");
    command->add_flag("-f,--force", force_,
                      "Accepted: an existing output is replaced as a whole in any case");
    add_settings(*command, request_.settings);
    add_console_options(*command);
    add_perf(*command);
    return command;
  }

  int run(Console& console) override {
    say_built(console, assemble(request_, console), console_options());
    return 0;
  }

 private:
  AssembleRequest request_;
  bool force_ = false;
};

class Merge : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command =
        program.add_subcommand("merge", "Add up maps with the same bins into one map");
    command->add_option("OUT", request_.output, "Output: FILE or FILE::GROUP")
        ->required()
        ->type_name("");
    command->add_option("IN", request_.sources, "Maps: FILE or FILE::GROUP each")
        ->required()
        ->type_name("");
    command->add_flag("-a,--append", request_.append,
                      "Keep the other contents of an existing output file");
    add_rules(*command, request_.rules);
    add_settings(*command, request_.settings);
    add_console_options(*command);
    return command;
  }

  void check() const override { check_rules(request_.rules); }

  int run(Console& console) override {
    say_built(console, merge(request_, console), console_options());
    return 0;
  }

 private:
  MergeRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_zoomify() { return std::make_unique<Zoomify>(); }
std::unique_ptr<Command> make_coarsen() { return std::make_unique<Coarsen>(); }
std::unique_ptr<Command> make_assemble() { return std::make_unique<Assemble>(); }
std::unique_ptr<Command> make_merge() { return std::make_unique<Merge>(); }

}  // namespace ziggurat::cli
