#include "engine/plan.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "base/check.hpp"
#include "base/cpu_count.hpp"
#include "base/strings.hpp"
#include "engine/level_agreement.hpp"
#include "engine/output.hpp"
#include "engine/reader_pool.hpp"
#include "h5/journal.hpp"
#include "proc/reader_program.hpp"
#include "ziggurat/balance.hpp"
#include "ziggurat/inspect.hpp"

namespace ziggurat::engine {

namespace {

constexpr std::uint64_t kDefaultSlotBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastSlotBytes = 4096;
constexpr std::uint64_t kMostSlotBytes = std::uint64_t{1} << 30;

Source describe_and_identify(const std::string& uri, const std::vector<std::string>& fields,
                             const Settings& settings, Observer& observer) {
  Source source;
  source.uri = genome::parse_uri(uri);
  // Settling an interrupted change alters the file, so it comes before the look at it.
  h5::recover(source.uri.file);
  source.identity = identify(source.uri.file);
  source.description = describe_source(settings.reader_program,
                                       {source.uri.file, source.uri.group, fields}, observer);
  for (const std::string& note : source.description.notes) observer.note(note);
  return source;
}

std::vector<genome::FieldSpec> parse_fields(const SourceRules& rules) {
  if (rules.fields.empty()) return {{"count", std::nullopt, Aggregation::sum}};
  std::vector<genome::FieldSpec> specs;
  for (const std::string& text : rules.fields) specs.push_back(genome::parse_field_spec(text));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (specs[i].name == specs[j].name) {
        fail(ErrorCode::usage, "--field {}: the column is named twice", specs[i].name);
      }
    }
  }
  return specs;
}

std::vector<std::string> names_of(const std::vector<genome::FieldSpec>& fields) {
  std::vector<std::string> names;
  for (const genome::FieldSpec& field : fields) names.push_back(field.name);
  return names;
}

// The sources must not be overwritten, by whatever name the output goes.
void refuse_output_as_source(const BuildPlan& plan) {
  if (!exists(plan.output)) return;
  const FileIdentity output = identify(plan.output);
  for (const Source& source : plan.sources) {
    if (source.identity.same_file(output) && !plan.append) {
      fail(ErrorCode::usage, "output {} is the same file as the input {}: name another output",
           plan.output, source.uri.file);
    }
  }
}

// The output may not be the source, and must be free for a map.
void check_output_group(const BuildPlan& plan, const std::string& group, Observer& observer) {
  check_group(plan.output, group, plan.append, plan.settings.reader_program);
  if (plan.append && exists(plan.output) &&
      identify(plan.output).same_file(plan.sources.front().identity) &&
      lead_to_one_map(plan.output, group, plan.sources.front().uri.group,
                      plan.settings.reader_program, observer)) {
    fail(ErrorCode::usage, "output {}::{} is the same map as the input: name another group",
         plan.output, group);
  }
}

void refuse_taken_group(const BuildPlan& plan, const std::string& group) {
  if (!plan.append || !exists(plan.output)) return;
  const std::vector<std::string> maps = list_maps(plan.output, plan.settings.reader_program);
  if (std::find(maps.begin(), maps.end(), group) == maps.end()) return;
  fail(ErrorCode::usage, "there is a map at {} already; --overwrite replaces the whole file",
       group == "/" ? plan.output : plan.output + "::" + group);
}

void require_same_genome(const std::vector<Source>& sources) {
  const Source& first = sources.front();
  for (const Source& source : sources) {
    const auto& chromosomes = source.description.bins.chromosomes();
    if (chromosomes != first.description.bins.chromosomes()) {
      fail(ErrorCode::usage, "{} and {} have different chromosomes", first.description.label,
           source.description.label);
    }
    if (source.description.mode != first.description.mode) {
      fail(ErrorCode::usage, "{} and {} have different storage modes", first.description.label,
           source.description.label);
    }
  }
}

std::int64_t base_resolution(const Source& source) {
  return source.description.bins.bin_size().value_or(1);
}

std::vector<std::int64_t> base_resolutions(const std::vector<Source>& sources) {
  std::vector<std::int64_t> resolutions;
  for (const Source& source : sources) {
    if (sources.size() > 1 && !source.description.bins.bin_size()) {
      fail(ErrorCode::usage, "{} has variable bins and cannot be one of several bases",
           source.description.label);
    }
    resolutions.push_back(base_resolution(source));
  }
  return resolutions;
}

// The finest base sets where open-ended lists begin and end.
const Source& finest(const std::vector<Source>& sources) {
  return *std::min_element(sources.begin(), sources.end(), [](const Source& a, const Source& b) {
    return base_resolution(a) < base_resolution(b);
  });
}

// Returns the resolutions that were asked for.
std::vector<std::int64_t> plan_pyramid_levels(const ZoomifyRequest& request, BuildPlan& plan) {
  const genome::LadderRange range = genome::ladder_range(finest(plan.sources).description.bins);
  std::vector<std::int64_t> requested = genome::expand_resolutions(request.resolutions, range);
  for (const genome::LevelPlan& level :
       genome::plan_levels(requested, base_resolutions(plan.sources))) {
    plan.levels.push_back({level, fmt::format("/resolutions/{}", level.resolution), true, {}});
  }
  return requested;
}

bool contains(const std::vector<std::int64_t>& list, std::int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The resolutions that a multi-resolution file has.
std::vector<std::int64_t> levels_of(const std::string& file, const Settings& settings) {
  constexpr std::string_view kPlace = "/resolutions/";
  h5::recover(file);
  std::vector<std::int64_t> levels;
  for (const std::string& group : list_maps(file, settings.reader_program)) {
    if (!group.starts_with(kPlace)) continue;
    if (const auto level = parse_int64(group.substr(kPlace.size()))) levels.push_back(*level);
  }
  std::sort(levels.begin(), levels.end());
  if (levels.empty()) {
    fail(ErrorCode::usage, "{} is no multi-resolution file to which levels could be added", file);
  }
  return levels;
}

// Sources become the levels of the file that others are made from. Returns the levels to be made.
std::vector<std::int64_t> plan_added_levels(const ZoomifyRequest& request, BuildPlan& plan,
                                            Observer& observer) {
  const auto source_at = [&](std::int64_t level) {
    return describe_and_identify(fmt::format("{}::/resolutions/{}", plan.output, level),
                                 names_of(plan.fields), plan.settings, observer);
  };
  const std::vector<std::int64_t> present = levels_of(plan.output, plan.settings);
  std::vector<Source> levels;
  for (const std::int64_t level : present) levels.push_back(source_at(level));
  require_same_genome(levels);
  require_levels_of_one_map(levels, present);
  std::vector<std::int64_t> missing = genome::expand_resolutions(
      request.resolutions, genome::ladder_range(levels.front().description.bins));
  std::erase_if(missing, [&](std::int64_t level) { return contains(present, level); });
  if (missing.empty()) {
    fail(ErrorCode::usage, "{} has all of these levels already: nothing to add", plan.output);
  }
  std::map<int, int> place_of_base;  // in the list of sources
  std::map<std::size_t, int> place;  // of a level that is needed, in the plan
  const std::vector<genome::LevelPlan> all = genome::plan_levels(missing, present);
  for (const genome::LevelPlan& level : all) {
    if (level.predecessor >= 0) place_of_base.emplace(level.base, 0);
  }
  for (auto& [base, index] : place_of_base) {
    index = static_cast<int>(plan.sources.size());
    plan.sources.push_back(std::move(levels[static_cast<std::size_t>(base)]));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    genome::LevelPlan level = all[i];
    const auto base = place_of_base.find(level.base);
    if (base == place_of_base.end()) continue;
    level.base = base->second;
    const bool made = level.predecessor >= 0;
    if (made) level.predecessor = place.at(static_cast<std::size_t>(level.predecessor));
    place[i] = static_cast<int>(plan.levels.size());
    plan.levels.push_back({level, fmt::format("/resolutions/{}", level.resolution), made, {}});
  }
  return missing;
}

std::vector<std::int64_t> plan_legacy_levels(BuildPlan& plan) {
  const genome::BinTable& bins = plan.sources.front().description.bins;
  if (plan.sources.size() != 1) fail(ErrorCode::usage, "--legacy takes one base map");
  if (!bins.bin_size()) {
    fail(ErrorCode::usage, "{} has variable bins, which the legacy layout cannot hold",
         plan.sources.front().description.label);
  }
  const int n = genome::legacy_zoom_levels(bins.total_length(), *bins.bin_size());
  std::vector<std::int64_t> resolutions;
  for (int i = 0; i <= n; ++i) {
    const std::int64_t resolution = *bins.bin_size() << i;
    plan.levels.push_back(
        {{resolution, i - 1, i == 0 ? 1 : 2, 0}, fmt::format("/{}", n - i), true, {}});
    resolutions.push_back(resolution);
  }
  return resolutions;
}

// The base that a level is, when it is one and brought weights of this name.
bool brought_weights(const BuildPlan& plan, const PlannedLevel& level, const std::string& name) {
  if (level.plan.predecessor >= 0) return false;
  return has_bin_column(plan.sources[static_cast<std::size_t>(level.plan.base)].description, name);
}

void plan_level_balance(const ZoomifyBalancing& balancing, BuildPlan& plan, PlannedLevel& level,
                        Observer& observer) {
  const std::int64_t resolution = level.plan.resolution;
  const auto own = balancing.of_level.find(resolution);
  const BalanceOptions& options = own == balancing.of_level.end() ? balancing.options : own->second;
  check_balance_options(options);
  const std::string name = weight_name(options);
  if (balancing.keep_weights &&
      (brought_weights(plan, level, "weight") || brought_weights(plan, level, name))) {
    observer.note(fmt::format("level {}: the weights that the base brought are kept", resolution));
    return;
  }
  plan.balance_means.blacklists.read(options.blacklist);
  const Source& source = plan.sources[static_cast<std::size_t>(level.plan.base)];
  check_balanceable(source.description, options, plan.balance_means.blacklists);
  if (brought_weights(plan, level, name)) {
    observer.note(fmt::format(
        "level {}: the column {} that the base brought is computed anew; --keep-weights keeps it",
        resolution, name));
  }
  level.balance = options;
}

// Every resolution that is named must be a level that is balanced, or a slip would go unseen.
void check_named_levels(const ZoomifyBalancing& balancing,
                        const std::vector<std::int64_t>& balanced) {
  for (const auto& [resolution, options] : balancing.of_level) {
    if (contains(balanced, resolution) && !contains(balancing.left_out, resolution)) continue;
    fail(ErrorCode::usage, "--balance-args {}:...: no level {} is to be balanced", resolution,
         resolution);
  }
  for (const std::int64_t resolution : balancing.left_out) {
    if (contains(balanced, resolution)) continue;
    fail(ErrorCode::usage, "--no-balance-at {}: no such level is to be balanced", resolution);
  }
}

void plan_balancing(const ZoomifyBalancing& balancing, const std::vector<std::int64_t>& requested,
                    BuildPlan& plan, Observer& observer) {
  std::vector<std::int64_t> balanced = requested;
  if (balanced.empty()) balanced = base_resolutions(plan.sources);
  check_named_levels(balancing, balanced);
  if (!plan.fields.empty() &&
      std::none_of(plan.fields.begin(), plan.fields.end(),
                   [](const genome::FieldSpec& field) { return field.name == "count"; })) {
    fail(ErrorCode::usage, "--balance needs the column count: add --field count");
  }
  plan.store_weights = balancing.store;
  plan.balance_means.settings = plan.settings;
  plan.balance_means.threads =
      balancing.processes > 0 ? balancing.processes : plan.settings.processes;
  plan.balance_means.rules = plan.rules;
  plan.balance_means.memory_limit = balancing.memory_limit;
  for (PlannedLevel& level : plan.levels) {
    const std::int64_t resolution = level.plan.resolution;
    if (!contains(balanced, resolution) || contains(balancing.left_out, resolution)) continue;
    plan_level_balance(balancing, plan, level, observer);
  }
}

std::string output_or_default(const ZoomifyRequest& request) {
  if (request.add) return genome::parse_uri(request.sources.front()).file;
  if (request.output.empty()) {
    return default_output(genome::parse_uri(request.sources.front()).file);
  }
  // A group part is ignored, as cooler does.
  return genome::parse_uri(request.output).file;
}

}  // namespace

Settings decided(Settings settings) {
  if (settings.processes < 0) fail(ErrorCode::usage, "the number of processes must be at least 1");
  if (settings.processes == 0) settings.processes = default_processes();
  if (settings.compression_level < 1 || settings.compression_level > 9) {
    fail(ErrorCode::usage, "compression level {} is not in 1 to 9", settings.compression_level);
  }
  if (settings.slot_bytes == 0) settings.slot_bytes = kDefaultSlotBytes;
  if (settings.slot_bytes < kLeastSlotBytes || settings.slot_bytes > kMostSlotBytes) {
    fail(ErrorCode::usage, "slot size {} is not in 4 KiB to 1 GiB", settings.slot_bytes);
  }
  settings.slot_bytes = settings.slot_bytes / 8 * 8;
  settings.reader_program = proc::reader_program(settings.reader_program);
  return settings;
}

BuildPlan plan(const ZoomifyRequest& request, Observer& observer) {
  if (request.sources.empty()) fail(ErrorCode::usage, "no base map is named");
  if (request.add && (request.sources.size() > 1 || request.legacy || !request.output.empty())) {
    fail(ErrorCode::usage,
         "levels are added to one multi-resolution file, which is the output as well");
  }
  BuildPlan plan;
  plan.settings = decided(request.settings);
  plan.rules = request.rules;
  plan.checkpoint = request.checkpoint;
  plan.kind = request.legacy ? OutputKind::legacy : OutputKind::pyramid;
  plan.fields = parse_fields(request.rules);
  if (request.legacy) plan.fields.clear();
  plan.output = behind_link(output_or_default(request));
  plan.append = request.add;
  if (!request.add) {
    for (const std::string& uri : request.sources) {
      plan.sources.push_back(
          describe_and_identify(uri, names_of(plan.fields), plan.settings, observer));
    }
    require_same_genome(plan.sources);
  }
  const std::vector<std::int64_t> requested = request.add
                                                  ? plan_added_levels(request, plan, observer)
                                              : request.legacy ? plan_legacy_levels(plan)
                                                               : plan_pyramid_levels(request, plan);
  if (request.balancing) plan_balancing(*request.balancing, requested, plan, observer);
  check_output_path(plan.output);
  refuse_output_as_source(plan);
  return plan;
}

BuildPlan plan(const CoarsenRequest& request, Observer& observer) {
  if (request.factor < 2) fail(ErrorCode::usage, "factor {} is less than 2", request.factor);
  BuildPlan plan;
  plan.settings = decided(request.settings);
  plan.rules = request.rules;
  plan.kind = OutputKind::single_map;
  plan.append = request.append;
  plan.fields = parse_fields(request.rules);
  const genome::Uri output = genome::parse_uri(request.output);
  plan.output = behind_link(output.file);
  plan.sources.push_back(
      describe_and_identify(request.source, names_of(plan.fields), plan.settings, observer));
  const Source& source = plan.sources.front();
  const std::int64_t base = base_resolution(source);
  plan.levels.push_back({{base, -1, 1, 0}, "", false, {}});
  plan.levels.push_back({{base * request.factor, 0, request.factor, 0}, output.group, true, {}});
  check_output_path(plan.output);
  refuse_output_as_source(plan);
  check_output_group(plan, output.group, observer);
  return plan;
}

BuildPlan plan(const CopyRequest& request, Observer& observer) {
  BuildPlan plan;
  plan.settings = decided(request.settings);
  plan.rules = request.rules;
  plan.rules.fields.clear();
  plan.kind = OutputKind::single_map;
  plan.append = !request.overwrite;
  const genome::Uri output = genome::parse_uri(request.output);
  plan.output = behind_link(output.file);
  plan.sources.push_back(describe_and_identify(request.source, {}, plan.settings, observer));
  plan.levels.push_back(
      {{base_resolution(plan.sources.front()), -1, 1, 0}, output.group, true, {}});
  check_output_path(plan.output);
  refuse_output_as_source(plan);
  check_output_group(plan, output.group, observer);
  refuse_taken_group(plan, output.group);
  return plan;
}

BuildPlan plan(const AssembleRequest& request, Observer& observer) {
  if (request.levels.empty()) fail(ErrorCode::usage, "no level is named");
  BuildPlan plan;
  plan.settings = decided(request.settings);
  plan.output = behind_link(genome::parse_uri(request.output).file);
  for (const std::string& uri : request.levels) {
    plan.sources.push_back(describe_and_identify(uri, {}, plan.settings, observer));
  }
  require_same_genome(plan.sources);
  const std::vector<std::int64_t> resolutions = base_resolutions(plan.sources);
  for (const genome::LevelPlan& level : genome::plan_levels({}, resolutions)) {
    plan.levels.push_back({level, fmt::format("/resolutions/{}", level.resolution), true, {}});
  }
  check_output_path(plan.output);
  refuse_output_as_source(plan);
  return plan;
}

namespace {

// Measured: about 1.8 bytes a pixel for fine levels, less for coarse ones.
constexpr double kBytesEachPixel = 2.0;
constexpr std::int64_t kBytesEachBin = 8;

std::int64_t most_pixels(const Source& source, std::int64_t n_bins) {
  const auto n = static_cast<double>(n_bins);
  const bool square = source.description.mode == pixels::StorageMode::square;
  const double cells = square ? n * n : n * (n + 1) / 2;
  return static_cast<std::int64_t>(
      std::min(cells, static_cast<double>(source.description.n_pixels)));
}

// Of one reader: its slots, a batch of each level, and a row of sums of each level.
std::int64_t reader_memory(const BuildPlan& plan, std::int64_t total_level_bins) {
  constexpr std::int64_t kBatchBytes = (std::int64_t{1} << 19) * 24;
  const auto slots = static_cast<std::int64_t>(plan.settings.slot_bytes) * reader::kSlots;
  const auto n_levels = static_cast<std::int64_t>(plan.levels.size());
  return slots + n_levels * kBatchBytes + total_level_bins * 13;
}

}  // namespace

BuildReport estimate(const BuildPlan& plan) {
  BuildReport report;
  report.output = plan.output;
  report.processes = plan.settings.processes;
  std::vector<genome::BinTable> bins;
  std::int64_t total_level_bins = 0;
  std::int64_t total_bins = 0;
  for (const PlannedLevel& level : plan.levels) {
    const Source& source = plan.sources[static_cast<std::size_t>(level.plan.base)];
    const bool is_base = level.plan.predecessor < 0;
    bins.push_back(is_base ? source.description.bins
                           : bins[static_cast<std::size_t>(level.plan.predecessor)].coarsen(
                                 level.plan.factor));
    LevelReport line;
    line.resolution = level.plan.resolution;
    line.group = level.group;
    line.made_from =
        is_base
            ? genome::to_string(source.uri)
            : std::to_string(
                  plan.levels[static_cast<std::size_t>(level.plan.predecessor)].plan.resolution);
    line.factor = level.plan.factor;
    line.n_bins = bins.back().n_bins();
    line.n_pixels = is_base ? static_cast<std::int64_t>(source.description.n_pixels)
                            : most_pixels(source, line.n_bins);
    line.count_type = name(source.description.fields.front().type);
    line.bytes = static_cast<std::int64_t>(kBytesEachPixel * static_cast<double>(line.n_pixels)) +
                 kBytesEachBin * line.n_bins;
    total_bins += line.n_bins;
    if (!is_base) total_level_bins += line.n_bins;
    if (level.written) {
      report.bytes += line.bytes;
      report.levels.push_back(std::move(line));
    }
  }
  report.memory_bytes =
      report.processes * (reader_memory(plan, total_level_bins) + (std::int64_t{16} << 20)) +
      20 * total_bins + (std::int64_t{64} << 20);
  return report;
}

}  // namespace ziggurat::engine
