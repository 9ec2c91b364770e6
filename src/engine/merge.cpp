// Problem: add up any number of sorted pixel tables in bounded memory.
// Method: a child process for each source sends its pixels in order. Row by row, the sources' runs
// are laid one after the other, in the order of the sources, and handed to the aggregator that
// pools rows for coarsening, with every bin its own coarse bin: it sorts a row and combines what
// falls on one column, in the order given.
// Cost: an addition for each pixel read. Memory: 12 slots of 1 MiB for each source read at a time,
// a batch, and a row of sums. More than kMostAtOnce sources are added up in groups, and the results
// then: integer sums are the same, sums of floating point may differ in their last digit.
#include "ziggurat/merge.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "base/check.hpp"
#include "coarsen/row_aggregator.hpp"
#include "engine/map_client.hpp"
#include "engine/map_writer.hpp"
#include "engine/output.hpp"
#include "engine/plan.hpp"
#include "engine/reader_pool.hpp"
#include "genome/bin_difference.hpp"
#include "genome/field_spec.hpp"
#include "h5/handle.hpp"
#include "pixels/reduce.hpp"

namespace ziggurat {

namespace engine {

namespace {

constexpr std::size_t kMostAtOnce = 32;
constexpr std::size_t kBatchPixels = std::size_t{1} << 16;

// A source's pixels, taken run by run.
class Cursor {
 public:
  Cursor(std::unique_ptr<MapClient> client, const reader::LookUp& question, Observer& observer)
      : client_(std::move(client)), observer_(observer) {
    client_->start(question, observer_);
    advance_block();
  }

  [[nodiscard]] bool at_end() const { return answer_ == nullptr; }
  [[nodiscard]] std::uint32_t row() const { return answer_->view.runs[run_].row; }

  // Appends the pixels of the current row; the cursor goes on to the next.
  void take_row(coarsen::PixelBatch& out) {
    const std::uint32_t row = this->row();
    while (!at_end() && this->row() == row) take_run(out);
  }

  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  void take_run(coarsen::PixelBatch& out) {
    const RowRun run = answer_->view.runs[run_];
    const auto columns = answer_->view.columns.subspan(at_, run.n);
    out.runs.push_back(run);
    out.columns.insert(out.columns.end(), columns.begin(), columns.end());
    if (out.compact && answer_->block.forms.front() != reader::ValueForm::i32) out.widen();
    for (std::size_t f = 0; f < answer_->block.forms.size(); ++f) append_values(f, run.n, out);
    at_ += run.n;
    taken_ += run.n;
    if (++run_ == answer_->view.runs.size()) advance_block();
  }

  void append_values(std::size_t field, std::size_t n, coarsen::PixelBatch& out) const {
    switch (answer_->block.forms[field]) {
      case reader::ValueForm::i32:
        return append_numbers<std::int32_t>(field, n, out);
      case reader::ValueForm::i64:
        return append_numbers<std::int64_t>(field, n, out);
      case reader::ValueForm::f32:
        return append_numbers<float>(field, n, out);
      case reader::ValueForm::f64:
        return append_numbers<double>(field, n, out);
    }
  }

  template <typename Number>
  void append_numbers(std::size_t field, std::size_t n, coarsen::PixelBatch& out) const {
    const auto* numbers = reinterpret_cast<const Number*>(answer_->view.values[field].data()) + at_;
    if constexpr (std::is_same_v<Number, std::int32_t>) {
      if (out.compact) {
        out.counts.insert(out.counts.end(), numbers, numbers + n);
        return;
      }
    }
    std::visit(
        [&](auto& values) {
          using Value = typename std::decay_t<decltype(values)>::value_type;
          for (std::size_t i = 0; i < n; ++i) values.push_back(static_cast<Value>(numbers[i]));
        },
        out.values[field]);
  }

  void advance_block() {
    do {
      answer_ = client_->next(observer_);
    } while (answer_ != nullptr && answer_->view.runs.empty());
    run_ = 0;
    at_ = 0;
  }

  std::unique_ptr<MapClient> client_;
  Observer& observer_;
  const MapClient::Answer* answer_ = nullptr;
  std::size_t run_ = 0;
  std::size_t at_ = 0;  // pixel of the block where that run begins
  std::uint64_t taken_ = 0;
};

// A map that is read, and the types of its fields.
struct Input {
  genome::Uri uri;
  std::vector<NumberType> types;
  FileIdentity identity;  // before it was looked at
};

class MergeFeed : public PixelFeed {
 public:
  MergeFeed(std::span<const Input> inputs, const reader::LookUp& question,
            const std::vector<coarsen::FieldRule>& rules, const Settings& settings,
            const std::string& label, Observer& observer)
      : observer_(observer), label_(label), rules_(rules), ids_(question.end_row) {
    std::iota(ids_.begin(), ids_.end(), 0U);
    aggregator_ = coarsen::make_aggregator(ids_, static_cast<std::uint32_t>(ids_.size()), rules_);
    for (const Input& input : inputs) {
      auto client = std::make_unique<MapClient>(settings.reader_program, input.uri,
                                                settings.slot_bytes, observer);
      total_ += client->opened().description.n_pixels;
      cursors_.emplace_back(std::move(client), question, observer);
      files_.emplace_back(input.uri.file, input.identity);
    }
  }

  bool next(coarsen::PixelBatch& batch) override {
    prepare(batch, true);
    while (batch.size() == 0 && !ended_) {
      prepare(rows_, false);
      gather_rows();
      if (rows_.size() > 0) {
        aggregator_->consume(rows_, batch);
      } else {
        aggregator_->finish(batch);
        ended_ = true;
      }
    }
    std::uint64_t done = 0;
    for (const Cursor& cursor : cursors_) done += cursor.taken();
    observer_.progress({"merging", label_, done, total_});
    if (batch.size() == 0) refuse_changed();
    return batch.size() > 0;
  }

 private:
  void refuse_changed() const {
    for (const auto& [file, identity] : files_) {
      if (identify(file) == identity) continue;
      fail(ErrorCode::input, "{} was changed while it was read: nothing was written", file);
    }
  }

  // Empty, with columns of the right kinds.
  void prepare(coarsen::PixelBatch& batch, bool combined) const {
    batch.clear();
    batch.compact = rules_.size() == 1 && rules_.front().source == NumberType::i32;
    batch.values.clear();
    if (batch.compact) return;
    for (const coarsen::FieldRule& rule : rules_) {
      const pixels::ColumnKind kind = pixels::kind_of(rule.source);
      batch.values.push_back(
          pixels::make_column(combined ? pixels::result_kind(rule.aggregation, kind) : kind));
    }
  }

  // Whole rows of all sources, about a batch of them.
  void gather_rows() {
    while (rows_.size() < kBatchPixels) {
      std::uint32_t row = std::numeric_limits<std::uint32_t>::max();
      for (const Cursor& cursor : cursors_) {
        if (!cursor.at_end()) row = std::min(row, cursor.row());
      }
      if (row == std::numeric_limits<std::uint32_t>::max()) return;
      for (Cursor& cursor : cursors_) {
        if (!cursor.at_end() && cursor.row() == row) cursor.take_row(rows_);
      }
    }
  }

  Observer& observer_;
  std::string label_;
  std::vector<coarsen::FieldRule> rules_;
  std::vector<std::uint32_t> ids_;
  std::unique_ptr<coarsen::RowAggregator> aggregator_;
  std::vector<Cursor> cursors_;
  std::vector<std::pair<std::string, FileIdentity>> files_;
  coarsen::PixelBatch rows_;
  std::uint64_t total_ = 0;
  bool ended_ = false;
};

// Whether adding up groups first gives the same.
bool works_in_groups(Aggregation aggregation) {
  switch (aggregation) {
    case Aggregation::sum:
    case Aggregation::prod:
    case Aggregation::min:
    case Aggregation::max:
    case Aggregation::first:
    case Aggregation::last:
      return true;
    default:
      return false;
  }
}

class Merge {
 public:
  Merge(const MergeRequest& request, Observer& observer)
      : request_(request), settings_(decided(request.settings)), observer_(observer) {
    for (const std::string& text : request.rules.fields) {
      fields_.push_back(genome::parse_field_spec(text));
    }
    if (fields_.empty()) fields_.push_back({"count", {}, Aggregation::sum});
  }

  BuildReport run() {
    if (request_.sources.empty()) fail(ErrorCode::usage, "no map to merge is named");
    for (const std::string& uri : request_.sources) open(uri);
    choose_types();
    refuse_many();
    MapWriter writer(request_.output, request_.append, settings_);
    // Past here every source fits and the output is free.
    std::vector<Input> inputs = inputs_;
    for (int round = 0; inputs.size() > kMostAtOnce; ++round) {
      inputs = merge_groups(inputs, round, writer);
    }
    MergeFeed feed = feed_of(inputs, request_.output);
    BuildReport report = writer.write(draft_, feed, observer_);
    report.levels.front().made_from = fmt::format("{} maps", inputs_.size());
    return report;
  }

 private:
  // The first source says what the output is; the others must fit.
  void open(const std::string& text) {
    const genome::Uri uri = genome::parse_uri(text);
    refuse_output_as_source(uri);
    const FileIdentity identity = identify(uri.file);
    const cool::Description map = describe(uri);
    for (const std::string& note : map.notes) observer_.note(note);
    if (inputs_.empty()) {
      draft_.bins = map.bins;
      draft_.mode = map.mode;
      draft_.assembly = map.assembly;
      draft_.metadata = map.metadata;
    } else {
      require_equal_axes(text, map);
    }
    inputs_.push_back({uri, types_of(map), identity});
  }

  [[nodiscard]] cool::Description describe(const genome::Uri& uri) const {
    std::vector<std::string> names;
    for (const genome::FieldSpec& field : fields_) names.push_back(field.name);
    return describe_source(settings_.reader_program, {uri.file, uri.group, names}, observer_);
  }

  static std::vector<NumberType> types_of(const cool::Description& map) {
    std::vector<NumberType> types;
    for (const cool::PixelColumn& field : map.fields) types.push_back(field.type);
    return types;
  }

  void require_equal_axes(const std::string& text, const cool::Description& map) const {
    const std::string& first = request_.sources.front();
    if (map.mode != draft_.mode) {
      fail(ErrorCode::usage, "{} and {} do not fit together: one is symmetric and the other is not",
           first, text);
    }
    if (const auto difference = genome::first_difference(draft_.bins, map.bins)) {
      fail(ErrorCode::usage, "{} and {} do not fit together: {}", first, text, *difference);
    }
  }

  void refuse_output_as_source(const genome::Uri& source) {
    const genome::Uri output = genome::parse_uri(request_.output);
    const std::string file = behind_link(output.file);
    if (!exists(file) || !identify(file).same_file(identify(source.file))) return;
    if (request_.append &&
        !lead_to_one_map(file, output.group, source.group, settings_.reader_program, observer_)) {
      return;
    }
    fail(ErrorCode::usage, "output {} is also an input: name another output", request_.output);
  }

  [[nodiscard]] std::vector<NumberType> common_types(std::span<const Input> inputs) const {
    std::vector<NumberType> types = inputs.front().types;
    for (const Input& input : inputs) {
      for (std::size_t f = 0; f < types.size(); ++f) {
        types[f] = common_type(types[f], input.types[f]);
      }
    }
    return types;
  }

  void choose_types() {
    const std::vector<NumberType> types = common_types(inputs_);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      draft_.fields.push_back({fields_[f].name, fields_[f].dtype.value_or(types[f])});
    }
  }

  void refuse_many() const {
    if (inputs_.size() <= kMostAtOnce) return;
    for (const genome::FieldSpec& field : fields_) {
      if (works_in_groups(field.agg)) continue;
      fail(ErrorCode::usage, "{} of more than {} maps cannot be formed", name(field.agg),
           kMostAtOnce);
    }
  }

  [[nodiscard]] reader::LookUp question() const {
    const auto n_bins = static_cast<std::uint64_t>(draft_.bins.n_bins());
    reader::LookUp question;
    for (const genome::FieldSpec& field : fields_) question.fields.push_back(field.name);
    question.end_row = n_bins;
    question.end_column = n_bins;
    if (request_.rules.duplicates == Duplicates::refuse) {
      question.duplicates = reader::DuplicatePolicy::refuse;
    }
    if (request_.rules.not_finite == NotFinite::refuse) question.nan = reader::NanPolicy::refuse;
    return question;
  }

  [[nodiscard]] MergeFeed feed_of(std::span<const Input> inputs, const std::string& label) {
    const std::vector<NumberType> types = common_types(inputs);
    std::vector<coarsen::FieldRule> rules;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      rules.push_back(
          {fields_[f].agg, types[f], draft_.fields[f].type, fields_[f].name == "count"});
    }
    return {inputs, question(), rules, settings_, label, observer_};
  }

  std::vector<Input> merge_groups(const std::vector<Input>& inputs, int round, MapWriter& writer) {
    std::vector<Input> merged;
    for (std::size_t first = 0; first < inputs.size(); first += kMostAtOnce) {
      const auto group =
          std::span(inputs).subspan(first, std::min(kMostAtOnce, inputs.size() - first));
      const std::string path = writer.folder().file(fmt::format("{}-{}", round, merged.size()));
      MapDraft draft = draft_;
      const std::vector<NumberType> types = common_types(group);
      for (std::size_t f = 0; f < types.size(); ++f) draft.fields[f].type = types[f];
      MergeFeed feed = feed_of(group, path);
      writer.write_file(path, draft, feed, observer_);
      const genome::Uri uri{path, "/"};
      merged.push_back({uri, types_of(describe(uri)), identify(path)});
    }
    return merged;
  }

  const MergeRequest& request_;
  Settings settings_;
  Observer& observer_;
  std::vector<genome::FieldSpec> fields_;
  std::vector<Input> inputs_;
  MapDraft draft_;
};

}  // namespace

}  // namespace engine

BuildReport merge(const MergeRequest& request, Observer& observer) {
  const h5::QuietErrors quiet;
  return engine::Merge(request, observer).run();
}

}  // namespace ziggurat
