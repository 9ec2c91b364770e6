// The stages of making a file, in order. Past each milestone the comment says what holds.
#include "ziggurat/build.hpp"

#include <cstdlib>
#include <memory>

#include "base/check.hpp"
#include "cool/attributes.hpp"
#include "cool/pyramid_file.hpp"
#include "engine/checkpoint.hpp"
#include "engine/output.hpp"
#include "engine/plan.hpp"
#include "engine/run_meter.hpp"
#include "engine/work_folder.hpp"
#include "h5/handle.hpp"

namespace ziggurat::engine {

namespace {

// A level that is finished and waits to be put into the output.
struct FinishedLevel {
  std::string file;
  std::int64_t bytes = 0;  // of the file, once it is complete
  LevelOutcome outcome;
  std::optional<BalanceOutcome> balance;
  bool from_checkpoint = false;
  bool weights_from_checkpoint = false;
};

class Build {
 public:
  Build(const BuildPlan& plan, Observer& observer) : plan_(plan), observer_(observer) {
    if (!plan.checkpoint.folder.empty()) {
      checkpoint_ = std::make_unique<Checkpoint>(plan, observer);
    }
    const std::string folder = folder_of(plan.output);
    output_folder_ = make_folder(folder);
    const std::string& temporary = plan.settings.temporary_folder;
    if (!temporary.empty()) {
      level_folder_ = make_folder(temporary);
    }
    finished_.resize(plan.levels.size());
  }

  BuildReport run() {
    try {
      return run_stages();
    } catch (const Error& error) {
      if (!checkpoint_ || error.code() != ErrorCode::cancelled) throw;
      fail(ErrorCode::cancelled,
           "stopped; checkpoint {} is kept, and the same command goes on from there",
           checkpoint_->folder());
    }
  }

 private:
  BuildReport run_stages() {
    for (std::size_t source = 0; source < plan_.sources.size(); ++source) make_levels_of(source);
    // Past here every level is a finished file and no reader is alive.
    refuse_changed_sources();
    balance_levels();
    // Past here the levels have their weights.
    const std::string complete = assemble();
    // Past here the output is complete and synced under a private name.
    if (observer_.cancelled()) fail(ErrorCode::cancelled, "stopped");
    const StageScope stage(Stage::publish);
    publish(complete, plan_.output);
    BuildReport done = report();
    if (checkpoint_) checkpoint_->remove();
    return done;
  }

  std::unique_ptr<WorkFolder> make_folder(const std::string& parent) {
    auto folder = std::make_unique<WorkFolder>(parent, name_of(plan_.output));
    folder->remove_abandoned(observer_);
    return folder;
  }

  std::string level_name(std::size_t level) const {
    return fmt::format("{}.level", plan_.levels[level].plan.resolution);
  }

  const WorkFolder& work_folder() const { return level_folder_ ? *level_folder_ : *output_folder_; }

  // Where a level is made.
  std::string level_path(std::size_t level) const {
    if (checkpoint_) return checkpoint_->file(level_name(level));
    return work_folder().file(level_name(level));
  }

  // The file of a level that something is added to: levels that a checkpoint keeps stay as they
  // are, and it is a copy that changes.
  const std::string& own_file(std::size_t level) {
    std::string& file = finished_[level].file;
    const std::string own = work_folder().file(level_name(level));
    if (file != own) {
      checkpoint_->copy_level(level_name(level), own);
      file = own;
    }
    return file;
  }

  void make_levels_of(std::size_t source) {
    std::vector<std::size_t> made;  // plan index of each level of the pass
    const PassRequest request = make_request(source, made);
    bool kept = false;
    PassOutcome outcome = pass_or_kept(source, request, made, kept);
    pixels_read_ += outcome.pixels_read;
    for (std::size_t i = 0; i < made.size(); ++i) {
      finished_[made[i]] = {level_path(made[i]), 0, std::move(outcome.levels[i]), {}, kept};
    }
    if (outcome.base) {
      const std::size_t base = base_level_of(source);
      finished_[base] = {level_path(base), 0, std::move(*outcome.base), {}, kept};
    }
  }

  PassOutcome pass_or_kept(std::size_t source, PassRequest request,
                           const std::vector<std::size_t>& made, bool& kept) {
    if (!checkpoint_) return run_pass(request, observer_);
    std::vector<std::string> names;
    if (request.base_file) names.push_back(level_name(base_level_of(source)));
    for (const std::size_t level : made) names.push_back(level_name(level));
    if (auto outcome = checkpoint_->finished_pass(source, names)) {
      kept = true;
      observer_.note(fmt::format("checkpoint {}: {} levels of {} are finished and kept",
                                 checkpoint_->folder(), names.size(),
                                 plan_.sources[source].description.label));
      return std::move(*outcome);
    }
    request.keeper = &checkpoint_->keeper(source);
    PassOutcome outcome = run_pass(request, observer_);
    // What is kept must be of the source that the job names.
    refuse_changed_sources();
    checkpoint_->keep_pass(source, names, outcome);
    return outcome;
  }

  std::size_t base_level_of(std::size_t source) const {
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      const genome::LevelPlan& level = plan_.levels[i].plan;
      if (level.predecessor < 0 && level.base == static_cast<int>(source)) return i;
    }
    fail(ErrorCode::internal, "source {} is no level", source);
  }

  PassRequest make_request(std::size_t source, std::vector<std::size_t>& made) const {
    PassRequest request;
    request.source = plan_.sources[source].uri;
    request.description = &plan_.sources[source].description;
    request.creation_date = cool::derived_creation_date(
        plan_.sources[source].description.attributes, plan_.sources[source].identity.modified_ns);
    request.settings = plan_.settings;
    if (plan_.rules.duplicates == Duplicates::sum)
      request.duplicates = reader::DuplicatePolicy::sum;
    if (plan_.rules.not_finite == NotFinite::skip) request.nan = reader::NanPolicy::skip;
    const std::size_t base = base_level_of(source);
    if (plan_.levels[base].written) request.base_file = level_path(base);
    if (base == 0) request.other_factors = factors_of_other_bases();
    std::vector<int> place(plan_.levels.size(), coarsen::kBase);
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      const genome::LevelPlan& level = plan_.levels[i].plan;
      if (level.predecessor < 0 || level.base != static_cast<int>(source)) continue;
      PassLevel pass_level;
      pass_level.file = level_path(i);
      pass_level.predecessor = place[static_cast<std::size_t>(level.predecessor)];
      pass_level.factor = level.factor;
      pass_level.base_factor = level.resolution / plan_.levels[base].plan.resolution;
      set_fields(plan_.sources[source].description, pass_level.predecessor == coarsen::kBase,
                 pass_level);
      place[i] = static_cast<int>(request.levels.size());
      request.levels.push_back(std::move(pass_level));
      made.push_back(i);
    }
    return request;
  }

  // Of the first level to levels that are sources of their own. Thus levels that were made one by
  // one are gathered to the bytes of a run in one go.
  std::vector<std::int64_t> factors_of_other_bases() const {
    std::vector<std::int64_t> factors;
    const std::int64_t finest = plan_.levels.front().plan.resolution;
    for (std::size_t i = 1; i < plan_.levels.size(); ++i) {
      const genome::LevelPlan& level = plan_.levels[i].plan;
      if (level.predecessor < 0 && level.resolution % finest == 0) {
        factors.push_back(level.resolution / finest);
      }
    }
    return factors;
  }

  // The type asked for holds from the first derived level on; without one, the source's.
  void set_fields(const cool::Description& source, bool from_base, PassLevel& level) const {
    for (std::size_t f = 0; f < source.fields.size(); ++f) {
      const cool::PixelColumn& column = source.fields[f];
      const NumberType target =
          plan_.fields.empty() ? column.type : plan_.fields[f].dtype.value_or(column.type);
      const Aggregation aggregation = plan_.fields.empty() ? Aggregation::sum : plan_.fields[f].agg;
      level.fields.push_back({column.name, target});
      level.rules.push_back(
          {aggregation, from_base ? column.type : target, target, column.name == "count"});
    }
  }

  void refuse_changed_sources() const {
    for (const Source& source : plan_.sources) {
      if (identify(source.uri.file) != source.identity) {
        fail(ErrorCode::input, "{} was changed while it was read: nothing was written",
             source.uri.file);
      }
    }
  }

  void balance_levels() {
    BalanceMeans means = plan_.balance_means;
    means.scratch_folder = work_folder().path();
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      const std::optional<BalanceOptions>& balance = plan_.levels[i].balance;
      const std::string computed = balance ? weight_name(*balance) : "";
      bring_bin_columns(i, [&](const std::string& name) { return name != computed; });
      if (balance) balance_level(i, means);
      if (balance && !finished_[i].balance->stored) {
        bring_bin_columns(i, [&](const std::string& name) { return name == computed; });
      }
    }
  }

  // Those that the level's own source has, if it is one.
  template <typename IsWanted>
  void bring_bin_columns(std::size_t level, const IsWanted& is_wanted) {
    const PlannedLevel& planned = plan_.levels[level];
    if (planned.plan.predecessor >= 0 || !planned.written) return;
    const Source& source = plan_.sources[static_cast<std::size_t>(planned.plan.base)];
    std::vector<cool::SideColumn> columns;
    for (const cool::SideColumn& column : source.description.bin_columns) {
      if (is_wanted(column.name)) columns.push_back(column);
    }
    if (columns.empty()) return;
    const std::string& file = own_file(level);
    std::optional<h5::BlockSums>& content = finished_[level].outcome.content;
    content = cool::add_bin_columns(file, columns, std::move(content));
  }

  void balance_level(std::size_t level, const BalanceMeans& means) {
    const PlannedLevel& planned = plan_.levels[level];
    if (checkpoint_) {
      if (auto kept = checkpoint_->weights(planned.plan.resolution)) {
        observer_.note(fmt::format("checkpoint {}: the weights of level {} are kept",
                                   checkpoint_->folder(), planned.plan.resolution));
        finished_[level].weights_from_checkpoint = true;
        return finish_balance(level, std::move(*kept));
      }
    }
    BalanceTarget target;
    target.uri = {finished_[level].file, "/"};
    target.description = describe_for_balance(target.uri, means.settings, observer_);
    target.label = fmt::format("level {}", planned.plan.resolution);
    BalanceOutcome outcome = balance_map(target, *planned.balance, means, observer_);
    if (checkpoint_) checkpoint_->keep_weights(planned.plan.resolution, outcome);
    finish_balance(level, std::move(outcome));
  }

  void finish_balance(std::size_t level, BalanceOutcome outcome) {
    const PlannedLevel& planned = plan_.levels[level];
    if (plan_.store_weights && !outcome.weights.empty()) {
      const StageScope stage(Stage::weights);
      const std::string& file = own_file(level);
      std::optional<h5::BlockSums>& content = finished_[level].outcome.content;
      content = cool::write_weights(file, {weight_column("/", *planned.balance, outcome)},
                                    std::move(content));
      outcome.stored = true;
    }
    outcome.group = planned.group;
    finished_[level].balance = std::move(outcome);
  }

  // A new output that has the first, finest level. It is that level's own file where this is ours
  // and lies beside the output.
  cool::PyramidFile grown_output(std::string& path, std::size_t first) const {
    const FinishedLevel& level = finished_[first];
    if (level.file == output_folder_->file(level_name(first))) {
      path = level.file;
    } else {
      copy_file(level.file, path);
    }
    return cool::PyramidFile::grow(path, plan_.levels[first].group, level.outcome.content);
  }

  std::string assemble() {
    const StageScope stage(Stage::assemble);
    std::string path = output_folder_->file("assembled");
    std::vector<std::size_t> written;
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      if (!plan_.levels[i].written) continue;
      written.push_back(i);
      finished_[i].bytes = identify(finished_[i].file).size;
      count({.items = 1, .bytes_out = static_cast<std::uint64_t>(finished_[i].bytes)});
    }
    observer_.progress({"assembling", plan_.output, 0, written.size(), "levels"});
    const auto stop_if_cancelled = [this] {
      if (observer_.cancelled()) fail(ErrorCode::cancelled, "stopped");
    };
    const bool extend = plan_.append && exists(plan_.output);
    cool::PyramidFile output =
        extend ? copied_output(path, plan_.output) : grown_output(path, written.front());
    for (std::size_t k = extend ? 0 : 1; k < written.size(); ++k) {
      observer_.progress({"assembling", plan_.output, k, written.size(), "levels"});
      const FinishedLevel& level = finished_[written[k]];
      output.add(level.file, plan_.levels[written[k]].group, level.outcome.content,
                 stop_if_cancelled);
    }
    if (plan_.kind == OutputKind::pyramid) output.mark_as_mcool();
    if (plan_.kind == OutputKind::legacy) output.mark_as_legacy(zoom_levels());
    output.finish(stop_if_cancelled);
    return path;
  }

  std::vector<std::pair<int, std::int64_t>> zoom_levels() const {
    std::vector<std::pair<int, std::int64_t>> zooms;
    const int last = static_cast<int>(plan_.levels.size()) - 1;
    for (int i = 0; i <= last; ++i) {
      zooms.emplace_back(last - i, plan_.levels[static_cast<std::size_t>(i)].plan.resolution);
    }
    return zooms;
  }

  BuildReport report() const {
    BuildReport report = estimate(plan_);
    report.bytes = identify(plan_.output).size;
    report.pixels_read = static_cast<std::int64_t>(pixels_read_);
    std::size_t line = 0;
    for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
      if (!plan_.levels[i].written) continue;
      const FinishedLevel& level = finished_[i];
      LevelReport& out = report.levels[line++];
      out.n_bins = level.outcome.n_bins;
      out.n_pixels = static_cast<std::int64_t>(level.outcome.n_pixels);
      out.count_type = name(level.outcome.count_type);
      out.bytes = level.bytes;
      out.balance = level.balance;
      out.from_checkpoint = level.from_checkpoint;
      out.weights_from_checkpoint = level.weights_from_checkpoint;
      if (const auto& sum = level.outcome.sum) {
        out.sum = sum->is_float ? fmt::format("{}", sum->real) : std::to_string(sum->integer);
      }
    }
    return report;
  }

  const BuildPlan& plan_;
  Observer& observer_;
  std::unique_ptr<Checkpoint> checkpoint_;  // if one is kept
  std::uint64_t pixels_read_ = 0;           // of the sources, by this run
  std::unique_ptr<WorkFolder> output_folder_;
  std::unique_ptr<WorkFolder> level_folder_;
  std::vector<FinishedLevel> finished_;
};

template <typename Request>
BuildReport build(const Request& request, Observer& observer) {
  const h5::QuietErrors quiet;
  RunMeter meter;
  const BuildPlan made = plan(request, observer);
  BuildReport report = Build(made, observer).run();
  meter.report_to(observer);
  return report;
}

}  // namespace

}  // namespace ziggurat::engine

namespace ziggurat {

BuildReport zoomify(const ZoomifyRequest& request, Observer& observer) {
  return engine::build(request, observer);
}

BuildReport coarsen_map(const CoarsenRequest& request, Observer& observer) {
  return engine::build(request, observer);
}

BuildReport assemble(const AssembleRequest& request, Observer& observer) {
  return engine::build(request, observer);
}

BuildReport copy_map(const CopyRequest& request, Observer& observer) {
  return engine::build(request, observer);
}

BuildReport plan_zoomify(const ZoomifyRequest& request, Observer& observer) {
  const h5::QuietErrors quiet;
  return engine::estimate(engine::plan(request, observer));
}

void check_rules(const SourceRules& rules) {
  for (const std::string& text : rules.fields) {
    static_cast<void>(genome::parse_field_spec(text));
  }
}

}  // namespace ziggurat
