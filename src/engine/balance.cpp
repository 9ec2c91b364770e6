// Balancing maps where they are, in order: an interrupted change of the file is settled; all maps
// are described and checked; all weights are computed; and only then the file is opened for
// writing, once, for all of them. Until that moment nothing of the file is touched.
#include "ziggurat/balance.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/check.hpp"
#include "base/uninterrupted.hpp"
#include "engine/balance_level.hpp"
#include "engine/paths.hpp"
#include "engine/plan.hpp"
#include "engine/reader_pool.hpp"
#include "engine/run_meter.hpp"
#include "engine/target_maps.hpp"
#include "engine/work_folder.hpp"
#include "h5/handle.hpp"
#include "h5/journal.hpp"
#include "proc/reader_program.hpp"

namespace ziggurat {

namespace engine {

namespace {

namespace fs = std::filesystem;

void check_writable(const std::string& path) {
  const int fd = uninterrupted([&] { return open(path.c_str(), O_RDWR | O_CLOEXEC); });
  if (fd < 0) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::input : ErrorCode::io;
    fail(code, "cannot add weights to {}: {}", path, std::strerror(errno));
  }
  close(fd);
}

class InPlace {
 public:
  InPlace(const BalanceRequest& request, Observer& observer)
      : request_(request), file_(genome::parse_uri(request.target).file), observer_(observer) {
    means_.settings = decided(request.settings);
    means_.threads = means_.settings.processes;
    means_.rules = request.rules;
    means_.memory_limit = request.memory_limit;
    means_.scratch_folder = request.settings.temporary_folder;
    if (means_.scratch_folder.empty()) means_.scratch_folder = folder_of(file_);
    means_.blacklists.read(request.options.blacklist);
  }

  std::vector<BalanceOutcome> run() {
    settle();
    identity_ = identify(file_);
    if (request_.store) check_can_store();
    for (genome::Uri& uri :
         target_maps(request_.target, means_.settings.reader_program, &observer_)) {
      targets_.push_back(describe(std::move(uri)));
    }
    std::vector<BalanceOutcome> outcomes;
    for (const BalanceTarget& target : targets_) {
      outcomes.push_back(balance_map(target, request_.options, means_, observer_));
    }
    // Past here all weights are known and no reader is alive.
    refuse_changed();
    if (request_.store) store(outcomes);
    return outcomes;
  }

 private:
  // Says once that the file is held, and lets a request to stop end the wait.
  [[nodiscard]] h5::LockPatience patience() const {
    h5::LockPatience patience = request_.lock_timeout;
    patience.waiting = [this, said = false]() mutable {
      if (observer_.cancelled()) fail(ErrorCode::cancelled, "stopped");
      if (std::exchange(said, true)) return;
      const double seconds = std::chrono::duration<double>(request_.lock_timeout).count();
      observer_.note(
          fmt::format("{} is locked by another program: waiting up to {} s", file_, seconds));
    };
    return patience;
  }

  void settle() {
    switch (h5::recover(file_, h5::posix_file_ops(), patience())) {
      case h5::Recovery::nothing:
        return;
      case h5::Recovery::finished:
        return observer_.note(file_ + ": a change that had been interrupted was completed");
      case h5::Recovery::undone:
        return observer_.note(file_ + ": a change that had been interrupted was undone");
    }
  }

  [[nodiscard]] bool replaces_link() const {
    return request_.replace_link && fs::is_symlink(file_);
  }

  // What would fail after hours of computing is better said at once.
  void check_can_store() const {
    if (replaces_link()) return check_output_path(file_);
    check_writable(file_);
    check_output_path(fs::canonical(file_).string());
  }

  BalanceTarget describe(genome::Uri uri) const {
    BalanceTarget target;
    target.description = describe_for_balance(uri, means_.settings, observer_);
    target.label = target.description.label;
    target.uri = std::move(uri);
    for (const std::string& note : target.description.notes) observer_.note(note);
    const std::string name = weight_name(request_.options);
    if (request_.store && !request_.force && has_bin_column(target.description, name)) {
      fail(ErrorCode::usage, "{}: '{}' column already exists. Use --force option to overwrite.",
           target.label, name);
    }
    check_balanceable(target.description, request_.options, means_.blacklists);
    target.description.bin_columns.clear();
    return target;
  }

  void refuse_changed() const {
    if (identify(file_) == identity_) return;
    fail(ErrorCode::input, "{} was changed while it was balanced: nothing was stored", file_);
  }

  void store(std::vector<BalanceOutcome>& outcomes) {
    std::vector<cool::WeightColumn> columns;
    for (BalanceOutcome& outcome : outcomes) {
      if (outcome.weights.empty()) continue;
      columns.push_back(weight_column(outcome.group, request_.options, outcome));
      outcome.stored = true;
    }
    if (columns.empty()) return;
    const StageScope stage(Stage::weights);
    count({.items = columns.size()});
    if (replaces_link()) {
      store_in_copy(columns);
    } else {
      cool::write_weights_in_place(file_, columns, patience(), [this] { refuse_changed(); });
    }
    observer_.note(fmt::format(
        "stored bins/{} of {} in {}", weight_name(request_.options),
        columns.size() == 1 ? "one map" : fmt::format("{} maps", columns.size()), file_));
  }

  // The link's target stays as it is; a whole file takes the link's place.
  void store_in_copy(const std::vector<cool::WeightColumn>& columns) const {
    const WorkFolder folder(folder_of(file_), name_of(file_));
    folder.remove_abandoned(observer_);
    const std::string copy = folder.file("copy");
    copy_file(file_, copy);
    fs::permissions(copy, fs::perms::owner_write, fs::perm_options::add);
    cool::write_weights(copy, columns);
    refuse_changed();
    publish(copy, file_);
  }

  const BalanceRequest& request_;
  std::string file_;
  Observer& observer_;
  BalanceMeans means_;
  FileIdentity identity_;
  std::vector<BalanceTarget> targets_;
};

}  // namespace

}  // namespace engine

BalanceOptions balance_defaults(BalanceMethod method) {
  BalanceOptions options;
  options.method = method;
  if (method != BalanceMethod::ice) {
    options.ignore_diags = 0;
    options.min_nnz = 0;
    options.mad_max = 0;
  }
  return options;
}

std::string weight_name(const BalanceOptions& options) {
  if (!options.name.empty()) return options.name;
  switch (options.method) {
    case BalanceMethod::ice:
      break;
    case BalanceMethod::vc:
      return "VC";
    case BalanceMethod::vc_sqrt:
      return "VC_SQRT";
  }
  return "weight";
}

void check_balance_options(const BalanceOptions& options) {
  const std::string name = weight_name(options);
  for (const char* taken : {"chrom", "start", "end", ".", ".."}) {
    if (name == taken) fail(ErrorCode::usage, "--name {}: weights cannot have this name", name);
  }
  if (name.find('/') != std::string::npos) {
    fail(ErrorCode::usage, "--name {}: a slash cannot be part of a name", name);
  }
  if (options.max_iters < 1) fail(ErrorCode::usage, "--max-iters must be at least 1");
  if (options.chunksize < 1) fail(ErrorCode::usage, "--chunksize must be at least 1");
  if (options.iteration != BalanceIteration::plain && options.method != BalanceMethod::ice) {
    fail(ErrorCode::usage, "--iteration is for --method ice: the others have no rounds");
  }
  if (options.ignore_dist < 0) fail(ErrorCode::usage, "--ignore-dist must not be negative");
  if (!options.blacklist.empty() && access(options.blacklist.c_str(), R_OK) != 0) {
    fail(ErrorCode::usage, "cannot read blacklist {}: {}", options.blacklist, std::strerror(errno));
  }
}

std::vector<BalanceOutcome> balance_maps(const BalanceRequest& request, Observer& observer) {
  check_balance_options(request.options);
  const h5::QuietErrors quiet;
  engine::RunMeter meter;
  std::vector<BalanceOutcome> outcomes = engine::InPlace(request, observer).run();
  meter.report_to(observer);
  return outcomes;
}

std::vector<WeightCheck> check_weights(const std::string& target, const std::string& name,
                                       const std::string& reader_program) {
  Settings settings;
  settings.reader_program = proc::reader_program(reader_program);
  std::vector<WeightCheck> checks;
  Observer nobody;
  for (const genome::Uri& uri : engine::target_maps(target, settings.reader_program, &nobody)) {
    const cool::Description map =
        engine::describe_source(settings.reader_program, {uri.file, uri.group, {}}, nobody);
    checks.push_back({uri.group, engine::has_bin_column(map, name)});
  }
  return checks;
}

}  // namespace ziggurat
