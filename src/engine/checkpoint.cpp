#include "engine/checkpoint.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/check.hpp"
#include "base/crc32.hpp"
#include "engine/durable_file.hpp"
#include "engine/job_text.hpp"
#include "engine/paths.hpp"

namespace ziggurat::engine {

namespace fs = std::filesystem;

namespace {

using Bytes = std::vector<std::byte>;

void put_level(const LevelOutcome& level, wire::Encoder& out) {
  out.put(level.n_bins);
  out.put(level.n_pixels);
  out.put(level.count_type);
  out.put(std::uint8_t{level.sum.has_value()});
  const cool::CountSum sum = level.sum.value_or(cool::CountSum{});
  out.put(std::uint8_t{sum.is_float});
  out.put(std::uint8_t{sum.is_unsigned});
  out.put(sum.integer);
  out.put(sum.real);
}

LevelOutcome get_level(wire::Decoder& in) {
  LevelOutcome level;
  level.n_bins = in.get<std::int64_t>();
  level.n_pixels = in.get<std::uint64_t>();
  level.count_type = in.get<NumberType>();
  const bool has_sum = in.get<std::uint8_t>() != 0;
  cool::CountSum sum;
  sum.is_float = in.get<std::uint8_t>() != 0;
  sum.is_unsigned = in.get<std::uint8_t>() != 0;
  sum.integer = in.get<std::int64_t>();
  sum.real = in.get<double>();
  if (has_sum) level.sum = sum;
  return level;
}

void put_weights(const BalanceOutcome& outcome, wire::Encoder& out) {
  out.put_string(outcome.name);
  out.put_span(std::span<const double>(outcome.weights));
  out.put_span(std::span<const double>(outcome.scale));
  out.put_span(std::span<const double>(outcome.var));
  std::vector<std::uint8_t> converged(outcome.converged.begin(), outcome.converged.end());
  out.put_span(std::span<const std::uint8_t>(converged));
  out.put(std::int64_t{outcome.iterations});
  for (const std::int64_t number :
       {outcome.ignored_diags, outcome.masked_min_nnz, outcome.masked_min_count,
        outcome.masked_mad_max, outcome.masked_blacklist}) {
    out.put(number);
  }
  out.put_string(outcome.stop);
}

BalanceOutcome get_weights(wire::Decoder& in) {
  BalanceOutcome outcome;
  outcome.name = in.get_string();
  outcome.weights = in.get_vector<double>();
  outcome.scale = in.get_vector<double>();
  outcome.var = in.get_vector<double>();
  const std::vector<std::uint8_t> converged = in.get_vector<std::uint8_t>();
  for (const std::uint8_t yes : converged) outcome.converged.push_back(yes != 0);
  outcome.iterations = narrow<int>(in.get<std::int64_t>());
  for (std::int64_t* number :
       {&outcome.ignored_diags, &outcome.masked_min_nnz, &outcome.masked_min_count,
        &outcome.masked_mad_max, &outcome.masked_blacklist}) {
    *number = in.get<std::int64_t>();
  }
  outcome.stop = in.get_string();
  in.expect_end();
  return outcome;
}

std::string done_file(std::size_t source) { return fmt::format("source-{}.done", source + 1); }
std::string weights_file(std::int64_t resolution) { return fmt::format("{}.weights", resolution); }

// Names that a folder of ours may hold.
bool is_ours(const std::string& name) {
  if (name == "job" || name == "sources" || name == "owner") return true;
  if (name.starts_with("owner.")) return true;
  std::string stem = name.ends_with(".tmp") ? name.substr(0, name.size() - 4) : name;
  if (stem == "job" || stem == "sources") return true;
  for (const char* suffix : {".state", ".chunks", ".done", ".level", ".weights"}) {
    if (stem.ends_with(suffix)) return true;
  }
  return false;
}

void make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return;
  fail(ErrorCode::io, "cannot make checkpoint {}: {}", path, std::strerror(errno));
}

}  // namespace

Checkpoint::Checkpoint(const BuildPlan& plan, Observer& observer)
    : folder_(plan.checkpoint.folder), observer_(observer) {
  std::vector<std::uint32_t> crcs;
  if (plan.checkpoint.is_shared) {
    make_folder(folder_);
    crcs = source_crcs(plan);
    const std::string job = job_text(plan, crcs);
    folder_ += fmt::format("/zoomify-{:08x}", crc32(std::as_bytes(std::span(job))));
  }
  make_folder(folder_);
  lease_.emplace(folder_, observer_);
  remove_stray_files();
  if (!plan.checkpoint.is_shared) crcs = source_crcs(plan);
  begin_or_compare(job_text(plan, crcs));
  wire::Encoder known;
  for (std::size_t i = 0; i < crcs.size(); ++i) {
    known.put(plan.sources[i].identity);
    known.put(crcs[i]);
  }
  write_sealed(file("sources"), known.payload());
  for (std::size_t i = 0; i < plan.sources.size(); ++i) {
    keepers_.push_back(std::make_unique<PassKeeper>(file(fmt::format("source-{}", i + 1)),
                                                    plan.checkpoint.interval,
                                                    [this] { lease_->check(); }));
  }
}

// A folder that holds anything but a checkpoint was named by mistake.
void Checkpoint::remove_stray_files() {
  const bool has_job = exists(file("job"));
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool expected = has_job ? is_ours(name) : name.starts_with("owner") || name == "job.tmp";
    if (!expected) {
      fail(ErrorCode::usage,
           "--checkpoint {}: the folder holds {}, which is no part of a checkpoint: name a folder "
           "of its own",
           folder_, name);
    }
    std::error_code ignored;
    if (name.ends_with(".tmp") || name.starts_with("owner.")) fs::remove(entry->path(), ignored);
  }
  if (error) fail(ErrorCode::io, "cannot look into checkpoint {}: {}", folder_, error.message());
}

// A file that is still the one it was is not read again.
std::vector<std::uint32_t> Checkpoint::source_crcs(const BuildPlan& plan) {
  std::optional<Bytes> sealed;
  if (!plan.checkpoint.is_shared) {
    try {
      sealed = read_sealed(file("sources"));
    } catch (const Error& error) {
      say_damage(error);
    }
  }
  const Bytes known = sealed.value_or(Bytes());
  wire::Decoder in(known);
  std::vector<std::uint32_t> crcs;
  for (const Source& source : plan.sources) {
    const bool has_entry = in.remaining() >= sizeof(FileIdentity) + sizeof(std::uint32_t);
    const FileIdentity identity = has_entry ? in.get<FileIdentity>() : FileIdentity{};
    const std::uint32_t crc = has_entry ? in.get<std::uint32_t>() : 0;
    const bool same = has_entry && identity == source.identity;
    crcs.push_back(same ? crc : crc_of_file(source.uri.file, observer_));
  }
  return crcs;
}

void Checkpoint::begin_or_compare(const std::string& job) {
  std::optional<Bytes> sealed;
  try {
    sealed = read_sealed(file("job"));
  } catch (const Error& error) {
    fail(error.code(), "{}: remove the folder to begin anew", error.what());
  }
  if (!sealed) {
    wire::Encoder out;
    out.put_string(job);
    return write_sealed(file("job"), out.payload());
  }
  wire::Decoder in(*sealed);
  const std::string before = in.get_string();
  const std::string difference = first_difference(before, job);
  if (difference.empty()) return;
  fail(ErrorCode::usage,
       "checkpoint {} is of another job: {}; name another folder, or remove this one", folder_,
       difference);
}

void Checkpoint::say_damage(const Error& error) {
  if (error.code() != ErrorCode::format && error.code() != ErrorCode::worker) throw error;
  observer_.note(fmt::format("{}: this part of the work is done again", error.what()));
}

std::optional<PassOutcome> Checkpoint::finished_pass(std::size_t source,
                                                     const std::vector<std::string>& levels) {
  const std::string path = file(done_file(source));
  try {
    const std::optional<Bytes> sealed = read_sealed(path);
    if (!sealed) return std::nullopt;
    wire::Decoder in(*sealed);
    PassOutcome outcome;
    const bool has_base = in.get<std::uint8_t>() != 0;
    for (const std::string& name : levels) {
      LevelOutcome level = get_level(in);
      const auto seal = in.get<FileSeal>();
      if (!is_sealed(file(name), seal)) fail(ErrorCode::format, "{} is damaged", file(name));
      seals_[name] = seal;
      if (has_base && !outcome.base) {
        outcome.base = level;
      } else {
        outcome.levels.push_back(level);
      }
    }
    in.expect_end();
    keeper(source).remove();
    return outcome;
  } catch (const Error& error) {
    say_damage(error);
  }
  std::remove(path.c_str());
  return std::nullopt;
}

void Checkpoint::keep_pass(std::size_t source, const std::vector<std::string>& levels,
                           const PassOutcome& outcome) {
  lease_->check();
  wire::Encoder out;
  out.put(std::uint8_t{outcome.base.has_value()});
  std::vector<LevelOutcome> outcomes = outcome.levels;
  if (outcome.base) outcomes.insert(outcomes.begin(), *outcome.base);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    sync_file(file(levels[i]));
    put_level(outcomes[i], out);
    const FileSeal seal{static_cast<std::uint64_t>(identify(file(levels[i])).size),
                        crc_of_file(file(levels[i]), observer_)};
    out.put(seal);
    seals_[levels[i]] = seal;
  }
  sync_folder(folder_);
  write_sealed(file(done_file(source)), out.payload());
  keeper(source).remove();
}

bool Checkpoint::is_sealed(const std::string& path, const FileSeal& seal) const {
  return exists(path) && static_cast<std::uint64_t>(identify(path).size) == seal.size &&
         crc_of_file(path, observer_) == seal.crc;
}

void Checkpoint::copy_level(const std::string& name, const std::string& to) const {
  copy_file(file(name), to);
  if (is_sealed(to, seals_.at(name))) return;
  fail(ErrorCode::io, "{}: what was read back is not what was written", to);
}

std::optional<BalanceOutcome> Checkpoint::weights(std::int64_t resolution) {
  try {
    const std::optional<Bytes> sealed = read_sealed(file(weights_file(resolution)));
    if (!sealed) return std::nullopt;
    wire::Decoder in(*sealed);
    return get_weights(in);
  } catch (const Error& error) {
    say_damage(error);
  }
  return std::nullopt;
}

void Checkpoint::keep_weights(std::int64_t resolution, const BalanceOutcome& outcome) {
  lease_->check();
  wire::Encoder out;
  put_weights(outcome, out);
  write_sealed(file(weights_file(resolution)), out.payload());
}

// What says that something is done goes before what it speaks of, and the job last: a removal that
// is cut short leaves a checkpoint that is merely less far.
void Checkpoint::remove() {
  std::vector<fs::path> rest;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".done") || name.ends_with(".state")) {
      fs::remove(entry.path(), ignored);
    } else if (is_ours(name) && name != "job" && !name.starts_with("owner")) {
      rest.push_back(entry.path());
    }
  }
  for (const fs::path& path : rest) fs::remove(path, ignored);
  fs::remove(file("job"), ignored);
  lease_.reset();
  fs::remove(folder_, ignored);
}

}  // namespace ziggurat::engine
