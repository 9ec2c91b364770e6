#include "cli/balance_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "base/check.hpp"
#include "base/strings.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/report_writer.hpp"
#include "cli/shell_words.hpp"
#include "genome/uri.hpp"

namespace ziggurat::cli {

namespace {

// Given again, an option's last value counts, as wrappers that append to a command line expect.
template <typename Value>
CLI::Option* add(CLI::App& command, const std::string& names, Value& value, const char* type,
                 const std::string& help) {
  return command.add_option(names, value, help)
      ->type_name(type)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

template <typename Enum>
void add_choice(CLI::App& command, const std::string& name, Enum& value,
                const std::map<std::string, Enum>& choices, const char* type,
                const std::string& help) {
  add(command, name, value, type, help)->transform(one_of(choices));
}

const std::map<std::string, BalanceMethod> kMethods{
    {"ice", BalanceMethod::ice}, {"vc", BalanceMethod::vc}, {"vc_sqrt", BalanceMethod::vc_sqrt}};
const std::map<std::string, BalanceIteration> kIterations{{"plain", BalanceIteration::plain},
                                                          {"anderson", BalanceIteration::anderson}};
const std::map<std::string, ConvergencePolicy> kPolicies{
    {"store_final", ConvergencePolicy::store_final},
    {"store_nan", ConvergencePolicy::store_nan},
    {"discard", ConvergencePolicy::discard},
    {"error", ConvergencePolicy::error}};

}  // namespace

void BalanceFlags::declare(CLI::App& command) {
  declare_filters(command);
  declare_iteration(command);
  declare_result(command);
  declare_means(command);
}

void BalanceFlags::declare_filters(CLI::App& command) {
  BalanceOptions& options = given_.options;
  CLI::Option* cis =
      command.add_flag("--cis-only", cis_only_, "Each chromosome by itself, contacts within only");
  command.add_flag("--trans-only", trans_only_, "Contacts between chromosomes only")->excludes(cis);
  ignore_diags_ = add(command, "--ignore-diags", options.ignore_diags, "INT",
                      "Diagonals left out, the main one first; 0: none [default: 2]");
  add(command, "--ignore-dist", options.ignore_dist, "INT",
      "Contacts nearer than this in bp left out; the larger of both counts");
  mad_max_ = add(command, "--mad-max", options.mad_max, "NUMBER",
                 "Leave out bins whose logarithmic coverage is this many median deviations below "
                 "the median; 0: off [default: 5]");
  min_nnz_ = add(command, "--min-nnz", options.min_nnz, "INT",
                 "Leave out bins with fewer non-zero pixels [default: 10]");
  add(command, "--min-count", options.min_count, "NUMBER",
      "Leave out bins with a smaller sum; 0: off [default: 0]");
  add(command, "--blacklist", options.blacklist, "BED",
      "Leave out bins that overlap these regions; plain or gzip");
  command.add_flag("--allow-square", options.allow_square,
                   "Balance a map in square storage as if each cell were a contact");
}

void BalanceFlags::declare_iteration(CLI::App& command) {
  BalanceOptions& options = given_.options;
  add_choice(command, "--method", options.method, kMethods, "ice|vc|vc_sqrt",
             "Iterative correction, or vanilla coverage and its square root [default: ice]");
  add_choice(
      command, "--iteration", options.iteration, kIterations, "plain|anderson",
      "Rounds of ice: cooler's, number for number, or accelerated: the same solution in a third to "
      "three quarters of the rounds, with weights within 2e-4 of it (relative, at the default "
      "--tol) [default: plain]");
  add(command, "--tol", options.tol, "NUMBER",
      "Stop when the variance of the row sums is below; a hundredth of it with --iteration "
      "anderson [default: 1e-05]");
  add(command, "--max-iters", options.max_iters, "INT", "Rounds at most [default: 200]")
      ->check(CLI::PositiveNumber);
  add_choice(command, "--convergence-policy", options.policy, kPolicies,
             "store_final|store_nan|discard|error",
             "What to do with weights that have not converged [default: store_final]");
  add(command, "-c,--chunksize", options.chunksize, "INT",
      "Pixels whose sums are formed apart, which shows in the last digits [default: 10000000]")
      ->check(CLI::PositiveNumber);
}

void BalanceFlags::declare_result(CLI::App& command) {
  add(command, "--name", given_.options.name, "TEXT",
      "Column to store [default: weight; VC or VC_SQRT by method]");
  command.add_flag("-f,--force", given_.force, "Replace a column of that name");
  command.add_flag("--stdout", print_, "Print the weights and store nothing");
  command.add_flag("--check", only_check_, "Only say whether the map has the column");
}

void BalanceFlags::declare_means(CLI::App& command) {
  add_processes(command, given_.settings);
  command
      .add_option_function<std::string>(
          "--memory,--mem",
          [this](const std::string& text) { given_.memory_limit = parse_bytes(text); },
          "Memory for the pixels of a map, 8G for example; what is over it lies in a scratch file "
          "[default: half of what the scheduler or the cgroup allows, else no limit]")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->type_name("SIZE");
  add(command, "--lock-timeout", lock_timeout_s_, "SECONDS",
      "How long to wait for a file that another program has locked [default: 60]")
      ->check(CLI::NonNegativeNumber);
}

BalanceRequest BalanceFlags::request() const {
  BalanceRequest request = given_;
  const BalanceOptions defaults = balance_defaults(given_.options.method);
  if (ignore_diags_->count() == 0) request.options.ignore_diags = defaults.ignore_diags;
  if (mad_max_->count() == 0) request.options.mad_max = defaults.mad_max;
  if (min_nnz_->count() == 0) request.options.min_nnz = defaults.min_nnz;
  if (cis_only_) request.options.contacts = ContactSet::cis_only;
  if (trans_only_) request.options.contacts = ContactSet::trans_only;
  request.store = !print_;
  constexpr double kLongestWait = 1e9;
  request.lock_timeout = std::chrono::milliseconds(
      static_cast<std::int64_t>(1000 * std::min(lock_timeout_s_, kLongestWait)));
  check_balance_options(request.options);
  return request;
}

namespace {

// The resolution of `10000:--mad-max 7` is split off the text.
std::optional<std::int64_t> take_resolution(std::string_view& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> resolution = parse_int64(trim(text.substr(0, colon)));
  if (resolution) text.remove_prefix(colon + 1);
  return resolution;
}

BalanceRequest parse_words(std::vector<std::string> words) {
  CLI::App parser;
  parser.set_help_flag();
  BalanceFlags flags;
  flags.declare(parser);
  const std::string advice = dash_advice(words);
  std::reverse(words.begin(), words.end());  // the parser takes them from the end
  try {
    parser.parse(words);
  } catch (const CLI::ParseError& error) {
    fail(ErrorCode::usage, "--balance-args: {} (see ziggurat balance --help)",
         advice.empty() ? error.what() : advice);
  }
  if (flags.only_checks()) fail(ErrorCode::usage, "--balance-args: --check balances nothing");
  return flags.request();
}

}  // namespace

ZoomifyBalancing parse_balance_args(const std::vector<std::string>& texts) {
  std::vector<std::string> for_all;
  std::map<std::int64_t, std::vector<std::string>> for_level;
  for (std::string_view text : texts) {
    const std::optional<std::int64_t> resolution = take_resolution(text);
    std::vector<std::string>& words = resolution ? for_level[*resolution] : for_all;
    for (std::string& word : split_like_a_shell(text)) words.push_back(std::move(word));
  }
  const BalanceRequest all = parse_words(for_all);
  ZoomifyBalancing balancing;
  balancing.options = all.options;
  balancing.store = all.store;
  balancing.processes = all.settings.processes;
  balancing.memory_limit = all.memory_limit;
  for (const auto& [resolution, words] : for_level) {
    std::vector<std::string> both = for_all;
    both.insert(both.end(), words.begin(), words.end());
    balancing.of_level[resolution] = parse_words(both).options;
  }
  return balancing;
}

std::string weight_lines(const std::vector<double>& weights) {
  std::vector<std::string> lines;
  std::size_t width = 0;
  for (const double weight : weights) {
    lines.push_back(std::isnan(weight) ? "" : fmt::format("{:g}", weight));
    width = std::max(width, lines.back().size());
  }
  std::string text;
  const char* separator = "";
  for (const std::string& line : lines) {
    text += fmt::format("{}{:>{}}", separator, line, width);
    separator = "\n";
  }
  return text;
}

void print_weights(const std::vector<const BalanceOutcome*>& outcomes) {
  const char* separator = "";
  for (const BalanceOutcome* outcome : outcomes) {
    if (outcome->weights.empty()) continue;
    fmt::print("{}{}", separator, weight_lines(outcome->weights));
    separator = "\n";
  }
}

namespace {

class Balance : public Command {
 public:
  CLI::App* declare(CLI::App& program) override {
    CLI::App* command = program.add_subcommand(
        "balance", "Find weights that make the bins of a map equally visible, and store them");
    command
        ->add_option("COOL_URI", target_,
                     "Map: FILE or FILE::GROUP; FILE of several maps: all of them")
        ->required()
        ->type_name("");
    flags_.declare(*command);
    command
        ->add_option("--report", report_page_,
                     "Make a page of the balanced map too, as `ziggurat report` does [default: "
                     "none]")
        ->type_name("FILE");
    add_pixel_rules(*command, rules_);
    add_temporary_folder(*command, temporary_folder_,
                         "Folder for the scratch file; - is $TMPDIR [default: $ZIGGURAT_TMPDIR, "
                         "else beside the map]");
    command->add_flag("--replace-link", replace_link_,
                      "Put a changed copy in the place of a symbolic link, whose target stays as "
                      "it is [default: the target is changed]");
    add_console_options(*command);
    add_perf(*command);
    return command;
  }

  void check() const override {
    if (!flags_.request().store && !report_page_.empty()) {
      fail(ErrorCode::usage,
           "--report shows weights that are stored: it does not go with --stdout");
    }
  }

  int run(Console& console) override {
    BalanceRequest request = flags_.request();
    request.target = target_;
    if (flags_.only_checks()) return say_whether_balanced(weight_name(request.options));
    request.rules = rules_;
    request.settings.temporary_folder = temporary_folder_;
    request.replace_link = replace_link_;
    std::vector<BalanceOutcome> outcomes = balance_maps(request, console);
    console.settle();
    if (!request.store) {
      std::vector<const BalanceOutcome*> all;
      for (const BalanceOutcome& outcome : outcomes) all.push_back(&outcome);
      print_weights(all);
    }
    if (!report_page_.empty()) {
      write_report({.source = target_,
                    .weights = weight_name(request.options),
                    .balanced = std::move(outcomes),
                    .spent = console.perf()},
                   {.page = report_page_}, console);
    }
    return 0;
  }

 private:
  int say_whether_balanced(const std::string& name) const {
    const std::string file = genome::parse_uri(target_).file;
    const std::vector<WeightCheck> checks = check_weights(target_, name);
    bool all = true;
    for (const WeightCheck& map : checks) {
      all = all && map.balanced;
      if (map.balanced) {
        fmt::print("{}::{} is balanced.\n", file, map.group);
      } else {
        const std::string group = checks.size() > 1 ? "::" + map.group : "";
        fmt::print("{}{}: No '{}' column found.\n", file, group, name);
      }
    }
    return all ? 0 : 1;
  }

  std::string target_;
  BalanceFlags flags_;
  SourceRules rules_;
  std::string report_page_;
  std::string temporary_folder_;
  bool replace_link_ = false;
};

}  // namespace

std::unique_ptr<Command> make_balance() { return std::make_unique<Balance>(); }

}  // namespace ziggurat::cli
