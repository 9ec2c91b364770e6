// A report's numbers: plan the pictures, read each level once, put together what was found.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/decay.hpp"
#include "report/findings.hpp"
#include "report/level_pass.hpp"
#include "report/track.hpp"

namespace ziggurat {

namespace {

// NOLINTNEXTLINE(google-build-using-namespace): a public function stands above its layer's names
using namespace report;

constexpr std::int64_t kGenomeCells = 800;
constexpr std::int64_t kChromosomeCells = 400;
constexpr std::int64_t kFewestCells = 8;
// Chromosomes below this share of the genome, and beyond this many, are not drawn: nobody could
// tell them apart.
constexpr double kSmallestDrawn = 0.004;
constexpr std::size_t kMostDrawn = 48;
constexpr double kWellCovered = 1000;

std::vector<std::int32_t> drawn_chromosomes(const std::vector<Chromosome>& chromosomes) {
  double genome = 0;
  for (const Chromosome& chromosome : chromosomes) genome += static_cast<double>(chromosome.length);
  std::vector<std::int32_t> drawn(chromosomes.size());
  std::iota(drawn.begin(), drawn.end(), 0);
  const auto length = [&](std::int32_t c) {
    return chromosomes[static_cast<std::size_t>(c)].length;
  };
  std::stable_sort(drawn.begin(), drawn.end(),
                   [&](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
  if (drawn.size() > kMostDrawn) drawn.resize(kMostDrawn);
  while (drawn.size() > 1 && static_cast<double>(length(drawn.back())) < kSmallestDrawn * genome) {
    drawn.pop_back();
  }
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

// The finest level that shows these chromosomes in at most `most` cells a side; when there is none,
// the coarsest with several bins a cell.
PicturePlan planned(const Source& source, std::vector<std::int32_t> chromosomes,
                    std::int64_t most) {
  PicturePlan plan;
  const auto cells = [&](const SourceLevel& level, std::int64_t bins_per_cell) {
    std::int64_t n = 0;
    for (const std::int32_t index : chromosomes) {
      const auto c = static_cast<std::size_t>(index);
      n += (level.offsets[c + 1] - level.offsets[c] + bins_per_cell - 1) / bins_per_cell;
    }
    return n;
  };
  plan.level = source.levels.size() - 1;
  for (std::size_t i = 0; i < source.levels.size(); ++i) {
    if (cells(source.levels[i], 1) > most) continue;
    plan.level = i;
    break;
  }
  const SourceLevel& level = source.levels[plan.level];
  const auto fewest = static_cast<std::int64_t>(chromosomes.size());
  while (cells(level, plan.bins_per_cell) > std::max(most, fewest)) ++plan.bins_per_cell;
  plan.chromosomes = std::move(chromosomes);
  return plan;
}

std::vector<PicturePlan> plan_pictures(const Source& source,
                                       const std::vector<std::int32_t>& drawn) {
  std::vector<PicturePlan> plans;
  if (drawn.size() > 1) plans.push_back(planned(source, drawn, kGenomeCells));
  for (const std::int32_t c : drawn) {
    const auto& offsets = source.levels.front().offsets;
    const auto index = static_cast<std::size_t>(c);
    if (offsets[index + 1] - offsets[index] < kFewestCells) continue;
    plans.push_back(planned(source, {c}, kChromosomeCells));
  }
  return plans;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::optional<double> spread_of(const LevelSums& sums) {
  double n = 0;
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < sums.balanced.size(); ++i) {
    if (std::isnan(sums.weights[i])) continue;
    n += 1;
    sum += sums.balanced[i];
  }
  if (n == 0 || sum <= 0) return std::nullopt;
  const double mean = sum / n;
  for (std::size_t i = 0; i < sums.balanced.size(); ++i) {
    if (std::isnan(sums.weights[i])) continue;
    squares += (sums.balanced[i] - mean) * (sums.balanced[i] - mean);
  }
  return std::sqrt(squares / n) / mean;
}

// Bins without a weight, for columns that are not shown too.
void count_masked(WeightNumbers& numbers, const std::vector<double>& weights,
                  const std::vector<double>& coverage) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!std::isnan(weights[i])) continue;
    ++numbers.n_masked;
    if (coverage[i] == 0) ++numbers.n_masked_empty;
  }
}

void count_left_out(WeightNumbers& numbers, const LevelSums& sums) {
  auto& counts = numbers.n_left_out.emplace();
  for (std::size_t i = 0; i < sums.weights.size(); ++i) {
    if (std::isnan(sums.weights[i])) ++counts.at(static_cast<std::size_t>(sums.left_out_by[i]));
  }
}

LevelNumbers numbers_of(const Source& source, const SourceLevel& level, const LevelSums& sums,
                        const std::string& reader_program) {
  LevelNumbers numbers = level.said;
  numbers.contacts = sums.contacts;
  numbers.cis = sums.cis;
  const double n = static_cast<double>(level.n_bins);
  const double cells = source.is_symmetric ? n * (n + 1) / 2 : n * n;
  numbers.density = cells > 0 ? static_cast<double>(numbers.n_pixels) / cells : 0;
  std::vector<double> covered;
  std::int64_t n_well = 0;
  for (const double contacts : sums.coverage) {
    if (contacts > 0) covered.push_back(contacts);
    if (contacts >= kWellCovered) ++n_well;
  }
  numbers.n_empty_bins = level.n_bins - static_cast<std::int64_t>(covered.size());
  numbers.share_covered = level.n_bins > 0 ? static_cast<double>(n_well) / n : 0;
  numbers.median_coverage = median(std::move(covered));
  if (level.bin_size) {
    numbers.decay = decay_of(sums.by_distance, level.offsets, *level.bin_size, source.is_symmetric);
  }
  numbers.trans_density =
      trans_density(sums.contacts - sums.cis, source.chromosomes, source.is_symmetric);
  for (WeightNumbers& weights : numbers.weights) {
    if (weights.name == level.shown_weights) {
      count_masked(weights, sums.weights, sums.coverage);
      weights.spread = spread_of(sums);
      if (sums.rules_known) count_left_out(weights, sums);
    } else {
      const ContactMap map(level.uri, reader_program);
      count_masked(weights, map.weights(weights.name), sums.coverage);
    }
  }
  return numbers;
}

std::vector<ChromosomeNumbers> chromosome_numbers(const Source& source, const LevelSums& sums,
                                                  const std::vector<std::int32_t>& drawn) {
  std::vector<ChromosomeNumbers> all;
  const auto& offsets = source.levels.front().offsets;
  for (std::size_t c = 0; c < source.chromosomes.size(); ++c) {
    ChromosomeNumbers& numbers = all.emplace_back();
    numbers.name = source.chromosomes[c].name;
    numbers.length = source.chromosomes[c].length;
    numbers.n_bins = offsets[c + 1] - offsets[c];
    numbers.cis = sums.cis_of[c];
    numbers.trans = sums.trans_of[c];
    for (auto bin = static_cast<std::size_t>(offsets[c]);
         !sums.weights.empty() && bin < static_cast<std::size_t>(offsets[c + 1]); ++bin) {
      if (std::isnan(sums.weights[bin])) ++numbers.n_masked;
    }
    numbers.is_drawn = std::binary_search(drawn.begin(), drawn.end(), static_cast<std::int32_t>(c));
  }
  return all;
}

// In the order of the plans, which is that of the chromosomes; those without contacts are left out.
void file_pictures(MapReport& report, const std::vector<PicturePlan>& plans,
                   std::vector<std::optional<MapPicture>>& pictures) {
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const std::vector<float>& raw = pictures[i]->raw;
    if (plans[i].chromosomes.size() > 1) {
      report.genome = std::move(*pictures[i]);
    } else if (std::any_of(raw.begin(), raw.end(), [](float v) { return v > 0; })) {
      report.pictures.push_back(std::move(*pictures[i]));
    }
  }
}

}  // namespace

MapReport measure_map(const ReportRequest& request, Observer& observer) {
  const Source source = look_at_source(request, observer);
  MapReport report;
  report.file = source.file;
  report.assembly = source.assembly;
  report.generated_by = source.generated_by;
  report.creation_date = source.creation_date;
  report.is_symmetric = source.is_symmetric;
  report.weights = source.weights;
  report.spent = request.spent;
  const auto drawn = drawn_chromosomes(source.chromosomes);
  const auto plans = plan_pictures(source, drawn);
  std::vector<std::optional<MapPicture>> pictures(plans.size());
  TrackBuilder track(source.chromosomes, drawn);
  for (std::size_t i = 0; i < source.levels.size(); ++i) {
    const SourceLevel& level = source.levels[i];
    std::vector<PicturePlan> of_level;
    for (const PicturePlan& plan : plans) {
      if (plan.level == i) of_level.push_back(plan);
    }
    LevelSums sums = read_level(source, level, of_level, request.reader_program, observer);
    auto made = sums.pictures.begin();
    for (std::size_t p = 0; p < plans.size(); ++p) {
      if (plans[p].level == i) pictures[p] = std::move(*made++);
    }
    if (i == 0) {
      track.add_coverage(level.offsets, sums.coverage);
      report.chromosomes = chromosome_numbers(source, sums, drawn);
    }
    track.add_masked(level.offsets, sums.weights, sums.left_out_by);
    report.levels.push_back(numbers_of(source, level, sums, request.reader_program));
  }
  file_pictures(report, plans, pictures);
  report.track = track.take();
  report.decay_slope = decay_slope(report.levels.front().decay, source.chromosomes);
  report.decay_disagreement = decay_disagreement(report.levels);
  report.findings = findings_of(report);
  return report;
}

}  // namespace ziggurat
