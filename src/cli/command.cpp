#include "cli/command.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "base/units.hpp"
#include "cli/config_file.hpp"
#include "cli/json.hpp"

namespace ziggurat::cli {

namespace {

void print_levels_as_json(const BuildReport& report) {
  for (const LevelReport& level : report.levels) {
    fmt::print(stderr,
               "{{\"level\":{},\"group\":{},\"bins\":{},\"pixels\":{},\"bytes\":{},\"sum\":{},"
               "\"from_checkpoint\":{},\"weights_from_checkpoint\":{}}}\n",
               level.resolution, json_text(level.group), level.n_bins, level.n_pixels, level.bytes,
               level.sum.empty() ? "null" : level.sum, level.from_checkpoint,
               level.weights_from_checkpoint);
  }
  fmt::print(stderr, "{{\"wrote\":{},\"bytes\":{},\"pixels_read\":{}}}\n", json_text(report.output),
             report.bytes, report.pixels_read);
}

}  // namespace

void Command::add_console_options(CLI::App& command) {
  command.add_flag("-q,--quiet", console_.quiet, "Say nothing but what went wrong");
  const std::map<std::string, ProgressMode> modes{{"auto", ProgressMode::automatic},
                                                  {"plain", ProgressMode::plain},
                                                  {"json", ProgressMode::json},
                                                  {"none", ProgressMode::none}};
  command
      .add_option("--progress", console_.progress,
                  "How to show progress: auto (one redrawn line on a terminal, else plain), plain, "
                  "json, none [default: auto]")
      ->transform(one_of(modes))
      ->type_name("auto|plain|json|none");
  add_config_options(command, config_file_, prints_config_);
}

void Command::add_perf(CLI::App& command) {
  command.add_flag("--perf", console_.perf,
                   "Say at the end where the time went: for every process and stage, seconds busy "
                   "and waiting, pixels and bytes; with --progress json as one JSON object");
}

void add_processes(CLI::App& command, Settings& settings) {
  command
      .add_option("-n,-p,--nproc", settings.processes,
                  "Reader processes, and threads that compute [default: what the scheduler, the "
                  "affinity mask and the cgroup allow]")
      ->check(CLI::PositiveNumber)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("INT");
  command
      .add_option_function<std::string>(
          "--slot-size",
          [&settings](const std::string& text) {
            settings.slot_bytes = static_cast<std::uint64_t>(parse_bytes(text));
          },
          "Bytes of each of a reader's shared buffers [default: 1 MiB]")
      ->type_name("SIZE")
      ->group("");
}

void add_temporary_folder(CLI::App& command, std::string& folder, const std::string& help) {
  const auto named_by_the_system = [](std::string& given) {
    if (given != "-") return std::string();
    const char* folder_of_the_system = std::getenv("TMPDIR");
    given = folder_of_the_system == nullptr ? "/tmp" : folder_of_the_system;
    return std::string();
  };
  command.add_option("--tmpdir", folder, help)
      ->transform(CLI::Validator(named_by_the_system, ""))
      ->envname("ZIGGURAT_TMPDIR")
      ->type_name("DIR");
}

void add_settings(CLI::App& command, Settings& settings) {
  add_processes(command, settings);
  // Taken for the sake of existing command lines; spans are cut by the data and not by an option.
  static std::int64_t ignored_chunksize = 0;
  command
      .add_option("-c,--chunksize", ignored_chunksize,
                  "Accepted for compatibility; it has no influence")
      ->type_name("INT");
  add_temporary_folder(command, settings.temporary_folder,
                       "Folder for finished levels until they are gathered; - is $TMPDIR "
                       "[default: $ZIGGURAT_TMPDIR, else beside the output]");
  command
      .add_option("--compression-level", settings.compression_level,
                  "1 (fastest) to 9 (smallest) [default: 6]")
      ->check(CLI::Range(1, 9))
      ->type_name("INT");
}

void add_pixel_rules(CLI::App& command, SourceRules& rules) {
  const std::map<std::string, Duplicates> duplicates{{"refuse", Duplicates::refuse},
                                                     {"sum", Duplicates::sum}};
  command
      .add_option("--duplicates", rules.duplicates,
                  "A pixel given more than once: refuse the source, or sum the values in every "
                  "level [default: refuse]")
      ->transform(one_of(duplicates))
      ->type_name("refuse|sum");
  const std::map<std::string, NotFinite> nan{{"refuse", NotFinite::refuse},
                                             {"skip", NotFinite::skip}};
  command
      .add_option("--nan", rules.not_finite,
                  "A count that is no finite number: refuse the source, or skip it in sums "
                  "[default: refuse]")
      ->transform(one_of(nan))
      ->type_name("refuse|skip");
}

void add_rules(CLI::App& command, SourceRules& rules) {
  command
      .add_option(
          "--field", rules.fields,
          "Value column to carry, NAME or NAME:dtype=TYPE,agg=FUNCTION; repeatable [default: "
          "count]")
      ->type_name("SPEC")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_pixel_rules(command, rules);
}

void print_levels(const BuildReport& report, bool planned, std::FILE* stream) {
  const char* const at_most = planned ? "<= " : "";
  fmt::print(stream, "{:>12}  {:>12}  {:>16}  {:>10}  {:>8}  {}\n", "resolution", "bins", "pixels",
             "stored", "type", "from");
  for (const LevelReport& level : report.levels) {
    const std::string pixels = fmt::format("{}{}", level.factor > 1 ? at_most : "", level.n_pixels);
    const std::string from =
        level.factor > 1 ? fmt::format("{} x {}", level.made_from, level.factor) : level.made_from;
    fmt::print(stream, "{:>12}  {:>12}  {:>16}  {:>10}  {:>8}  {}\n", level.resolution,
               level.n_bins, pixels, format_bytes(level.bytes), level.count_type, from);
  }
}

void say_built(Console& console, const BuildReport& report, const ConsoleOptions& options) {
  console.settle();
  if (options.quiet) return;
  if (options.progress == ProgressMode::json) return print_levels_as_json(report);
  print_levels(report, false, stderr);
  fmt::print(stderr, "wrote {} ({})\n", report.output, format_bytes(report.bytes));
}

}  // namespace ziggurat::cli
