// Problem: a map from contacts in any order and number, within bounded memory.
// Method: one thread reads, inflates and cuts the text into blocks of whole lines. A batch of
// blocks is parsed in parallel into records that sort as pixels do; they are gathered in the order
// of the blocks, sorted, and kept on disk when there are too many (run_store.hpp). Merged, they are
// the map's pixels in order, which one writer stores while other threads compress. Cost: of
// contacts that are only counted, 8 bytes each in memory and at most once on disk. Invariant:
// blocks count their lines, so a fault is told by the number of its line in the file, and the first
// faulty line is the one that is told, whatever thread finds it.
#include "ziggurat/load.hpp"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>

#include "base/check.hpp"
#include "base/granted_memory.hpp"
#include "base/strings.hpp"
#include "base/threads.hpp"
#include "contacts/line_parser.hpp"
#include "engine/map_writer.hpp"
#include "engine/paths.hpp"
#include "engine/plan.hpp"
#include "engine/record_feeds.hpp"
#include "engine/run_store.hpp"
#include "engine/text_blocks.hpp"
#include "engine/text_file.hpp"
#include "genome/bed_bins.hpp"
#include "genome/chrom_sizes.hpp"
#include "genome/field_spec.hpp"
#include "genome/uri.hpp"
#include "h5/handle.hpp"

namespace ziggurat {

namespace engine {

namespace {

// CHROMSIZES:WIDTH or a BED file.
std::string file_of_bins(const std::string& text) { return text.substr(0, text.rfind(':')); }

genome::BinTable read_bins(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return genome::parse_bed_bins(read_text_file(text), text);
  const std::string path = text.substr(0, colon);
  const std::optional<std::int64_t> width = parse_int64(trim(text.substr(colon + 1)));
  if (!width || *width < 1) {
    fail(ErrorCode::usage, "bins {}: '{}' is no width of bins in bp", text, text.substr(colon + 1));
  }
  return genome::BinTable::uniform(genome::parse_chrom_sizes(read_text_file(path), path), *width);
}

// What is over it is sorted on disk. The rest of what was granted is for merging and threads.
std::int64_t record_memory(std::int64_t asked_for) {
  constexpr std::int64_t kUsual = std::int64_t{512} << 20;
  if (asked_for > 0) return asked_for;
  return std::min(kUsual, granted_memory().value_or(4 * kUsual) / 4);
}

// A value column of the map: where it comes from, and how it is combined and stored.
struct MapField {
  std::string name;
  NumberType type = NumberType::i32;
  Aggregation aggregation = Aggregation::sum;
  std::optional<int> column;  // of the text, from 0; nothing: the number of contacts
};

// The columns that hold an end, where the format fixes them.
int count_column(ContactFormat format) { return format == ContactFormat::bg2 ? 6 : 2; }

class FieldList {
 public:
  explicit FieldList(const LoadRequest& request) : request_(request) {
    for (const std::string& text : request.fields) take(text);
    const bool has_count = std::any_of(fields_.begin(), fields_.end(),
                                       [](const MapField& f) { return f.name == "count"; });
    if (!has_count && (is_pairs() || fields_.empty())) {
      std::optional<int> column;
      if (!is_pairs()) column = count_column(request.format);
      fields_.push_back({"count", count_type_, Aggregation::sum, column});
    }
    if (request.count_as_float) {
      for (MapField& field : fields_) {
        if (field.name == "count") field.type = NumberType::f64;
      }
    }
  }

  [[nodiscard]] const std::vector<MapField>& fields() const { return fields_; }

 private:
  [[nodiscard]] bool is_pairs() const { return request_.format == ContactFormat::pairs; }

  void take(const std::string& text) {
    const genome::TextFieldSpec spec = genome::parse_text_field_spec(text);
    const std::string& name = spec.field.name;
    if (!is_pairs() && spec.says_agg) {
      fail(ErrorCode::usage, "--field {}: Invalid property: 'agg'.", text);
    }
    if (!spec.column) return take_type(text, spec);
    const NumberType usual = name == "count" ? NumberType::i32 : NumberType::f64;
    MapField field{name, spec.field.dtype.value_or(usual), spec.field.agg, *spec.column - 1};
    const auto same = std::find_if(fields_.begin(), fields_.end(),
                                   [&](const MapField& f) { return f.name == name; });
    if (same != fields_.end()) {
      *same = field;
    } else {
      fields_.push_back(field);
    }
  }

  // A type alone.
  void take_type(const std::string& text, const genome::TextFieldSpec& spec) {
    const bool says_type_only = spec.field.dtype && !spec.says_agg;
    if (says_type_only && (spec.field.name == "bin1_id" || spec.field.name == "bin2_id")) return;
    if (!says_type_only || spec.field.name != "count") {
      fail(ErrorCode::usage, "--field {}: A field number is required.", text);
    }
    count_type_ = *spec.field.dtype;
    if (is_pairs()) return;
    fields_.push_back({"count", count_type_, Aggregation::sum, count_column(request_.format)});
  }

  const LoadRequest& request_;
  std::vector<MapField> fields_;
  NumberType count_type_ = NumberType::i32;
};

contacts::Misfit misfit_of(Misplaced policy) {
  return policy == Misplaced::drop ? contacts::Misfit::drop : contacts::Misfit::refuse;
}

contacts::LineRules line_rules(const LoadRequest& request, const std::vector<MapField>& fields) {
  contacts::LineRules rules;
  switch (request.format) {
    case ContactFormat::pairs:
      rules.chromosome = {request.columns[0] - 1, request.columns[2] - 1};
      rules.position = {request.columns[1] - 1, request.columns[3] - 1};
      break;
    case ContactFormat::bg2:
      rules.chromosome = {0, 3};
      rules.position = {1, 4};
      break;
    case ContactFormat::coo:
      rules.bin_ids = true;
      rules.position = {0, 1};
      break;
  }
  rules.first = request.one_based ? 1 : 0;
  rules.comment = request.comment;
  rules.comment_ends_line = request.format != ContactFormat::pairs;
  rules.lower_half = !request.symmetric                     ? contacts::LowerHalf::keep
                     : request.copies == CopyStatus::duplex ? contacts::LowerHalf::drop
                                                            : contacts::LowerHalf::reflect;
  rules.unknown = misfit_of(request.unknown_chromosomes);
  rules.outside = misfit_of(request.out_of_range);
  for (const MapField& field : fields) {
    if (field.column) rules.values.push_back({field.name, *field.column, !is_float(field.type)});
  }
  return rules;
}

// What the map's columns are made from: the values of a record in their order.
std::vector<RecordField> record_fields(const std::vector<MapField>& fields) {
  std::vector<RecordField> out;
  int word = 0;
  for (const MapField& field : fields) {
    RecordField made;
    const NumberType source = !field.column || !is_float(field.type) ? NumberType::i64 : field.type;
    made.rule = {field.aggregation, source, field.type, field.name == "count"};
    if (field.column) made.word = ++word;
    out.push_back(made);
  }
  return out;
}

class Load {
 public:
  Load(const LoadRequest& request, Observer& observer)
      : request_(request),
        settings_(decided(request.settings)),
        observer_(observer),
        fields_(FieldList(request).fields()),
        label_(request.source == "-" ? "standard input" : request.source) {
    draft_.bins = read_bins(request.bins);
    draft_.mode =
        request.symmetric ? cool::StorageMode::symmetric_upper : cool::StorageMode::square;
    for (const MapField& field : fields_) draft_.fields.push_back({field.name, field.type});
    draft_.assembly = request.assembly;
    draft_.metadata = request.metadata;
  }

  LoadReport run() {
    const std::string output = genome::parse_uri(request_.output).file;
    refuse_output_as_input(output, file_of_bins(request_.bins));
    if (request_.source != "-") refuse_output_as_input(output, request_.source);
    MapWriter writer(request_.output, request_.append, settings_);
    // Past here the output is free and its folder can be written to.
    const contacts::Places places(draft_.bins);
    const contacts::LineParser parser(places, line_rules(request_, fields_));
    const contacts::KeyLayout keys(draft_.bins.n_bins());
    RunStoreLimits limits;
    limits.memory_bytes = static_cast<std::size_t>(record_memory(request_.memory_limit));
    limits.threads = settings_.processes;
    limits.folder = folder_of(writer.folder().file("runs"));
    RunStore store(keys, parser.words(), limits);
    {
      const InParallel parallel(settings_.processes);
      parallel.run([&] { read(parser, store); });
      sort(parallel, store);
    }
    say_tally();
    LoadReport report;
    report.map = write(writer, keys);
    report.taken = tally_.taken;
    report.unknown_chromosome = tally_.unknown;
    report.out_of_range = tally_.outside;
    report.mirror_images = tally_.mirrored;
    report.bytes_on_disk = store.bytes_on_disk();
    report.map.levels.front().made_from = label_;
    return report;
  }

 private:
  // Threads that parse and sort; gone before others compress.
  class InParallel {
   public:
    explicit InParallel(int threads) : arena_(threads) {
      if (threads > 1) require_threads(threads);
      limit_.emplace(tbb::global_control::max_allowed_parallelism,
                     static_cast<std::size_t>(threads));
    }
    template <typename Work>
    void run(const Work& work) const {
      arena_.execute(work);
    }

   private:
    mutable tbb::task_arena arena_;
    std::optional<tbb::global_control> limit_;
  };

  void read(const contacts::LineParser& parser, RunStore& store) {
    const auto threads = static_cast<std::size_t>(settings_.processes);
    const std::size_t batch = 2 * threads;
    TextBlocks text(request_.source, batch + 2);
    std::vector<contacts::ParsedBlock> parsed(batch);
    for (;;) {
      const std::vector<TextBlock> blocks = text.next(batch, observer_);
      if (blocks.empty()) {
        if (!text.note().empty()) observer_.note(text.note());
        return;
      }
      tbb::parallel_for(std::size_t{0}, blocks.size(),
                        [&](std::size_t b) { parser.parse(blocks[b].text, parsed[b]); });
      for (std::size_t b = 0; b < blocks.size(); ++b) take(blocks[b], parsed[b], store);
      observer_.progress({"reading", label_, tally_.taken, 0, "contacts"});
    }
  }

  void take(const TextBlock& block, const contacts::ParsedBlock& parsed, RunStore& store) {
    lines_ += parsed.lines;
    if (parsed.fault) {
      fail(ErrorCode::format, "{}, line {}: {}", label_, lines_, *parsed.fault);
    }
    if (block.line_too_long) {
      fail(ErrorCode::format, "{}, line {}: it is longer than {} bytes", label_, lines_ + 1,
           kTextBlockBytes);
    }
    tally_.add(parsed.tally);
    store.add(parsed.records);
  }

  void sort(const InParallel& parallel, RunStore& store) {
    observer_.progress({"sorting", label_, tally_.taken, tally_.taken, "contacts"});
    parallel.run([&] { sorted_.emplace(store.sorted()); });
  }

  void say_tally() const {
    const auto say = [&](std::uint64_t n, const char* what) {
      if (n > 0) observer_.note(fmt::format("{}: {} {}", label_, n, what));
    };
    say(tally_.unknown, "contacts left out: a chromosome that the bins have not");
    say(tally_.outside, "contacts left out: they lie outside of the bins");
    say(tally_.mirrored, "contacts left out as mirror images");
    say(tally_.past_end, "contacts just past the end of a chromosome were put into its last bin");
    if (tally_.taken == 0) observer_.note(label_ + ": there are no contacts for the map");
  }

  BuildReport write(MapWriter& writer, const contacts::KeyLayout& keys) {
    const RecordFeedLayout layout{keys, draft_.bins.n_bins(), label_, request_.output,
                                  tally_.taken};
    const bool counts_only = fields_.size() == 1 && !fields_.front().column;
    if (counts_only) {
      CountFeed feed(*sorted_, layout, fields_.front().type, observer_);
      return writer.write(draft_, feed, observer_);
    }
    const bool refuse_repeats =
        request_.format != ContactFormat::pairs && request_.duplicates == Duplicates::refuse;
    ValueFeed feed(*sorted_, layout, record_fields(fields_), refuse_repeats, observer_);
    return writer.write(draft_, feed, observer_);
  }

  const LoadRequest& request_;
  Settings settings_;
  Observer& observer_;
  std::vector<MapField> fields_;
  std::string label_;
  MapDraft draft_;
  contacts::LineTally tally_;
  std::uint64_t lines_ = 0;
  std::optional<contacts::RunMerge> sorted_;
};

}  // namespace

}  // namespace engine

LoadReport load_contacts(const LoadRequest& request, Observer& observer) {
  const h5::QuietErrors quiet;
  check_load(request);
  return engine::Load(request, observer).run();
}

void check_load(const LoadRequest& request) {
  for (const int column : request.columns) {
    if (column < 1) fail(ErrorCode::usage, "column {}: Field numbers start at 1", column);
  }
  static_cast<void>(engine::FieldList(request));
}

}  // namespace ziggurat
