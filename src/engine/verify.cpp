// Verification in three steps. Each map alone: its tables are described, its row ids proven against
// its index, every pixel checked on the way, and a digest kept of each row. The attributes: against
// what was found; weights that say they converged: against the balanced sums. Level against level:
// the finest map is pooled once into all its coarser levels, as zoomify would, and the digests of
// the rows must be those of the stored levels. Cost: every map is read once, and each finest map
// once more. Memory: 16 to 32 bytes a bin.
#include "ziggurat/verify.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/check.hpp"
#include "base/strings.hpp"
#include "cool/level_file.hpp"
#include "cool/schema.hpp"
#include "engine/flat_marginals.hpp"
#include "engine/plan.hpp"
#include "engine/reader_pool.hpp"
#include "engine/row_digests.hpp"
#include "engine/spans.hpp"
#include "h5/value.hpp"
#include "ziggurat/inspect.hpp"

namespace ziggurat {

namespace engine {

namespace {

constexpr std::string_view kLevels = "/resolutions/";

// A map of the file and what is known of it.
struct Map {
  std::string group;
  std::optional<cool::Description> description;  // nothing when its structure is at fault
  std::optional<RowDigests> rows;                // nothing when a pixel is at fault
  reader::SpanTally totals;
  LevelVerdict verdict;

  // What a level is a multiple of others by: the width of its bins in bp or, where they differ in
  // width, the number it is called by. A map by itself may have neither.
  [[nodiscard]] std::optional<std::int64_t> step() const {
    if (!description) return std::nullopt;
    if (const auto width = description->bins.bin_size()) return *width;
    if (!group.starts_with(kLevels)) return std::nullopt;
    const auto number = parse_int64(std::string_view(group).substr(kLevels.size()));
    return number.value_or(0) > 0 ? number : std::nullopt;
  }
  [[nodiscard]] std::int64_t resolution() const { return description ? step().value_or(1) : 0; }
};

class DigestSink : public BlockSink {
 public:
  // `marginals`: null, or told of every pixel.
  DigestSink(const SharedTables& tables, std::size_t n_levels, const cool::Description& source,
             FlatMarginals* marginals, Observer& observer)
      : source_(source), marginals_(marginals), observer_(observer) {
    for (std::size_t i = 0; i < n_levels; ++i) {
      levels_.emplace_back(static_cast<std::uint64_t>(tables.bins(i).n_bins()));
    }
  }
  void add(const reader::Block& block, const reader::BlockView& view) override {
    if (block.level >= levels_.size())
      fail(ErrorCode::worker, "a reader sent level {}", block.level);
    levels_[block.level].add(block, view);
    if (marginals_ != nullptr) marginals_->add(block, view);
  }
  void add_stored(const reader::StoredPiece&, std::span<const std::byte>) override {
    fail(ErrorCode::worker, "a reader sent chunks nobody asked for");
  }
  void span_done(const reader::SpanTally& tally, std::uint64_t done) override {
    totals_.integers.merge(tally.integers);
    totals_.reals.merge(tally.reals);
    observer_.progress({"verifying", source_.label, done, source_.n_pixels});
  }
  std::vector<RowDigests> finish() {
    for (RowDigests& level : levels_) level.finish();
    return std::move(levels_);
  }
  [[nodiscard]] const reader::SpanTally& totals() const { return totals_; }

 private:
  std::vector<RowDigests> levels_;
  reader::SpanTally totals_;
  const cool::Description& source_;
  FlatMarginals* marginals_;
  Observer& observer_;
};

class Verification {
 public:
  Verification(const VerifyRequest& request, Observer& observer)
      : uri_(genome::parse_uri(request.target)),
        quick_(request.quick),
        settings_(decided(request.settings)),
        observer_(observer) {}

  VerifyReport run() {
    const bool whole_file = request_is_whole_file();
    for (const std::string& group : groups(whole_file)) describe(group);
    std::sort(maps_.begin(), maps_.end(),
              [](const Map& a, const Map& b) { return a.resolution() < b.resolution(); });
    if (whole_file) check_marks();
    if (!quick_) {
      for (Map& map : maps_) check_pixels(map);
    }
    for (Map& map : maps_) check_attributes(map);
    compare_levels();
    for (Map& map : maps_) report_.levels.push_back(std::move(map.verdict));
    return std::move(report_);
  }

 private:
  bool request_is_whole_file() const { return uri_.group == "/"; }

  std::vector<std::string> groups(bool whole_file) {
    if (!whole_file) return {uri_.group};
    std::vector<std::string> found = list_maps(uri_.file, settings_.reader_program, &observer_);
    if (found.empty()) fail(ErrorCode::format, "{} holds no map: not a cooler file", uri_.file);
    return found;
  }

  void describe(const std::string& group) {
    Map map;
    map.group = group;
    map.verdict.group = group;
    try {
      map.description =
          describe_source(settings_.reader_program, {uri_.file, group, {"count"}}, observer_);
      map.verdict.resolution = map.resolution();
      map.verdict.n_bins = map.description->bins.n_bins();
      map.verdict.n_pixels = static_cast<std::int64_t>(map.description->n_pixels);
      map.verdict.faults = map.description->notes;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::format && error.code() != ErrorCode::worker) throw;
      map.verdict.faults.emplace_back(error.what());
    }
    maps_.push_back(std::move(map));
  }

  // Only a finished multi-resolution file says of itself that it is one.
  void check_marks() {
    const bool pyramid = std::any_of(maps_.begin(), maps_.end(), [](const Map& map) {
      return map.group.starts_with("/resolutions/");
    });
    if (!pyramid) return;
    std::string format;
    for (const MapAttribute& attribute :
         map_attributes(uri_.file, settings_.reader_program, &observer_)) {
      if (attribute.name == "format") format = attribute.text;
    }
    if (format != cool::kMcoolFormat) {
      report_.faults.push_back(
          fmt::format("{}: attribute format is '{}' where {} belongs: it may be unfinished",
                      uri_.file, format, cool::kMcoolFormat));
    }
    for (Map& map : maps_) {
      const std::string name = map.group.substr(map.group.find_last_of('/') + 1);
      const bool named = !map.description || !map.description->bins.bin_size() ||
                         !map.group.starts_with("/resolutions/") ||
                         name == std::to_string(map.resolution());
      if (!named) {
        map.verdict.faults.push_back(
            fmt::format("{}: the bins are {} bp wide", map.group, map.resolution()));
      }
    }
  }

  reader::Job make_job(const Map& map, const SharedTables& tables, std::size_t n_levels) const {
    const cool::Description& source = *map.description;
    reader::Job job;
    job.file = uri_.file;
    job.group = map.group;
    job.fields = {"count"};
    job.n_pixels = source.n_pixels;
    job.n_bins = static_cast<std::uint64_t>(source.bins.n_bins());
    job.mode = source.mode;
    job.slot_bytes = settings_.slot_bytes;
    job.table_bytes = tables.memory().bytes().size();
    job.levels = tables.levels();
    const NumberType type = source.fields.front().type;
    for (std::size_t i = 0; i < n_levels; ++i) {
      job.levels[i].fields = {{Aggregation::sum, type, type, true}};
    }
    return job;
  }

  // Pools a map and returns the digests of each level; `first_factor` 1 gives the map itself.
  std::vector<RowDigests> digest(Map& map, const std::vector<PooledLevel>& levels,
                                 const std::vector<std::int64_t>& base_factors,
                                 FlatMarginals* marginals = nullptr) {
    const SharedTables tables(map.description->bins, levels);
    const reader::Job job = make_job(map, tables, levels.size());
    ReaderPool readers(settings_.reader_program, settings_.processes, job, tables, observer_);
    const reader::IndexState index = readers.prove_rows();
    if (index != reader::IndexState::sound) {
      const std::string fault =
          fmt::format("{}: indexes/bin1_offset is {}", map.description->label,
                      index == reader::IndexState::missing ? "missing" : "not what bin1_id says");
      if (std::find(map.verdict.faults.begin(), map.verdict.faults.end(), fault) ==
          map.verdict.faults.end()) {
        map.verdict.faults.push_back(fault);
      }
    }
    DigestSink sink(tables, levels.size(), *map.description, marginals, observer_);
    readers.read(cut_spans(map.description->bins, tables.row_offsets(), base_factors, kSpanPixels),
                 sink);
    readers.stop();
    map.totals = sink.totals();
    return sink.finish();
  }

  void check_pixels(Map& map) {
    if (!map.description) return;
    try {
      FlatMarginals marginals(*map.description);
      map.rows = std::move(digest(map, {{coarsen::kBase, 1}}, {1}, &marginals).front());
      for (std::string& fault : marginals.faults()) map.verdict.faults.push_back(std::move(fault));
    } catch (const NeedsSorting& found) {
      map.verdict.faults.push_back(found.text);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::format && error.code() != ErrorCode::worker) throw;
      map.verdict.faults.emplace_back(error.what());
    }
  }

  void check_number(Map& map, const char* name, std::int64_t truth) {
    for (const h5::NamedValue& attribute : map.description->attributes) {
      if (attribute.name != name) continue;
      const std::optional<std::int64_t> claimed = h5::as_int(attribute.value);
      const std::string fault =
          fmt::format("{}: attribute {} says {}, the tables say {}", map.description->label, name,
                      claimed.value_or(-1), truth);
      if (claimed != truth) map.verdict.faults.push_back(fault);
    }
  }

  static bool has_format(const cool::Description& source) {
    return std::any_of(source.attributes.begin(), source.attributes.end(),
                       [](const h5::NamedValue& attribute) { return attribute.name == "format"; });
  }

  void check_attributes(Map& map) {
    if (!map.description || (!map.rows && !quick_)) return;
    const cool::Description& source = *map.description;
    if (!has_format(source)) {
      map.verdict.faults.push_back(
          fmt::format("{}: attribute format is missing: cooler ls will not list it", source.label));
    }
    check_number(map, "nbins", source.bins.n_bins());
    check_number(map, "nchroms", source.bins.n_chroms());
    if (quick_) return;
    if (is_float(source.fields.front().type)) {
      map.verdict.sum = fmt::format("{}", map.totals.reals.sum());
      return;
    }
    const std::int64_t sum = map.totals.integers.checked_sum();
    map.verdict.sum = std::to_string(sum);
    check_number(map, "sum", sum);
  }

  static bool same_bins(const genome::BinTable& a, const genome::BinTable& b) {
    if (a.chromosomes() != b.chromosomes() || a.chrom_offsets() != b.chrom_offsets()) return false;
    if (a.is_uniform() && b.is_uniform()) return a.bin_size() == b.bin_size();
    for (std::int64_t bin = 0; bin < a.n_bins(); ++bin) {
      if (a.start(bin) != b.start(bin) || a.end(bin) != b.end(bin)) return false;
    }
    return true;
  }

  // Every level that is a multiple of a finer one is compared with what that pools to.
  void compare_levels() {
    std::vector<std::size_t> sound;
    std::vector<std::int64_t> resolutions;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      const bool usable = maps_[i].rows && maps_[i].step();
      const bool repeated = !resolutions.empty() && resolutions.back() == maps_[i].resolution();
      if (!usable || repeated) continue;
      sound.push_back(i);
      resolutions.push_back(maps_[i].resolution());
    }
    std::vector<std::int64_t> bases;
    for (const std::int64_t resolution : resolutions) {
      const bool derived = std::any_of(bases.begin(), bases.end(),
                                       [&](std::int64_t base) { return resolution % base == 0; });
      if (!derived) bases.push_back(resolution);
    }
    const std::vector<genome::LevelPlan> plan = genome::plan_levels(resolutions, bases);
    for (std::size_t base = 0; base < bases.size(); ++base) compare_with_base(sound, plan, base);
  }

  void compare_with_base(const std::vector<std::size_t>& sound,
                         const std::vector<genome::LevelPlan>& plan, std::size_t base) {
    std::vector<PooledLevel> levels;
    std::vector<std::int64_t> base_factors;
    std::vector<std::size_t> compared;  // indexes in the plan
    std::vector<int> place(plan.size(), coarsen::kBase);
    std::size_t base_level = 0;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (plan[i].base != static_cast<int>(base)) continue;
      if (plan[i].predecessor < 0) {
        base_level = i;
        continue;
      }
      place[i] = static_cast<int>(levels.size());
      levels.push_back({place[static_cast<std::size_t>(plan[i].predecessor)], plan[i].factor});
      base_factors.push_back(plan[i].resolution / plan[base_level].resolution);
      compared.push_back(i);
    }
    if (levels.empty()) return;
    Map& finest = maps_[sound[base_level]];
    const std::vector<RowDigests> expected = digest(finest, levels, base_factors);
    for (std::size_t k = 0; k < compared.size(); ++k) {
      Map& map = maps_[sound[compared[k]]];
      const Map& from = maps_[sound[static_cast<std::size_t>(plan[compared[k]].predecessor)]];
      map.verdict.compared_with = from.group;
      compare(map, from, finest.description->bins.coarsen(base_factors[k]), expected[k]);
    }
  }

  void compare(Map& map, const Map& from, const genome::BinTable& bins,
               const RowDigests& expected) {
    const cool::Description& level = *map.description;
    if (!same_bins(level.bins, bins)) {
      map.verdict.faults.push_back(
          fmt::format("{}: the bins are not those of {} pooled", level.label, from.group));
      return;
    }
    const double tolerance = level.fields.front().type == NumberType::f64 ? 1e-9 : 1e-4;
    if (const auto row = map.rows->first_difference(expected, tolerance)) {
      map.verdict.faults.push_back(
          fmt::format("{}: row {}: its pixels or counts are not what {} pools to ({} pixels in the "
                      "level, {} expected)",
                      level.label, *row, from.group, map.rows->n_pixels(), expected.n_pixels()));
    }
  }

  genome::Uri uri_;
  bool quick_;
  Settings settings_;
  Observer& observer_;
  std::vector<Map> maps_;
  VerifyReport report_;
};

}  // namespace

}  // namespace engine

bool VerifyReport::sound() const {
  return faults.empty() && std::all_of(levels.begin(), levels.end(), [](const LevelVerdict& level) {
           return level.faults.empty();
         });
}

VerifyReport verify(const VerifyRequest& request, Observer& observer) {
  return engine::Verification(request, observer).run();
}

}  // namespace ziggurat
