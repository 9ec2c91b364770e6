#include "report/source.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"
#include "genome/uri.hpp"
#include "ziggurat/inspect.hpp"

namespace ziggurat::report {

namespace {

// Columns that programs in the field balance with, the first that is there being shown.
constexpr std::array<const char*, 6> kKnownWeights{"weight", "ICE", "KR", "SCALE", "VC", "VC_SQRT"};

template <typename Number>
std::optional<Number> number_of(const ObjectAttribute& attribute) {
  return std::visit(
      [](const auto& values) -> std::optional<Number> {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<Value, std::string>) {
          return std::nullopt;
        } else {
          if (values.empty()) return std::nullopt;
          // With weights of each chromosome apart there are as many: the worst is told.
          return static_cast<Number>(*std::max_element(values.begin(), values.end()));
        }
      },
      attribute.values);
}

std::optional<bool> truth_of(const ObjectAttribute& attribute) {
  return std::visit(
      [](const auto& values) -> std::optional<bool> {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<Value, std::string>) {
          if (values.empty()) return std::nullopt;
          return values.front() == "True" || values.front() == "true";
        } else {
          if (values.empty()) return std::nullopt;
          return std::all_of(values.begin(), values.end(), [](Value v) { return v != Value{}; });
        }
      },
      attribute.values);
}

std::string text_of(const ObjectAttribute& attribute) {
  const auto* texts = std::get_if<std::vector<std::string>>(&attribute.values);
  return texts == nullptr || texts->empty() ? "" : texts->front();
}

bool is_known(const std::string& name) {
  return std::find(kKnownWeights.begin(), kKnownWeights.end(), name) != kKnownWeights.end();
}

WeightNumbers weights_of(const FileObject& column) {
  WeightNumbers numbers;
  numbers.name = column.name;
  numbers.divisive = column.name == "KR" || column.name == "VC" || column.name == "VC_SQRT";
  for (const ObjectAttribute& attribute : column.attributes) {
    if (attribute.name == "converged") numbers.converged = truth_of(attribute);
    if (attribute.name == "var") numbers.variance = number_of<double>(attribute);
    if (attribute.name == "scale") numbers.scale = number_of<double>(attribute);
    if (attribute.name == "tol") numbers.tolerance = number_of<double>(attribute);
    if (attribute.name == "min_nnz") numbers.min_nnz = number_of<std::int64_t>(attribute);
    if (attribute.name == "min_count") numbers.min_count = number_of<double>(attribute);
    if (attribute.name == "iteration") numbers.accelerated = text_of(attribute) == "anderson";
    if (attribute.name == "mad_max") numbers.mad_max = number_of<double>(attribute);
    if (attribute.name == "cis_only") numbers.cis_only = truth_of(attribute);
    if (attribute.name == "ignore_diags") {
      // False where none are ignored.
      numbers.ignored_diagonals = number_of<std::int64_t>(attribute);
    }
    if (attribute.name == "divisive_weights") {
      numbers.divisive = truth_of(attribute).value_or(numbers.divisive);
    }
  }
  return numbers;
}

bool is_weights(const FileObject& object, const std::string& wanted) {
  if (object.name == wanted || is_known(object.name)) return true;
  const auto& attributes = object.attributes;
  return std::any_of(attributes.begin(), attributes.end(), [](const ObjectAttribute& attribute) {
    return attribute.name == "converged" || attribute.name == "divisive_weights";
  });
}

// What the run says of a level's columns.
void add_outcomes(LevelNumbers& level, const std::vector<BalanceOutcome>& outcomes) {
  for (const BalanceOutcome& outcome : outcomes) {
    for (WeightNumbers& weights : level.weights) {
      if (outcome.group != level.group || outcome.name != weights.name) continue;
      if (outcome.seconds > 0) weights.seconds = outcome.seconds;
      for (const std::vector<double>& rounds : outcome.variances) {
        if (rounds.size() > weights.variances.size()) weights.variances.resize(rounds.size(), 0);
        for (std::size_t i = 0; i < rounds.size(); ++i) {
          weights.variances[i] = std::max(weights.variances[i], rounds[i]);
        }
      }
    }
  }
}

// What a map's tables and attributes say.
void read_outline(SourceLevel& level, Source& source, const ReportRequest& request,
                  Observer& observer) {
  const auto objects = list_objects(level.uri, 2, request.reader_program, &observer);
  bool in_bins = false;
  for (const FileObject& object : objects) {
    level.said.stored_bytes += object.stored_bytes;
    if (object.depth == 1) in_bins = object.name == "bins";
    if (object.depth == 2 && in_bins && is_weights(object, request.weights)) {
      level.said.weights.push_back(weights_of(object));
    }
  }
  for (const ObjectAttribute& attribute : objects.front().attributes) {
    if (attribute.name == "sum") level.said.stated_sum = number_of<double>(attribute);
    if (attribute.name == "nnz") level.said.stated_pixels = number_of<std::int64_t>(attribute);
    if (attribute.name == "generated-by") source.generated_by = text_of(attribute);
    if (attribute.name == "creation-date") source.creation_date = text_of(attribute);
    const bool names_assembly = attribute.name == "genome-assembly" || attribute.name == "assembly";
    if (names_assembly && text_of(attribute) != "unknown") source.assembly = text_of(attribute);
  }
}

bool has_column(const SourceLevel& level, const std::string& name) {
  return std::any_of(level.said.weights.begin(), level.said.weights.end(),
                     [&](const WeightNumbers& numbers) { return numbers.name == name; });
}

// One column for all levels; a level need not have it. Empty: none has any.
std::string shown_weights(const std::vector<SourceLevel>& levels, const std::string& wanted) {
  const auto somewhere = [&](const std::string& name) {
    return std::any_of(levels.begin(), levels.end(),
                       [&](const SourceLevel& level) { return has_column(level, name); });
  };
  if (!wanted.empty()) return somewhere(wanted) ? wanted : "";
  for (const char* name : kKnownWeights) {
    if (somewhere(name)) return name;
  }
  for (const SourceLevel& level : levels) {
    if (!level.said.weights.empty()) return level.said.weights.front().name;
  }
  return "";
}

std::vector<std::string> level_uris(const ReportRequest& request, Observer& observer) {
  const genome::Uri where = genome::parse_uri(request.source);
  if (where.group != "/") return {request.source};
  const auto groups = list_maps(where.file, request.reader_program, &observer);
  std::vector<std::string> uris;
  for (const std::string& group : groups) {
    const bool is_zoom = group.find_first_not_of("0123456789", 1) == std::string::npos;
    if (groups.size() > 1 && !is_zoom && !group.starts_with("/resolutions/")) {
      fail(ErrorCode::usage,
           "{} holds {} maps that are not the levels of one: name one, as in {}::{}", where.file,
           groups.size(), where.file, group);
    }
    uris.push_back(genome::to_string({where.file, group}));
  }
  return uris;
}

void check_same_genome(const Source& source, const ContactMap& map) {
  const auto& other = map.chromosomes();
  const bool same = std::equal(source.chromosomes.begin(), source.chromosomes.end(), other.begin(),
                               other.end(), [](const Chromosome& a, const Chromosome& b) {
                                 return a.name == b.name && a.length == b.length;
                               });
  if (!same) fail(ErrorCode::format, "{}: other chromosomes than the first level", map.uri());
}

}  // namespace

Source look_at_source(const ReportRequest& request, Observer& observer) {
  Source source;
  source.file = genome::parse_uri(request.source).file;
  for (const std::string& uri : level_uris(request, observer)) {
    const ContactMap map(uri, request.reader_program);
    for (const std::string& note : map.notes()) observer.note(note);
    if (source.levels.empty()) source.chromosomes = map.chromosomes();
    check_same_genome(source, map);
    source.is_symmetric = map.is_symmetric();
    SourceLevel& level = source.levels.emplace_back();
    level.uri = uri;
    level.bin_size = map.bin_size();
    level.n_bins = map.n_bins();
    level.offsets = map.chromosome_offsets();
    level.said.group = genome::parse_uri(uri).group;
    level.said.bin_size = level.bin_size;
    level.said.n_bins = level.n_bins;
    level.said.n_pixels = map.n_pixels();
    read_outline(level, source, request, observer);
    add_outcomes(level.said, request.balanced);
  }
  source.weights = shown_weights(source.levels, request.weights);
  if (!request.weights.empty() && source.weights.empty()) {
    fail(ErrorCode::usage, "{}: there is no column of weights '{}'", request.source,
         request.weights);
  }
  for (SourceLevel& level : source.levels) {
    if (has_column(level, source.weights)) level.shown_weights = source.weights;
  }
  std::stable_sort(source.levels.begin(), source.levels.end(),
                   [](const SourceLevel& a, const SourceLevel& b) { return a.n_bins > b.n_bins; });
  return source;
}

}  // namespace ziggurat::report
