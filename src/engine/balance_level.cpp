#include "engine/balance_level.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "balance/blacklist.hpp"
#include "balance/filters.hpp"
#include "balance/ice.hpp"
#include "balance/vanilla_coverage.hpp"
#include "base/check.hpp"
#include "base/threads.hpp"
#include "codec/gunzip.hpp"
#include "engine/balance_input.hpp"
#include "engine/reader_pool.hpp"

namespace ziggurat::engine {

namespace {

// More than any list of regions; it only stops what is no list at all.
constexpr std::size_t kLargestBlacklist = std::size_t{1} << 30;

std::int64_t diags_to_ignore(const cool::Description& map, const BalanceOptions& options) {
  if (options.ignore_dist == 0) return options.ignore_diags;
  return balance::diags_for_distance(options.ignore_diags, options.ignore_dist,
                                     *map.bins.bin_size());
}

balance::Contacts contacts_of(ContactSet set) {
  switch (set) {
    case ContactSet::all:
      break;
    case ContactSet::cis_only:
      return balance::Contacts::cis;
    case ContactSet::trans_only:
      return balance::Contacts::trans;
  }
  return balance::Contacts::all;
}

balance::StoreLayout layout_of(const cool::Description& map, const BalanceOptions& options) {
  balance::StoreLayout layout;
  layout.chrom_offsets = map.bins.chrom_offsets();
  layout.contacts = contacts_of(options.contacts);
  layout.symmetry = map.mode == pixels::StorageMode::square ? balance::Symmetry::square
                                                            : balance::Symmetry::upper;
  layout.ignore_diags = diags_to_ignore(map, options);
  layout.chunk_pixels = options.chunksize;
  return layout;
}

balance::FilterOptions filters_of(const BalanceTarget& target, const BalanceOptions& options,
                                  const Blacklists& blacklists) {
  balance::FilterOptions filters;
  filters.min_nnz = options.min_nnz;
  filters.min_count = options.min_count;
  filters.mad_max = options.mad_max;
  filters.blacklist = balance::blacklisted_bins(blacklists.text(options.blacklist),
                                                target.description.bins, options.blacklist);
  return filters;
}

// Where nothing of a run that has not converged is kept, there is no need to make all of its
// rounds. What is kept, if only the variance beside weights that are NaN, is that of cooler's last
// round.
balance::Growth growth(ConvergencePolicy policy) {
  switch (policy) {
    case ConvergencePolicy::store_final:
    case ConvergencePolicy::store_nan:
      return balance::Growth::go_on;
    case ConvergencePolicy::discard:
    case ConvergencePolicy::error:
      break;
  }
  return balance::Growth::stop;
}

balance::BalanceResult compute(balance::PixelStore& store, const balance::BinMask& mask,
                               const BalanceTarget& target, const BalanceOptions& options,
                               std::vector<std::vector<double>>& variances, Observer& observer) {
  if (options.method == BalanceMethod::vc) {
    return balance::vanilla_coverage(store, mask, balance::Coverage::plain);
  }
  if (options.method == BalanceMethod::vc_sqrt) {
    return balance::vanilla_coverage(store, mask, balance::Coverage::square_root);
  }
  balance::IceOptions ice;
  if (options.iteration == BalanceIteration::anderson) ice.iteration = balance::Iteration::anderson;
  ice.tol = options.tol;
  ice.max_rounds = options.max_iters;
  ice.growth = growth(options.policy);
  std::uint64_t rounds = 0;
  ice.keep_going = [&](const balance::Round& round) {
    if (round.number == 1) variances.emplace_back();
    variances.back().push_back(round.var);
    observer.progress({"balancing", target.label, ++rounds, 0, "rounds"});
    return !observer.cancelled();
  };
  return balance::iterative_correction(store, mask, ice);
}

const char* reason(balance::Stop stop) {
  switch (stop) {
    case balance::Stop::converged:
      break;
    case balance::Stop::nothing_left:
      return "no contacts are left";
    case balance::Stop::max_rounds:
      return "the limit of rounds was reached";
    case balance::Stop::not_finite:
      return "the variance is not a finite number";
    case balance::Stop::growing:
      return "the variance only grows";
    case balance::Stop::no_trans:
      return "there is but one chromosome, and so no trans contacts";
  }
  return "converged";
}

// That of the first chromosome that did not converge; else of the first that did.
const char* reason(const balance::BalanceResult& result) {
  const auto first = std::find(result.converged.begin(), result.converged.end(), false);
  if (first != result.converged.end()) {
    return reason(result.stop[static_cast<std::size_t>(first - result.converged.begin())]);
  }
  const auto converged =
      std::find(result.stop.begin(), result.stop.end(), balance::Stop::converged);
  return reason(converged != result.stop.end() ? *converged : balance::Stop::nothing_left);
}

BalanceOutcome outcome_of(const balance::BalanceResult& result, const balance::BinMask& mask) {
  using balance::MaskRule;
  const auto masked = mask.counts();
  const auto by = [&](MaskRule rule) { return masked[static_cast<std::size_t>(rule)]; };
  BalanceOutcome outcome;
  outcome.weights.assign(result.weights.data(), result.weights.data() + result.weights.size());
  outcome.scale = result.scale;
  outcome.var = result.var;
  outcome.converged = result.converged;
  for (const int rounds : result.rounds) outcome.iterations = std::max(outcome.iterations, rounds);
  outcome.masked_min_nnz = by(MaskRule::min_nnz);
  outcome.masked_min_count = by(MaskRule::min_count);
  outcome.masked_mad_max = by(MaskRule::mad_max);
  outcome.masked_blacklist = by(MaskRule::blacklist);
  outcome.stop = reason(result);
  return outcome;
}

double largest_variance(const BalanceOutcome& outcome) {
  double largest = 0;
  for (const double var : outcome.var) {
    if (std::isnan(var)) return var;
    largest = std::max(largest, var);
  }
  return largest;
}

bool all_converged(const BalanceOutcome& outcome) {
  return std::all_of(outcome.converged.begin(), outcome.converged.end(),
                     [](bool yes) { return yes; });
}

std::string convergence(const BalanceOutcome& outcome) {
  const auto n = std::count(outcome.converged.begin(), outcome.converged.end(), true);
  const std::string chromosomes =
      outcome.converged.size() > 1
          ? fmt::format(" in {} of {} chromosomes", n, outcome.converged.size())
          : "";
  if (!all_converged(outcome) && n == 0) return "not converged: " + outcome.stop;
  if (!all_converged(outcome)) {
    return fmt::format("converged only{}: {}", chromosomes, outcome.stop);
  }
  if (outcome.stop == "converged") return "converged" + chromosomes;
  return "nothing to balance: " + outcome.stop;
}

const char* consequence(ConvergencePolicy policy) {
  switch (policy) {
    case ConvergencePolicy::store_final:
      return "the weights are kept as they are";
    case ConvergencePolicy::store_nan:
      return "all weights are made NaN";
    case ConvergencePolicy::discard:
      return "the weights are discarded";
    case ConvergencePolicy::error:
      break;
  }
  return "no weights are stored";
}

void say(const BalanceTarget& target, const BalanceOptions& options, const BalanceOutcome& outcome,
         Observer& observer) {
  const auto masked = std::count_if(outcome.weights.begin(), outcome.weights.end(),
                                    [](double weight) { return std::isnan(weight); });
  std::string line = fmt::format(
      "{}: {} iterations, variance {:.3g}, {}; {} of {} bins without a weight (left out by "
      "min-nnz {}, min-count {}, mad-max {}, blacklist {})",
      target.label, outcome.iterations, largest_variance(outcome), convergence(outcome), masked,
      outcome.weights.size(), outcome.masked_min_nnz, outcome.masked_min_count,
      outcome.masked_mad_max, outcome.masked_blacklist);
  if (!all_converged(outcome)) line += fmt::format("; {}", consequence(options.policy));
  observer.note(line);
}

void apply_policy(const BalanceTarget& target, ConvergencePolicy policy, BalanceOutcome& outcome) {
  if (all_converged(outcome)) return;
  switch (policy) {
    case ConvergencePolicy::store_final:
      return;
    case ConvergencePolicy::store_nan:
      std::fill(outcome.weights.begin(), outcome.weights.end(),
                std::numeric_limits<double>::quiet_NaN());
      return;
    case ConvergencePolicy::discard:
      return outcome.weights.clear();
    case ConvergencePolicy::error:
      break;
  }
  fail(ErrorCode::input, "{}: balancing did not converge: {}; nothing was stored", target.label,
       outcome.stop);
}

}  // namespace

void Blacklists::read(const std::string& path) {
  if (texts_.contains(path)) return;
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (!file.is_open() || file.bad()) {
    fail(ErrorCode::usage, "cannot read blacklist {}: {}", path, std::strerror(errno));
  }
  const auto raw = std::as_bytes(std::span(bytes));
  try {
    texts_[path] = codec::is_gzip(raw) ? codec::gunzip(raw, kLargestBlacklist) : std::move(bytes);
  } catch (const Error& error) {
    fail(ErrorCode::usage, "cannot read blacklist {}: {}", path, error.what());
  }
}

const std::string& Blacklists::text(const std::string& path) const { return texts_.at(path); }

cool::Description describe_for_balance(const genome::Uri& uri, const Settings& settings,
                                       Observer& observer) {
  return describe_source(settings.reader_program, {uri.file, uri.group, {"count"}}, observer);
}

bool has_bin_column(const cool::Description& map, const std::string& name) {
  return std::any_of(map.bin_columns.begin(), map.bin_columns.end(),
                     [&](const cool::SideColumn& column) { return column.name == name; });
}

void check_balanceable(const cool::Description& map, const BalanceOptions& options,
                       const Blacklists& blacklists) {
  if (map.mode == pixels::StorageMode::square) {
    if (options.method != BalanceMethod::ice) {
      fail(ErrorCode::usage, "{} is stored square: VC and VC_SQRT are for symmetric maps",
           map.label);
    }
    if (!options.allow_square) {
      fail(ErrorCode::usage,
           "{} is stored square, and balancing is for symmetric maps; with --allow-square each "
           "cell counts for its row and its column",
           map.label);
    }
  }
  if (options.ignore_dist != 0 && !map.bins.bin_size()) {
    fail(ErrorCode::usage, "{} has variable bins, where --ignore-dist has no meaning", map.label);
  }
  static_cast<void>(
      balance::blacklisted_bins(blacklists.text(options.blacklist), map.bins, options.blacklist));
}

BalanceOutcome balance_map(const BalanceTarget& target, const BalanceOptions& options,
                           const BalanceMeans& means, Observer& observer) {
  using std::chrono::steady_clock;
  const steady_clock::time_point begin = steady_clock::now();
  PixelSource source;
  source.uri = target.uri;
  source.description = &target.description;
  source.label = target.label;
  if (means.rules.duplicates == Duplicates::sum) source.duplicates = reader::DuplicatePolicy::sum;
  if (means.rules.not_finite == NotFinite::skip) source.nan = reader::NanPolicy::skip;
  source.settings = means.settings;
  source.memory_limit = means.memory_limit;
  source.scratch_folder = means.scratch_folder;
  const balance::FilterOptions filters = filters_of(target, options, means.blacklists);
  const LoadedPixels loaded = load_pixels(source, layout_of(target.description, options), observer);

  BalanceOutcome outcome;
  std::vector<std::vector<double>> variances;
  if (means.threads > 1) require_threads(means.threads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(means.threads));
  const StageScope stage(Stage::iterate);
  tbb::task_arena(means.threads).execute([&] {
    const balance::BinMask mask = balance::filter_bins(*loaded.store, filters);
    outcome = outcome_of(compute(*loaded.store, mask, target, options, variances, observer), mask);
  });
  outcome.variances = std::move(variances);
  outcome.seconds = std::chrono::duration<double>(steady_clock::now() - begin).count();
  const auto rounds = static_cast<std::uint64_t>(outcome.iterations);
  count({.items = rounds, .pixels = rounds * static_cast<std::uint64_t>(loaded.store->pixels())});
  outcome.group = target.uri.group;
  outcome.name = weight_name(options);
  outcome.ignored_diags = loaded.store->layout().ignore_diags;
  if (options.policy != ConvergencePolicy::error || all_converged(outcome)) {
    say(target, options, outcome, observer);
  }
  apply_policy(target, options.policy, outcome);
  return outcome;
}

cool::WeightColumn weight_column(const std::string& group, const BalanceOptions& options,
                                 const BalanceOutcome& outcome) {
  cool::WeightColumn column;
  column.group = group;
  column.name = outcome.name;
  column.weights = outcome.weights;
  column.tol = options.tol;
  column.min_nnz = options.min_nnz;
  column.min_count = options.min_count;
  column.mad_max = options.mad_max;
  column.ignore_diags = outcome.ignored_diags;
  column.cis_only = options.contacts == ContactSet::cis_only;
  column.divisive = options.method != BalanceMethod::ice;
  if (options.iteration == BalanceIteration::anderson) column.iteration = "anderson";
  column.scale = outcome.scale;
  column.var = outcome.var;
  column.converged = outcome.converged;
  return column;
}

}  // namespace ziggurat::engine
